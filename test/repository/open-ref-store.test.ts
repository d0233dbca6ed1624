import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type OpenRefStoreOptions, openRefStore, type RefError } from '../../src/index.ts';
import { fixture } from '../support/fixtures.ts';
import { repositoryOf } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ENV = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_COMMITTER_NAME: 'Cy Committer',
  GIT_COMMITTER_EMAIL: 'cy@example.com',
  GIT_COMMITTER_DATE: '1700000060 -0230',
};
/** The empty tree, which every repository has. */
const OID = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

let gitDir: string;
beforeEach(() => {
  gitDir = repositoryOf(fixture('minimal'));
});

/** Writes a configuration of our repository, with more in it. */
function configure(text: string, version = 1): void {
  const format = `[core]\nrepositoryFormatVersion = ${version}\nbare = true\n`;
  writeFileSync(join(gitDir, 'config'), `${format}[extensions]\nrefStorage = reftable\n${text}`);
}

/** The error of opening. */
function refusal(path = gitDir, options: unknown = { env: ENV }): RefError {
  try {
    openRefStore(path, options as OpenRefStoreOptions).close();
  } catch (error) {
    return error as RefError;
  }
  throw new Error('it was opened');
}

describe('openRefStore', () => {
  it('opens a repository and reads it', () => {
    using store = openRefStore(gitDir, { env: ENV });
    expect(store.objectFormat).toBe('sha1');
    expect([...store.refs()].map(({ name }) => name)).toContain('refs/heads/main');
  });

  it('takes the variables of the process where it is given none', async () => {
    using store = openRefStore(gitDir);
    expect(store.read('HEAD')?.target).toBe('refs/heads/main');
  });

  it('refuses a folder that is no repository', () => {
    const folder = temporaryFolder();
    const message = `not a git repository: '${folder}'`;
    expect(refusal(folder)).toMatchObject({ code: 'NOT_A_REPOSITORY', message, file: folder });
    const missing = join(folder, 'missing');
    expect(refusal(missing)).toMatchObject({ code: 'NOT_A_REPOSITORY', file: missing });
  });

  it('refuses a work tree, whose repository is in .git', () => {
    const workTree = temporaryFolder();
    cpSync(gitDir, join(workTree, '.git'), { recursive: true });
    expect(refusal(workTree).code).toBe('NOT_A_REPOSITORY');
    openRefStore(join(workTree, '.git'), { env: ENV }).close();
  });

  it('opens a repository whose refs are files', () => {
    writeFileSync(join(gitDir, 'config'), '[core]\nrepositoryFormatVersion = 0\n');
    writeFileSync(join(gitDir, 'HEAD'), 'ref: refs/heads/main\n');
    using store = openRefStore(gitDir);
    expect(store.read('HEAD')?.target).toBe('refs/heads/main');
  });

  it.each([
    ['an unknown extension', 'frotz = true', 1, 'unknown repository extension found:\n\tfrotz'],
    [
      'an unknown ref storage',
      'refStorage = other',
      1,
      "invalid value for 'extensions.refstorage': 'other'",
    ],
    [
      'an unknown hash',
      'objectFormat = md5',
      1,
      "invalid value for 'extensions.objectformat': 'md5'",
    ],
    ['format 2', '', 2, 'Expected git repo version <= 1, found 2'],
    [
      'reftable in format 0',
      '',
      0,
      'repo version is 0, but v1-only extension found:\n\trefstorage',
    ],
  ])('refuses %s, in the words of Git', (_, extension, version, message) => {
    configure(extension, version);
    const error = refusal();
    expect(error).toMatchObject({ code: 'UNSUPPORTED_REPOSITORY', file: join(gitDir, 'config') });
    // What Git says of a value comes before where it stands.
    expect((error.cause as RefError | undefined)?.message ?? error.message).toBe(message);
  });

  it('refuses a configuration that is none, with its file and line', () => {
    writeFileSync(join(gitDir, 'config'), '[core]\n= oops\n');
    const file = join(gitDir, 'config');
    const message = `bad config line 2 in file ${file}`;
    expect(refusal()).toMatchObject({ code: 'INVALID_CONFIG', message, file });
  });

  it.each([
    ['blockSize = 16777216', 'reftable block size cannot exceed 16MB'],
    [
      'blockSize = -1',
      /^bad numeric config value '-1' for 'reftable.blocksize' in file .*config: /,
    ],
    ['blockSize = large', /^bad numeric config value 'large' for 'reftable.blocksize'/],
    ['geometricFactor = 256', 'reftable geometric factor cannot exceed 255'],
    ['restartInterval = 65536', 'reftable block size cannot exceed 65535'],
    ['lockTimeout = -2', 'reftable lock timeout does not support negative values other than -1'],
    ['lockTimeout = soon', /^bad numeric config value 'soon' for 'reftable.locktimeout'/],
    ['indexObjects = perhaps', /^bad boolean config value 'perhaps' for 'reftable.indexobjects'/],
  ])('refuses the setting reftable.%s', (setting, message) => {
    configure(`[reftable]\n${setting}\n`);
    expect(refusal()).toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringMatching(message),
    });
  });

  it('refuses a bad core.logAllRefUpdates', () => {
    configure('[core]\nlogAllRefUpdates = sometimes\n');
    const message = "bad boolean config value 'sometimes' for 'core.logallrefupdates'";
    expect(refusal()).toMatchObject({ code: 'INVALID_CONFIG', message });
  });

  it.each([
    ['options.lockTimeout', { lockTimeout: -2 }],
    ['options.lockTimeout', { lockTimeout: 1.5 }],
    ['options.lockTimeout', { lockTimeout: '100' }],
    ['options.reflogPolicy', { reflogPolicy: 'always' }],
    ['options.fsync', { fsync: 1 }],
    ['options.env', { env: { HOME: 7 } }],
    ['options.env', { env: 'none' }],
    ['options: ', { fSync: true }],
    ['options: ', 'options'],
    ['options: ', null],
  ])('names %s when it is of another shape', (place, options) => {
    const { code, message } = refusal(gitDir, options);
    expect(code).toBe('INVALID_ARGUMENT');
    expect(message.startsWith(place), message).toBe(true);
  });

  it.each([
    [null, 'object'],
    [7, 'number'],
    ['', 'an empty string'],
  ])('refuses %j as the path', (path, found) => {
    const message = `gitDir: expected a path, found ${found}`;
    expect(refusal(path as string)).toMatchObject({ code: 'INVALID_ARGUMENT', message });
  });

  it('finds a damaged list when it is asked, not when it opens', () => {
    rmSync(join(gitDir, 'reftable/tables.list'));
    mkdirSync(join(gitDir, 'reftable/tables.list'));
    using store = openRefStore(gitDir, { env: ENV });
    expect(() => store.read('HEAD')).toThrow(expect.objectContaining({ code: 'IO' }));
  });

  it('writes as reftable.* and the options say', async () => {
    configure('[reftable]\nblockSize = 512\n[core]\nlogAllRefUpdates = always\n');
    using store = openRefStore(gitDir, { env: ENV, fsync: false });
    const message = 'm'.repeat(400);
    const update = { type: 'create', ref: 'refs/tags/new', newOid: OID } as const;
    await store.transaction([update], { message });
    const [entry] = [...store.reflog('refs/tags/new')];
    expect(entry).toMatchObject({
      message: message.slice(0, 256),
      committer: {
        name: 'Cy Committer',
        email: 'cy@example.com',
        time: 1700000060,
        timezone: -150,
      },
    });
  });

  it('lets a policy of the caller decide who is logged', async () => {
    const asked: [string, boolean][] = [];
    using store = openRefStore(gitDir, {
      env: ENV,
      fsync: false,
      reflogPolicy(name, reflogExists) {
        asked.push([name, reflogExists()]);
        return name === 'refs/tags/yes';
      },
    });
    await store.transaction([
      { type: 'create', ref: 'refs/tags/yes', newOid: OID },
      { type: 'create', ref: 'refs/remotes/no', newOid: OID },
    ]);
    expect(asked).toEqual([
      ['refs/remotes/no', false],
      ['refs/tags/yes', false],
    ]);
    expect(store.hasReflog('refs/tags/yes')).toBe(true);
    expect(store.hasReflog('refs/remotes/no')).toBe(false);
  });

  it('waits for the lock as long as the option says, rather than the setting', async () => {
    configure('[reftable]\nlockTimeout = -1\n');
    const lock = join(gitDir, 'reftable/tables.list.lock');
    writeFileSync(lock, '');
    using store = openRefStore(gitDir, { env: ENV, lockTimeout: 0 });
    const update = { type: 'create', ref: 'refs/tags/new', newOid: OID } as const;
    await expect(store.transaction([update])).rejects.toMatchObject({ code: 'LOCKED', file: lock });
  });
});
