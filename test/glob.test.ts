// Globs match as Git's do: each pattern finds the refs that `git for-each-ref` finds with it.

import { beforeAll, describe, expect, it } from 'vitest';
import { encodeText } from '../src/format/text.ts';
import { Glob } from '../src/glob.ts';
import { describeWithGit, git } from './support/git.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const NAMES = [
  ...['refs/a', 'refs/b/a', 'refs/b/b/a', 'refs/b/c/b/a', 'refs/ab/ba', 'refs/aab/b', 'refs/B/A'],
  ...['refs/a-b/a.b', 'refs/a0/1b', 'refs/b/aXbXa', 'refs/b/ab/ab', 'refs/x/a/a/b', 'refs/é/ü'],
];

const PATTERNS = [
  ...['refs/*', 'refs/*/*', 'refs/**', 'refs/**/a', 'refs/**/b/a', 'refs/**/b/**', 'refs/b**a'],
  ...['refs/b/**a', 'refs/**b/a', '**/a', '**', '*', '*/a', 'refs/*a*b*', 'refs/b/a*a', 'refs/*/?'],
  ...[
    'refs/b/*b*a',
    'refs/**/*b/*',
    'refs/**/?b',
    'refs/?',
    'refs/??/??',
    'refs/[ab]',
    'refs/*/[!a]',
  ],
  ...['refs/[^b]*/*', 'refs/a[-0]*/*', 'refs/b[/]a', 'refs/a[!x]b/*', 'refs/[[:upper:]]/*'],
  ...[
    'refs/*/*[[:digit:]]*',
    'refs/[a-c]/[]a]',
    'refs/[a',
    'refs/[[:nope:]]*',
    'refs/\\a',
    'refs/a\\',
  ],
  ...['refs/**\\/a', 'refs/*/**/a', 'refs/**/**/a', 'refs/**/a/**/b', 'refs/?*?/*', 'refs/??/*'],
];

describeWithGit('a glob', () => {
  const path = temporaryFolder();

  beforeAll(() => {
    git.output(['init', '-q', path]);
    const commit = git.output(['commit-tree', '-m', 'one', emptyTree()], { cwd: path }).trim();
    const updates = NAMES.filter((name) => name !== 'refs/a').map(
      (name) => `create ${name} ${commit}\n`,
    );
    git.output(['update-ref', '--stdin'], {
      cwd: path,
      input: [...updates, `create refs/a ${commit}\n`].join(''),
    });
  });

  const emptyTree = () => git.output(['mktree'], { cwd: path, input: '' }).trim();

  it.each(PATTERNS)('%s', (pattern) => {
    for (const ignoreCase of [false, true]) {
      const option = ignoreCase ? ['--ignore-case'] : [];
      const args = ['for-each-ref', '--format=%(refname)', ...option, pattern];
      const found = git.output(args, { cwd: path }).split('\n').slice(0, -1);
      const glob = Glob.compile(encodeText(pattern), { ignoreCase });
      const isFound = (name: string) =>
        glob?.matches(encodeText(name)) === true || `${name}/`.startsWith(`${pattern}/`);
      expect(NAMES.filter(isFound).sort()).toEqual(found.sort());
    }
  });
});

describe('a glob', () => {
  it('with many stars is not slow where it does not match', () => {
    const glob = Glob.compile(encodeText(`${'*a'.repeat(40)}b`));
    expect(glob!.matches(encodeText('a'.repeat(2000)))).toBe(false);
    const folders = Glob.compile(encodeText(`${'**/a*/'.repeat(20)}b`));
    expect(folders!.matches(encodeText('aa/'.repeat(500)))).toBe(false);
  });

  it('lets a star cross folders where it is told to', () => {
    const matches = (pattern: string, crossesFolders: boolean) =>
      Glob.compile(encodeText(pattern), { crossesFolders })!.matches(encodeText('refs/b/c'));
    for (const pattern of ['refs/*', 'refs/b?c', 'refs/b[/]c', 'refs/*c']) {
      expect(matches(pattern, true)).toBe(true);
      expect(matches(pattern, false)).toBe(false);
    }
  });
});
