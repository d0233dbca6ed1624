import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { discoverGitDir } from '../../src/repository/discover.ts';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Makes what Git takes for a repository, as `git init` would. */
function makeRepository(gitDir: string, head = 'ref: refs/heads/.invalid\n'): string {
  mkdirSync(join(gitDir, 'objects'), { recursive: true });
  mkdirSync(join(gitDir, 'refs'));
  writeFileSync(join(gitDir, 'HEAD'), head);
  return gitDir;
}

function makeFolder(...parts: string[]): string {
  const folder = join(...parts);
  mkdirSync(folder, { recursive: true });
  return folder;
}

const NOWHERE = 'not a git repository (or any of the parent directories): .git';

function refusal(message: string) {
  return expect.objectContaining({ code: 'NOT_A_REPOSITORY', message });
}

describe('discoverGitDir', () => {
  it('finds the .git folder of a parent', () => {
    const root = temporaryFolder();
    const gitDir = makeRepository(join(root, '.git'));
    const found = { gitDir, commonDir: gitDir, workTree: root, shownAs: '.git' };
    expect(discoverGitDir(root, { env: {} })).toEqual(found);
    expect(discoverGitDir(makeFolder(root, 'a/b'), { env: {} })).toEqual(found);
  });

  it('finds a bare repository, also from within', () => {
    const gitDir = makeRepository(join(temporaryFolder(), 'repo.git'));
    const found = { gitDir, commonDir: gitDir, isBare: true };
    expect(discoverGitDir(gitDir, { env: {} })).toEqual({ ...found, shownAs: '.' });
    const inside = makeFolder(gitDir, 'reftable');
    expect(discoverGitDir(inside, { env: {} })).toEqual({ ...found, shownAs: gitDir });
  });

  it.each(['ref: refs/heads/main\n', 'ref:\trefs/x', `${'0f'.repeat(20)}\n`, 'a'.repeat(64)])(
    'takes %j for a HEAD',
    (head) => {
      const gitDir = makeRepository(join(temporaryFolder(), 'x'), head);
      expect(discoverGitDir(gitDir, { env: {} }).gitDir).toBe(gitDir);
    },
  );

  it('takes a symbolic link to a ref for a HEAD, though it dangles', () => {
    const gitDir = makeRepository(join(temporaryFolder(), 'x'));
    rmSync(join(gitDir, 'HEAD'));
    symlinkSync('refs/heads/unborn', join(gitDir, 'HEAD'));
    expect(discoverGitDir(gitDir, { env: {} }).gitDir).toBe(gitDir);
  });

  it('passes over what only looks like a repository', () => {
    const root = temporaryFolder();
    const gitDir = makeRepository(join(root, '.git'));
    makeFolder(root, 'empty/.git');
    expect(discoverGitDir(join(root, 'empty'), { env: {} }).gitDir).toBe(gitDir);
    makeRepository(join(root, 'bad-head/.git'), 'hello\n');
    expect(discoverGitDir(join(root, 'bad-head'), { env: {} }).gitDir).toBe(gitDir);
    const noRefs = makeRepository(join(root, 'no-refs/.git'));
    rmSync(join(noRefs, 'refs'), { recursive: true });
    expect(discoverGitDir(join(root, 'no-refs'), { env: {} }).gitDir).toBe(gitDir);
    const headFolder = makeRepository(join(root, 'head-folder/.git'));
    rmSync(join(headFolder, 'HEAD'));
    makeFolder(headFolder, 'HEAD');
    expect(discoverGitDir(join(root, 'head-folder'), { env: {} }).gitDir).toBe(gitDir);
  });

  it('climbs from where a symbolic link leads', () => {
    const root = temporaryFolder();
    const gitDir = makeRepository(join(root, 'real/.git'));
    makeFolder(root, 'real/sub');
    symlinkSync(join(root, 'real/sub'), join(root, 'link'));
    expect(discoverGitDir(join(root, 'link'), { env: {} }).gitDir).toBe(gitDir);
  });

  it('follows a .git file', () => {
    const root = temporaryFolder();
    const gitDir = makeRepository(join(root, 'elsewhere'));
    const workTree = makeFolder(root, 'tree');
    for (const target of ['../elsewhere', gitDir, `${gitDir}\r`]) {
      writeFileSync(join(workTree, '.git'), `gitdir: ${target}\n`);
      expect(discoverGitDir(workTree, { env: {} })).toEqual({
        gitDir,
        commonDir: gitDir,
        workTree,
        shownAs: gitDir,
      });
    }
  });

  it.each([
    ['hello\n', 'invalid gitfile format: '],
    ['gitdir:x\n', 'invalid gitfile format: '],
    ['gitdir: \n', 'no path in gitfile: '],
    ['gitdir: nowhere\n', 'gitfile does not point to a valid repository: '],
  ])('refuses the .git file %j', (text, words) => {
    const root = temporaryFolder();
    const file = join(root, '.git');
    writeFileSync(file, text);
    expect(() => discoverGitDir(root, { env: {} })).toThrow(refusal(words + file));
    expect(() => discoverGitDir('/', { env: { GIT_DIR: file } })).toThrow(refusal(words + file));
  });

  it('refuses a .git file of more than a megabyte', () => {
    const root = temporaryFolder();
    const file = join(root, '.git');
    writeFileSync(file, `gitdir: ${'x'.repeat(2 ** 20)}`);
    expect(() => discoverGitDir(root, { env: {} })).toThrow(
      refusal(`too large to be a .git file: '${file}'`),
    );
  });

  it('takes GIT_DIR at its word, counted from the folder', () => {
    const root = temporaryFolder();
    const gitDir = makeRepository(join(root, 'repo.git'));
    makeRepository(join(root, '.git'));
    expect(discoverGitDir(root, { env: { GIT_DIR: 'repo.git' } })).toEqual({
      gitDir,
      commonDir: gitDir,
      workTree: root,
      shownAs: 'repo.git',
    });
    const sub = makeFolder(root, 'sub');
    expect(() => discoverGitDir(sub, { env: { GIT_DIR: 'repo.git' } })).toThrow(
      refusal("not a git repository: 'repo.git'"),
    );
  });

  it('takes GIT_WORK_TREE for the work tree', () => {
    const root = temporaryFolder();
    const gitDir = makeRepository(join(root, '.git'));
    const workTree = makeFolder(root, 'tree');
    expect(discoverGitDir(root, { env: { GIT_WORK_TREE: 'tree' } }).workTree).toBe(workTree);
    expect(discoverGitDir(gitDir, { env: { GIT_WORK_TREE: '../tree' } }).workTree).toBe(workTree);
  });

  it('takes GIT_COMMON_DIR and GIT_OBJECT_DIRECTORY for what they name', () => {
    const root = temporaryFolder();
    const commonDir = makeRepository(join(root, 'common'));
    const gitDir = makeFolder(root, 'tree/.git');
    writeFileSync(join(gitDir, 'HEAD'), 'ref: refs/heads/main\n');
    expect(discoverGitDir(join(root, 'tree'), { env: { GIT_COMMON_DIR: '../common' } })).toEqual({
      gitDir,
      commonDir,
      workTree: join(root, 'tree'),
      shownAs: '.git',
    });
    renameSync(join(commonDir, 'objects'), join(root, 'objects'));
    const env = { GIT_COMMON_DIR: commonDir, GIT_OBJECT_DIRECTORY: '../objects' };
    expect(discoverGitDir(join(root, 'tree'), { env }).commonDir).toBe(commonDir);
  });

  it('does not climb to a ceiling, but looks at the folder it starts from', () => {
    const root = temporaryFolder();
    const gitDir = makeRepository(join(root, '.git'));
    const start = makeFolder(root, 'a/b');
    symlinkSync(root, join(root, 'link'));
    const withCeiling = (path: string, folder = start) =>
      discoverGitDir(folder, { env: { GIT_CEILING_DIRECTORIES: path } });
    for (const ceiling of [root, `${root}/`, join(root, 'a'), join(root, 'link'), `:${root}`]) {
      expect(() => withCeiling(ceiling)).toThrow(refusal(NOWHERE));
    }
    for (const ceiling of ['', 'a', start, join(root, '..'), `:${join(root, 'link')}`]) {
      expect(withCeiling(ceiling).gitDir).toBe(gitDir);
    }
    expect(withCeiling(root, root).gitDir).toBe(gitDir);
  });

  it('says so when there is nothing', () => {
    const root = temporaryFolder();
    const env = { GIT_CEILING_DIRECTORIES: join(root, '..') };
    expect(() => discoverGitDir(root, { env })).toThrow(refusal(NOWHERE));
    expect(() => discoverGitDir(join(root, 'none'), { env })).toThrow(
      refusal(`cannot change to '${join(root, 'none')}': No such file or directory`),
    );
  });
});

