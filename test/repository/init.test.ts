import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { initRepository } from '../../src/repository/init.ts';
import { openRefStore } from '../../src/repository/open-ref-store.ts';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Nobody's settings. */
const ENV = { GIT_CONFIG_NOSYSTEM: '1' };

/** What only templates make: Git may be installed with or without them. */
const FROM_TEMPLATES = /^(?:branches|description|hooks.*|info.*)$/;

describe('a repository that is made', () => {
  it('has a HEAD that names the initial branch, and no other ref', async () => {
    const folder = temporaryFolder();
    const result = await initRepository(folder, { initialBranch: 'trunk', env: ENV });
    expect(result).toEqual({ gitDir: join(folder, '.git'), reinitialized: false, shared: false });
    using store = openRefStore(result.gitDir);
    expect([...store.refs({ includeRoot: true })]).toMatchObject([
      { name: 'HEAD', target: 'refs/heads/trunk' },
    ]);
    expect([...store.reflogNames()]).toEqual([]);
  });

  it('is refused, and soon, where no folder can be made', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    for (const place of [join(file, 'x'), ...(process.platform === 'linux' ? ['/proc/x'] : [])]) {
      await expect(initRepository(place, { env: ENV })).rejects.toMatchObject({ code: 'IO' });
    }
  });

  it('takes the initial branch from init.defaultBranch, else it is master', async () => {
    const branchOf = async (env: Record<string, string>) => {
      const { gitDir } = await initRepository(temporaryFolder(), { env });
      using store = openRefStore(gitDir);
      return store.read('HEAD')?.target;
    };
    expect(await branchOf(ENV)).toBe('refs/heads/master');
    const settings = join(temporaryFolder(), 'gitconfig');
    writeFileSync(settings, '[init]\n\tdefaultBranch = from/settings\n');
    expect(await branchOf({ ...ENV, GIT_CONFIG_GLOBAL: settings })).toBe(
      'refs/heads/from/settings',
    );
  });

  it('is of the object format that is asked for, by the environment or the settings', async () => {
    const formatOf = async (options: Parameters<typeof initRepository>[1]) => {
      const { gitDir } = await initRepository(temporaryFolder(), options);
      using store = openRefStore(gitDir);
      return store.objectFormat;
    };
    const env = { ...ENV, GIT_DEFAULT_HASH: 'sha256' };
    expect(await formatOf({ env: ENV })).toBe('sha1');
    expect(await formatOf({ env })).toBe('sha256');
    expect(await formatOf({ env, objectFormat: 'sha1' })).toBe('sha1');
    await expect(formatOf({ env: { ...ENV, GIT_DEFAULT_HASH: 'md5' } })).rejects.toThrow(
      "unknown hash algorithm 'md5'",
    );
  });

  it('keeps its refs when it is made again', async () => {
    const folder = temporaryFolder();
    const { gitDir } = await initRepository(folder, { initialBranch: 'trunk', env: ENV });
    const before = readdirSync(join(gitDir, 'reftable')).sort();
    const again = await initRepository(folder, { initialBranch: 'other', env: ENV });
    expect(again).toEqual({ gitDir, reinitialized: true, shared: false });
    expect(readdirSync(join(gitDir, 'reftable')).sort()).toEqual(before);
    await expect(initRepository(folder, { objectFormat: 'sha256', env: ENV })).rejects.toThrow(
      'attempt to reinitialize repository with different hash',
    );
  });

  it('is not made where the initial branch is no branch', async () => {
    const folder = temporaryFolder();
    const made = initRepository(folder, { initialBranch: 'a..b', env: ENV });
    await expect(made).rejects.toMatchObject({ code: 'BAD_NAME' });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describeWithGit('Git, in a repository that is made', () => {
  const cases = [
    { bare: false, objectFormat: 'sha1' },
    { bare: true, objectFormat: 'sha1' },
    { bare: false, objectFormat: 'sha256' },
    { bare: true, objectFormat: 'sha256' },
  ] as const;

  it.each(cases)('finds what it would have made itself: %o', async ({ bare, objectFormat }) => {
    const theirs = join(temporaryFolder(), 'git');
    const ours = join(temporaryFolder(), 'ours');
    const args = ['init', '-q', '--ref-format=reftable', `--object-format=${objectFormat}`];
    git.output([...args, '-b', 'trunk', ...(bare ? ['--bare'] : []), theirs]);
    const options = { bare, objectFormat, initialBranch: 'trunk', env: ENV };
    const { gitDir } = await initRepository(ours, options);
    expect(contents(gitDir)).toEqual(contents(bare ? theirs : join(theirs, '.git')));
  });

  it.each(cases)('has nothing to complain of and goes on: %o', async ({ bare, objectFormat }) => {
    const folder = temporaryFolder();
    await initRepository(folder, { bare, objectFormat, initialBranch: 'trunk', env: ENV });
    const options = { cwd: folder };
    expect(git.run(['refs', 'verify'], options)).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const tree = git.output(['mktree'], options).trimEnd();
    const commit = git.output(['commit-tree', '-m', 'first', tree], options).trimEnd();
    git.output(['update-ref', 'HEAD', commit], options);
    expect(git.output(['rev-parse', 'trunk'], options).trimEnd()).toBe(commit);
    expect(git.run(['fsck', '--strict'], options)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  it('is refused where refs are kept otherwise than asked for', async () => {
    const folder = temporaryFolder();
    git.output(['init', '-q', '--ref-format=files', folder]);
    await expect(initRepository(folder, { env: ENV, refFormat: 'reftable' })).rejects.toThrow(
      'attempt to reinitialize repository with different reference storage format',
    );
  });
});

/** All files by path, with their bytes as text. The names of tables have a random part. */
function contents(gitDir: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(gitDir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(gitDir.length + 1);
    if (FROM_TEMPLATES.test(path)) continue;
    const text = entry.isDirectory() ? '' : readFileSync(join(gitDir, path), 'latin1');
    const withoutRandom = (name: string) => name.replace(/-[0-9a-f]{8}\.ref/, '-RANDOM.ref');
    found[withoutRandom(path)] = withoutRandom(text);
  }
  return found;
}
