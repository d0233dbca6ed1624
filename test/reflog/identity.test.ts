import { afterEach, describe, expect, it } from 'vitest';
import { committerIdentity } from '../../src/reflog/identity.ts';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const noConfig = () => undefined;
const now = new Date(1700000000_999);

describe('committerIdentity', () => {
  it('takes GIT_COMMITTER_* first', () => {
    const identity = committerIdentity({
      env: {
        GIT_COMMITTER_NAME: 'Env',
        GIT_COMMITTER_EMAIL: 'env@example.com',
        GIT_COMMITTER_DATE: '1234567890 +0530',
      },
      config: (key) => `${key} from config`,
      now,
    });
    expect(identity).toEqual({
      name: 'Env',
      email: 'env@example.com',
      time: 1234567890,
      timezone: 330,
    });
  });

  it('takes the time from the clock, in whole seconds', () => {
    expect(committerIdentity({ env: {}, config: noConfig, now }).time).toBe(1700000000);
    expect(committerIdentity({ env: { GIT_COMMITTER_DATE: '' }, config: noConfig, now }).time).toBe(
      1700000000,
    );
  });

  it('always finds a name and an address', () => {
    const { name, email } = committerIdentity({ env: {}, config: noConfig, now });
    expect(name).not.toBe('');
    expect(email).toMatch(/^[^@]+@.+/);
  });

  // Git stores it so too, although it shows the login in its place.
  it('leaves nothing of a name that is all punctuation', () => {
    const env = { GIT_COMMITTER_NAME: ' ,;"', GIT_COMMITTER_EMAIL: '<>' };
    expect(committerIdentity({ env, config: noConfig, now })).toMatchObject({
      name: '',
      email: '',
    });
  });

  it('refuses a date that is none', () => {
    expect(() =>
      committerIdentity({ env: { GIT_COMMITTER_DATE: 'yesterday' }, config: noConfig }),
    ).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        message: 'invalid date format: yesterday',
      }),
    );
  });
});

describeWithGit('beside the committer that Git logs', () => {
  const zone = process.env.TZ;
  afterEach(() => {
    process.env.TZ = zone;
  });

  interface Case {
    env?: Record<string, string>;
    config?: Record<string, string>;
  }

  const everywhere: Case = {
    env: { GIT_COMMITTER_NAME: 'Env', GIT_COMMITTER_EMAIL: 'env@x', EMAIL: 'mail@x' },
    config: {
      'committer.name': 'Committer',
      'committer.email': 'committer@x',
      'user.name': 'User',
      'user.email': 'user@x',
    },
  };
  const cases: Case[] = [
    everywhere,
    { ...everywhere, env: { EMAIL: 'mail@x' } },
    { config: { 'user.name': 'User', 'user.email': 'user@x' }, env: { EMAIL: 'mail@x' } },
    { env: { EMAIL: 'mail@x' } },
    { env: { EMAIL: '' } },
    {},
    { env: { GIT_COMMITTER_NAME: '', GIT_COMMITTER_EMAIL: '' } },
    { config: { 'user.name': '', 'user.email': '', 'committer.name': '', 'committer.email': '' } },
    { config: { 'author.name': 'Author', 'author.email': 'author@x' } },
    { env: { GIT_COMMITTER_NAME: ' ,;Cr<u>d\n, "of" Jr.,\' ', GIT_COMMITTER_EMAIL: '<a<b>@x.>' } },
    { env: { GIT_COMMITTER_NAME: 'x', GIT_COMMITTER_EMAIL: ' ' } },
    { env: { GIT_COMMITTER_NAME: 'Zoë 😀', GIT_COMMITTER_EMAIL: 'ë@x' } },
    { config: { 'user.name': '  padded  ', 'user.email': ' padded@x ' } },
    { env: { GIT_COMMITTER_DATE: '@7 -0330' } },
    { env: { GIT_COMMITTER_DATE: '2005-04-07T22:13:13', TZ: 'America/St_Johns' } },
  ];

  it.each(cases)('%j', ({ env = {}, config = {} }) => {
    const folder = temporaryFolder();
    git.output(['init', '--ref-format=reftable', '--bare', folder]);
    const tree = git.output(['hash-object', '-t', 'tree', '-w', '--stdin'], { cwd: folder }).trim();
    const oid = git.output(['commit-tree', tree, '-m', 'one'], { cwd: folder }).trim();
    for (const [key, value] of Object.entries(config)) {
      git.output(['config', key, value], { cwd: folder });
    }
    const sources = {
      GIT_COMMITTER_NAME: undefined,
      GIT_COMMITTER_EMAIL: undefined,
      GIT_COMMITTER_DATE: '1700000000 +0100',
      ...env,
    };
    git.output(['update-ref', '--create-reflog', 'refs/heads/main', oid], {
      cwd: folder,
      env: sources,
    });
    const logged = git.output(
      ['log', '-g', '-1', '--date=raw', '--format=%gn%x00%ge%x00%gd', 'refs/heads/main'],
      { cwd: folder },
    );
    const [name, email, selector] = logged.trimEnd().split('\0');
    const [, time, hhmm] = /@\{(\d+) ([+-]\d+)\}/.exec(selector!)!;

    process.env.TZ = env.TZ ?? 'UTC';
    const identity = committerIdentity({ env: sources, config: (key) => config[key] });
    const minutes = Math.trunc(Number(hhmm) / 100) * 60 + (Number(hhmm) % 100);
    expect(identity).toEqual({ name, email, time: Number(time), timezone: minutes });
  });
});