describeWithGit('beside the folders that Git finds', () => {
  function compare(start: string, env: Record<string, string> = {}): void {
    const found = git
      .output(['rev-parse', '--path-format=absolute', '--absolute-git-dir', '--git-common-dir'], {
        cwd: start,
        env,
      })
      .trimEnd()
      .split('\n');
    const { gitDir, commonDir, workTree } = discoverGitDir(start, { env });
    // Git prints the real path, but works with the one that it was given.
    expect([realpathSync(gitDir), commonDir]).toEqual(found);
    const { stdout } = git.run(['rev-parse', '--show-toplevel'], { cwd: start, env });
    expect(workTree ?? '').toBe(stdout.trimEnd());
  }

  it('in a repository, its linked worktrees and a bare one', () => {
    const root = temporaryFolder();
    const main = join(root, 'main');
    git.output(['init', '--ref-format=reftable', main]);
    git.output(['commit', '--allow-empty', '-m', 'one'], { cwd: main });
    git.output(['worktree', 'add', join(root, 'linked')], { cwd: main });
    git.output(['clone', '--bare', main, join(root, 'bare.git')]);
    git.output(['worktree', 'add', join(root, 'of-bare'), 'main'], { cwd: join(root, 'bare.git') });
    git.output(['init', '--separate-git-dir', join(root, 'apart.git'), join(root, 'apart')]);
    mkdirSync(join(root, 'main/a/b'), { recursive: true });
    mkdirSync(join(root, 'linked/a'));
    symlinkSync(join(root, 'main/.git/worktrees/linked'), join(root, 'link-to-git-dir'));

    for (const start of ['main', 'main/a/b', 'main/.git', 'linked', 'linked/a', 'bare.git']) {
      compare(join(root, start));
    }
    compare(join(root, 'of-bare'));
    compare(join(root, 'apart'));
    compare(join(root, 'main/.git/worktrees/linked'));
    compare(root, { GIT_DIR: join(root, 'main/.git') });
    compare(root, { GIT_DIR: join(root, 'linked/.git') });
    compare(root, { GIT_DIR: join(root, 'link-to-git-dir'), GIT_WORK_TREE: 'linked' });
  });

  it('refuses in the same words', () => {
    const root = temporaryFolder();
    const env = { GIT_CEILING_DIRECTORIES: join(root, '..') };
    const words = (variables: Record<string, string>) =>
      git
        .run(['rev-parse', '--git-dir'], { cwd: root, env: variables })
        .stderr.replace(/^fatal: /, '')
        .trimEnd();
    expect(() => discoverGitDir(root, { env })).toThrow(refusal(words(env)));
    expect(() => discoverGitDir(root, { env: { GIT_DIR: 'x' } })).toThrow(
      refusal(words({ GIT_DIR: 'x' })),
    );
    writeFileSync(join(root, '.git'), 'hello\n');
    expect(() => discoverGitDir(root, { env })).toThrow(refusal(words(env)));
  });
});
