// The options before the command do what Git's do, and what is wrong with them is said in the same words.

import { appendFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildCommandLine, reftable } from './command-line.ts';
import { expectSame, makeOriginal, type Original } from './twins.ts';

beforeAll(buildCommandLine);

describe('-c', () => {
  it('is missed with how to call', () => {
    expect(reftable(['-c'])).toMatchObject({ code: 129, stdout: '' });
    expect(reftable(['-c']).stderr).toMatch(/^-c expects a configuration string\nusage: /);
    expect(reftable(['--config-env']).stderr).toMatch(
      /^no config key given for --config-env\nusage: /,
    );
  });
});

describeWithGit('beside Git', () => {
  let original: Original;
  beforeAll(() => {
    original = makeOriginal();
    mkdirSync(join(original.path, 'sub/folder'), { recursive: true });
  });

  it.each([
    ['foo'],
    ['=x'],
    [''],
    ['a.b.'],
    ['.b=1'],
    ['a.1b=1'],
    ['a_b.c=1'],
    ['a.b\nc.d=1'],
    ['a.b-\u00fc=3'],
    ['a.b'],
    ["a.it's!.b=it's!"],
    ['a.b=c=d'],
    ['reftable.blockSize=x'],
    ['reftable.blockSize'],
  ])('-c %j', (setting) => {
    expectSame(original, ['-c', setting, 'show-ref', 'main']);
  });

  it.each([['x'], ['a.b='], ['a.b=NOPE'], ['a.b=HOME'], ['ab=HOME'], ['a.=.b=HOME']])(
    '--config-env %j',
    (setting) => {
      expectSame(original, ['--config-env', setting, 'show-ref', 'main']);
      expectSame(original, [`--config-env=${setting}`, 'show-ref', 'main']);
    },
  );

  it.each([
    [['-c', 'core.logAllRefUpdates=always']],
    [['-c', 'core.logAllRefUpdates=always', '-c', 'core.logAllRefUpdates=0']],
    [['--config-env=core.logAllRefUpdates=GIT_COMMITTER_NAME']],
    [['--bare', '--git-dir=.git']],
    [['--git-dir=.git']],
    [['--git-dir', '.git', '--work-tree', '.']],
    [['--work-tree=sub']],
    [['-C', 'sub', '-C', 'folder', '-C', '']],
    [['-C', 'sub', '--git-dir', '../.git']],
    [['-C', 'nowhere']],
    [['--git-dir=nowhere']],
    [['--git-dir=.git', '--bare', '-c', 'core.bare=false']],
  ])('%j', (options) => {
    expectSame(original, [...options, 'update-ref', 'refs/tags/new', original.first]);
    expectSame(original, [...options, 'update-ref', 'refs/heads/new', original.first]);
  });

  it('adds to the settings that a process was started with', () => {
    const env = { GIT_CONFIG_PARAMETERS: "'core.logAllRefUpdates'='always'" };
    const args = ['update-ref', 'refs/tags/new', original.first];
    expectSame(original, args, { env });
    expectSame(original, ['-c', 'core.logAllRefUpdates=false', ...args], { env });
  });

  it('names the files of the repository as Git came to them', () => {
    const broken = '[reftable]\n\tblockSize = x\n';
    const folder = temporaryFolder();
    const repository = join(folder, 'repo');
    cpSync(original.path, repository, { recursive: true });
    appendFileSync(join(repository, '.git/config'), broken);
    mkdirSync(join(folder, 'apart'));
    writeFileSync(join(folder, 'apart/.git'), 'gitdir: ../repo/.git\n');
    const cases: [cwd: string, args: string[], env?: Record<string, string>][] = [
      ['repo', []],
      ['repo/sub/folder', []],
      ['repo/.git', []],
      ['repo/.git/refs', []],
      ['apart', []],
      ['.', ['-C', 'repo/sub']],
      ['.', ['--git-dir=repo/.git']],
      ['.', ['--git-dir', join(repository, '.git')]],
      ['.', ['--git-dir', 'apart/.git']],
      ['repo/sub', ['--git-dir=../.git']],
      ['repo/sub', ['--git-dir=../.git', '--work-tree=..']],
      ['repo/sub', ['--git-dir=../.git', '--work-tree=folder']],
      ['repo/sub', [], { GIT_WORK_TREE: '..' }],
      ['repo', [], { GIT_WORK_TREE: '.' }],
      ['repo', [], { GIT_DIR: '.git', GIT_WORK_TREE: 'sub' }],
      ['repo', ['--bare', '--git-dir=.git']],
      ['repo/.git', ['--bare']],
    ];
    for (const [cwd, args, env] of cases) {
      const options = { cwd: join(folder, cwd), env };
      const { code, stderr } = git.run([...args, 'show-ref'], options);
      expect(code).toBe(128);
      expect(reftable([...args, 'show-ref'], options)).toMatchObject({ code, stderr, stdout: '' });
    }
  });

  it.each([
    ['', []],
    ['', ['--git-dir=.']],
    ['bare', []],
    ['bare', ['--work-tree=.']],
    ['bare = false', []],
    ['bare = false', ['--bare']],
    ['worktree = ..', []],
    ['worktree = ..', ['--git-dir=.']],
    ['worktree = ..', ['--bare']],
    ['worktree = ..\nbare', []],
  ])('logs where there is a work tree: %j %j', (setting, options) => {
    const folder = temporaryFolder();
    const ref = 'refs/heads/new';
    const isLogged = (program: typeof reftable, name: string) => {
      const cwd = join(folder, name);
      cpSync(join(original.path, '.git'), cwd, { recursive: true });
      const extensions = '[extensions]\nrefStorage = reftable\n';
      const config = `${extensions}[core]\nrepositoryFormatVersion = 1\n${setting}\n`;
      writeFileSync(join(cwd, 'config'), config);
      expect(program([...options, 'update-ref', ref, original.first], { cwd }).code).toBe(0);
      return git.run(['--git-dir=.', 'reflog', 'exists', ref], { cwd }).code;
    };
    expect(isLogged(reftable, 'ours')).toBe(isLogged(git.run, 'git'));
  });

  it('knows no option by the beginning of its name', () => {
    const { code } = git.run(['--git-di', '.git', 'show-ref'], { cwd: original.path });
    expect(reftable(['--git-di', '.git', 'show-ref'], { cwd: original.path }).code).toBe(code);
  });

  it.each([
    ['--namespace=space'],
    ['--namespace', 'space'],
    ['--no-pager', '-P', '--no-optional-locks', '--no-replace-objects', '--no-lazy-fetch'],
    ['--no-advice', '--literal-pathspecs', '--no-literal-pathspecs'],
    ['--glob-pathspecs'],
    ['--noglob-pathspecs', '--icase-pathspecs'],
  ])('%s changes nothing about refs', (...options) => {
    expectSame(original, [...options, 'update-ref', 'refs/heads/new', original.first]);
    expectSame(original, [...options, 'show-ref', '--head']);
  });

  it.each([
    ['-C'],
    ['--git-dir'],
    ['--work-tree'],
    ['--namespace'],
    ['--nonsense'],
    ['--git-di=x'],
  ])('%s is refused', (option) => {
    expectSame(original, [option], { usage: true });
  });
});
