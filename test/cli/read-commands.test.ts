// The commands that only read print what Git prints.

import { beforeAll, it } from 'vitest';
import { describeWithGit, git } from '../support/git.ts';
import { buildCommandLine } from './command-line.ts';
import { expectSame, makeOriginal, type Original } from './twins.ts';

let original: Original;
beforeAll(buildCommandLine);

describeWithGit('in a repository with refs of every kind', () => {
  beforeAll(() => {
    original = makeOriginal();
  });

  it.each([
    'HEAD',
    '--short HEAD',
    'refs/remotes/origin/HEAD',
    '--short refs/remotes/origin/HEAD',
    '--short refs/heads/alias',
    'refs/heads/dangling',
    '--no-recurse HEAD',
    'refs/heads/main',
    '-q refs/heads/main',
    'refs/heads/nothing',
    'ORIG_HEAD',
    '--delete refs/heads/main',
    '-d HEAD',
    'HEAD nothing',
    'HEAD refs/heads/..',
    '-m',
    '',
    'a b c',
    '--nonsense',
    '-x',
  ])('symbolic-ref %s', (line) => {
    expectSame(original, ['symbolic-ref', ...words(line)], { usage: true });
  });

  it.each([
    '',
    'show',
    'show main',
    'refs/heads/main',
    'show heads/main',
    '-1',
    '-n 1 HEAD',
    'show -n1',
    '--max-count=0',
    'alias',
    'topic/one',
    'ORIG_HEAD',
    '@',
    'origin',
    'nothing',
    'both',
    'refs/tags/v1',
    'v1',
    'list',
    'list more',
  ])('reflog %s', (line) => {
    expectSame(original, ['reflog', ...words(line)]);
  });

  it('tells that an unborn branch has no reflog', () => {
    const { path } = original;
    git.output(['symbolic-ref', 'HEAD', 'refs/heads/unborn'], { cwd: path });
    try {
      expectSame(original, ['reflog']);
      expectSame(original, ['for-each-ref', '--format=%(refname)', '--include-root-refs']);
      expectSame(original, ['show-ref', '--head', 'HEAD']);
    } finally {
      git.output(['symbolic-ref', 'HEAD', 'refs/heads/main'], { cwd: path });
    }
  });
});

/** Splits at spaces. */
function words(line: string): string[] {
  return line === '' ? [] : line.split(' ');
}
