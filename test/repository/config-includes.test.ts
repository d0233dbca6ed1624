// Files that a configuration includes are read as Git reads them: which, in what order, and what is said of
// those that cannot be.

import * as fs from 'node:fs';
import { appendFileSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { RefError } from '../../src/errors.ts';
import { readConfig } from '../../src/repository/config-layers.ts';
import { openRefStore } from '../../src/repository/open-ref-store.ts';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

vi.mock('node:fs', { spy: true });

/** Files by their paths; `ROOT` in a text stands for the folder that they are in. */
type Files = Record<string, string>;

describeWithGit('beside the files that Git includes', () => {
  let root: string;
  let repository: string;
  let gitDir: string;

  beforeEach(() => {
    root = temporaryFolder();
    repository = join(root, 'real/repo');
    gitDir = join(repository, '.git');
    git.output(['init', '-q', '--ref-format=reftable', repository]);
    mkdirSync(join(root, 'home'));
    symlinkSync(join(root, 'real'), join(root, 'link'));
  });

  function write(files: Files): void {
    for (const [name, text] of Object.entries(files)) {
      const path = join(root, name);
      mkdirSync(dirname(path), { recursive: true });
      appendFileSync(path, text.replaceAll('ROOT', root));
    }
  }

  const environment = () => ({ HOME: join(root, 'home'), GIT_CONFIG_GLOBAL: undefined });

  /** What we read, or how we end. */
  function ours(env: Record<string, string | undefined> = {}, dir = gitDir): string {
    try {
      const config = readConfig(dir, {
        env: { GIT_CONFIG_NOSYSTEM: '1', ...environment(), ...env },
        shownAs: dir === gitDir ? '.git' : dir,
      });
      return config.entries
        .map(({ key, value, file }) => {
          const origin = file === undefined ? 'command line:' : `file:${file}`;
          return `${origin}\0${key}${value === null ? '' : `\n${value}`}\0`;
        })
        .join('');
    } catch (error) {
      const { message, cause } = error as RefError;
      return `${cause instanceof RefError ? `error: ${cause.message}\n` : ''}fatal: ${message}\n`;
    }
  }

  function ofGit(env: Record<string, string | undefined> = {}, cwd = repository): string {
    const { code, stdout, stderr } = git.run(['config', '--list', '--show-origin', '-z'], {
      cwd,
      env: { ...environment(), GIT_CONFIG_COUNT: undefined, ...env },
    });
    return code === 0 ? stdout : stderr;
  }

  const INCLUDED = '[a]\nb = included\n';
  const LOCAL = 'real/repo/.git/config';
  const when = (condition: string) => `[includeIf "${condition}"]\npath = ROOT/x\n[a]\nb = local\n`;

  const scenarios: [string, Files][] = [
    [
      'a file beside the including one',
      { [LOCAL]: '[include]\npath = x\n[a]\nb=1\n', 'real/repo/.git/x': INCLUDED },
    ],
    ['a file in a folder above', { [LOCAL]: '[include]\npath = ../../x\n', 'real/x': INCLUDED }],
    ['a file below the home folder', { [LOCAL]: '[include]\npath = ~/x\n', 'home/x': INCLUDED }],
    ['a file of root', { [LOCAL]: '[include]\npath = ~root/there/is/none\n' }],
    ['a file that is missing', { [LOCAL]: '[include]\npath = x\npath = ROOT/y/z\n' }],
    [
      'several, in several files',
      {
        [LOCAL]: '[include]\npath = x\npath = ROOT/y\n[c]\nd\n',
        'real/repo/.git/x': INCLUDED,
        y: '[include]\npath = home/z\n',
        'home/z': '[z]\nz = z\n',
      },
    ],
    ['in the file of the user', { 'home/.gitconfig': '[include]\npath = x\n', 'home/x': INCLUDED }],
    ['nobody', { [LOCAL]: '[include]\npath = ~nobody-of-this-name/x\n' }],
    ['no path', { [LOCAL]: '[include]\npath\n' }],
    ['a folder', { [LOCAL]: '[include]\npath = ROOT/home/\n' }],
    [
      'a file that is broken',
      { [LOCAL]: '[include]\npath = x\n', 'real/repo/.git/x': '[a]\nb = 1\n[broken\n' },
    ],
    ['itself', { [LOCAL]: '[include]\npath = config\n' }],
    [
      'one another',
      {
        [LOCAL]: '[include]\npath = x\n',
        'real/repo/.git/x': '[include]\npath = ROOT/y\n',
        y: `[include]\npath = real/repo/.git/x\n`,
      },
    ],
    ['ten in a row', { [LOCAL]: '[include]\npath = ROOT/1\n', ...chain(10) }],
    ['eleven in a row', { [LOCAL]: '[include]\npath = ROOT/1\n', ...chain(11) }],
    [
      'what says nothing of a path',
      { [LOCAL]: '[include]\nother = x\n[includeIf "gitdir:**"]\nother = x\n' },
    ],
    ['an unknown condition', { [LOCAL]: when('phase:moon'), x: INCLUDED }],
    ['no condition', { [LOCAL]: '[includeIf]\npath = ROOT/x\n', x: INCLUDED }],
    ['a condition and no path', { [LOCAL]: '[includeIf "gitdir:**"]\npath\n' }],
    ...[
      'ROOT/real/repo/.git',
      'ROOT/link/repo/.git',
      'ROOT/real/',
      'ROOT/real/repo',
      'ROOT/real/*/.git',
      'ROOT/*/.git',
      'ROOT/**/.git',
      'repo/.git',
      'repo/',
      'REPO/',
      '**/.git',
      '*',
      '.git',
      './',
      './.git',
      '../',
      '~/../real/',
      '~/',
      'real/[q-s]epo/.git',
      '/',
      'ROOT/real/repo/.git/',
    ].flatMap((glob): [string, Files][] =>
      ['gitdir', 'gitdir/i'].map((kind) => [
        `${kind}:${glob}`,
        { [LOCAL]: when(`${kind}:${glob}`), x: INCLUDED },
      ]),
    ),
    [
      'gitdir:./ in the file of the user',
      { 'home/.gitconfig': when('gitdir:./../real/'), x: INCLUDED },
    ],
    [
      'gitdir:./ next to the repository',
      { 'real/y': when('gitdir:./repo/'), [LOCAL]: '[include]\npath = ROOT/real/y\n', x: INCLUDED },
    ],
    ...['main', 'm*', 'other', 'topic/', 'ma', 'MAIN', '**'].map((glob): [string, Files] => [
      `onbranch:${glob}`,
      { [LOCAL]: when(`onbranch:${glob}`), x: INCLUDED },
    ]),
    ...['https://example.com/**', 'https://*/x', '*', '**', 'nothing'].map(
      (glob): [string, Files] => [
        `hasconfig:remote.*.url:${glob}`,
        {
          'home/.gitconfig': when(`hasconfig:remote.*.url:${glob}`),
          x: INCLUDED,
          [LOCAL]: '[remote "o"]\nurl = https://example.com/x\n[remote]\nurl = nothing\n',
        },
      ],
    ),
    [
      'hasconfig of a remote in an included file',
      {
        [LOCAL]: `${when('hasconfig:remote.*.url:u')}[include]\npath = ROOT/y\n`,
        x: INCLUDED,
        y: '[remote "o"]\nurl = u\n',
      },
    ],
    [
      'a remote in a file that is there for a remote',
      { [LOCAL]: when('hasconfig:remote.*.url:u'), x: '[remote "o"]\nurl = u\n' },
    ],
    [
      'a remote in any conditional file',
      {
        [LOCAL]: `[includeIf "gitdir:**"]\npath = ROOT/y\n${when('hasconfig:remote.*.url:u')}`,
        x: INCLUDED,
        y: '[remote "o"]\nurl = u\n',
      },
    ],
    [
      'the worktree in its own file',
      {
        [LOCAL]: '[extensions]\nworktreeConfig\n',
        'real/repo/.git/config.worktree': '[include]\npath = x\n',
        'real/repo/.git/x': INCLUDED,
      },
    ],
    [
      'an extension, which does not count there',
      {
        [LOCAL]: '[include]\npath = x\n',
        'real/repo/.git/x': '[extensions]\nworktreeConfig\n',
        'real/repo/.git/config.worktree': INCLUDED,
      },
    ],
  ];

  function chain(length: number): Files {
    const files: Files = { [length]: INCLUDED };
    for (let i = 1; i < length; i++) files[i] = `[include]\npath = ${i + 1}\n`;
    return files;
  }

  it.each(scenarios)('%s', (_, files) => {
    write(files);
    // Git tells of a folder in a warning.
    expect(ours().replace('error: unable', 'warning: unable')).toBe(ofGit());
  });

  it('from the command line', () => {
    write({ x: INCLUDED });
    const parameters = [
      `'include.path'='${root}/x'`,
      "'include.path'='x'",
      "'include.path'=",
      `'include.path'='${root}/y'`,
      `'includeIf.gitdir:real/repo/.path'='${root}/x'`,
      `'include.path'='${root}'`,
    ];
    for (const parameter of parameters) {
      const env = { GIT_CONFIG_PARAMETERS: parameter };
      expect(ours(env).replace('error: unable', 'warning: unable')).toBe(ofGit(env));
    }
  });

  it('by the path that the repository was found by, and by its real one', () => {
    const dir = join(root, 'link/repo/.git');
    for (const glob of [`${root}/link/`, `${root}/real/`, `${root}/nowhere/`]) {
      writeFileSync(join(root, 'home/.gitconfig'), `[includeIf "gitdir:${glob}"]\npath = x\n`);
      writeFileSync(join(root, 'home/x'), INCLUDED);
      expect(ours({}, dir)).toBe(ofGit({ GIT_DIR: dir, GIT_WORK_TREE: dirname(dir) }));
    }
  });

  it('on the branch at the end of the symrefs, born or not', () => {
    write({ [LOCAL]: when('onbranch:topic/**'), x: INCLUDED });
    const run = (...args: string[]) => git.output(args, { cwd: repository });
    const change: [string[], boolean][] = [
      [['symbolic-ref', 'HEAD', 'refs/heads/topic/one'], true],
      [['symbolic-ref', 'refs/heads/alias', 'refs/heads/topic/two'], true],
      [['symbolic-ref', 'HEAD', 'refs/heads/alias'], true],
      [['symbolic-ref', 'refs/heads/topic/two', 'refs/heads/main'], false],
      [['symbolic-ref', 'refs/heads/main', 'refs/heads/main'], false],
      [
        [
          'update-ref',
          '--no-deref',
          'HEAD',
          run('commit-tree', '-m', 'x', run('mktree').trim()).trim(),
        ],
        false,
      ],
    ];
    for (const [args, holds] of change) {
      run(...args);
      expect(ours()).toBe(ofGit());
      expect(ours().includes('included')).toBe(holds);
    }
  });

  it('for a store, whose settings they then are', async () => {
    write({ [LOCAL]: when('onbranch:main'), x: '[core]\nlogAllRefUpdates = false\n' });
    const env = { ...environment(), GIT_CONFIG_NOSYSTEM: '1' };
    using store = openRefStore(gitDir, { env, objects: false });
    const newOid = '1'.repeat(40);
    await store.transaction([{ type: 'create', ref: 'refs/heads/topic', newOid }]);
    expect(store.hasReflog('refs/heads/topic')).toBe(false);
  });

  it('reading each once, and no stack where no condition is about the branch', () => {
    write({
      [LOCAL]: `${when('hasconfig:remote.*.url:u')}[include]\npath = ../y\n`,
      x: INCLUDED,
      'real/repo/y': INCLUDED,
    });
    vi.mocked(fs.readFileSync).mockClear();
    vi.mocked(fs.openSync).mockClear();
    ours();
    const read = vi.mocked(fs.readFileSync).mock.calls.map(([path]) => path);
    expect(new Set(read).size).toBe(read.length);
    expect(read).toContain(join(gitDir, '../y'));
    const opened = vi.mocked(fs.openSync).mock.calls.map(([path]) => path);
    expect(opened).not.toContain(join(gitDir, 'reftable/tables.list'));
  });
});

describe('a condition about the folder', () => {
  it('takes nothing in the names of the folders for special', () => {
    const root = realpathSync(temporaryFolder());
    const folder = join(root, '[x]*');
    mkdirSync(join(folder, 'repo'), { recursive: true });
    writeFileSync(join(folder, 'config'), '[includeIf "gitdir:./r*"]\npath = more\n');
    writeFileSync(join(folder, 'more'), '[a]\nb\n');
    const env = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: join(folder, 'config') };
    expect(readConfig(join(folder, 'repo'), { env }).getBoolean('a.b')).toBe(true);
  });
});
