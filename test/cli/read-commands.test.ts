// The commands that only read print what Git prints.

import { beforeAll, expect, it } from 'vitest';
import { describeWithGit, git } from '../support/git.ts';
import { buildCommandLine, reftable } from './command-line.ts';
import { expectSame, makeOriginal, type Original } from './twins.ts';

let original: Original;
beforeAll(buildCommandLine);

describeWithGit('in a repository with refs of every kind', () => {
  beforeAll(() => {
    original = makeOriginal();
  });

  it.each([
    '',
    '--head',
    '--branches',
    '--heads',
    '--tags',
    '--tags --heads',
    '-d',
    '--dereference --tags',
    '-s',
    '--hash',
    '--hash=8',
    '-s8',
    '--hash=2 main',
    '--abbrev',
    '--abbrev=12 main',
    '-ds both',
    'main',
    'origin/main HEAD',
    '--head nothing',
    'nothing',
    'ain',
    'heads/main tags/v1',
    '-q main',
    '-q nothing',
    '--verify refs/heads/main',
    '--verify HEAD ORIG_HEAD',
    '--verify -d refs/tags/v1',
    '--verify main',
    '--verify -q main',
    '--verify -q refs/heads/main',
    '--verify refs/heads/dangling',
    '--verify',
    '--exists refs/heads/main',
    '--exists refs/heads/dangling',
    '--exists refs/heads/nothing',
    '--exists refs/heads/topic',
    '--exists',
    '--exists refs/heads/main refs/heads/both',
    '--verify --exists refs/heads/main',
    '--hash=x',
  ])('show-ref %s', (line) => {
    expectSame(original, ['show-ref', ...words(line)]);
  });

  it.each([
    '--format=%(refname)',
    '--format=%(refname:short)|%(symref:short)',
    '--format=%(objectname)|%(*objectname)|%(symref)',
    '--format=%(refname:lstrip=1)|%(refname:strip=2)|%(refname:lstrip=-1)|%(refname:rstrip=1)',
    '--format=%(refname:lstrip=9)|%(refname:rstrip=-2)|%(symref:lstrip=-2)',
    '--format=%41%%%zz%c3%a9%e9%(refname)%00%0a%',
    '--format=%(refname) --include-root-refs',
    '--format=%(refname) --include-root-refs --count=2',
    '--format=%(refname) --sort=-refname',
    '--format=%(refname) --sort=-refname --count=3',
    '--format=%(refname) --count=0',
    '--format=%(refname) refs/heads',
    '--format=%(refname) refs/heads/',
    '--format=%(refname) refs/head',
    '--format=%(refname) refs/heads/topic refs/tags/v1',
    '--format=%(refname) refs/heads/*',
    '--format=%(refname) refs/heads/**',
    '--format=%(refname) refs/**/one',
    '--format=%(refname) refs/**',
    '--format=%(refname) **/main',
    '--format=%(refname) refs/*/main',
    '--format=%(refname) refs/heads/[bm]*',
    '--format=%(refname) refs/heads/[!bm]*',
    '--format=%(refname) refs/tags/[[:alpha:]][[:digit:]]',
    '--format=%(refname) refs/tags/[[:alpha:]][0-9]',
    '--format=%(refname) refs/heads/[b',
    '--format=%(refname) refs/heads/b?th refs/tags/\\v1',
    '--format=%(refname) main',
    '--format=%(refname) HEAD',
    '--format=%(refname) --include-root-refs HEAD',
    '--format=%(nonsense)',
    '--format=%(refname:nonsense)',
    '--count=-1 --format=%(refname)',
    '--format=%(refname',
    '--count=some',
    '--count',
  ])('for-each-ref %s', (line) => {
    expectSame(original, ['for-each-ref', ...words(line)], { usage: true });
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

  it('writes names that are not UTF-8 as the bytes that they are', () => {
    const { path, first } = original;
    const name = Buffer.from('refs/heads/caf\xe9', 'latin1');
    const input = Buffer.concat([Buffer.from('create '), name, Buffer.from(` ${first}\n`)]);
    git.output(['update-ref', '--stdin'], { cwd: path, input });
    expectSame(original, ['show-ref']);
    const { stdoutBytes } = expectSame(original, ['for-each-ref', '--format=%(refname:short)']);
    expect(stdoutBytes.includes(Buffer.from('caf\xe9\n', 'latin1'))).toBe(true);
  });

  it('shows refs by default with everything but the type, which only the objects tell', () => {
    const expected = git
      .output(['for-each-ref'], { cwd: original.path })
      .replaceAll(/ (?:commit|tag)\t/g, '\t');
    expect(reftable(['for-each-ref'], { cwd: original.path }).stdout).toBe(expected);
    const refused = reftable(['for-each-ref', '--format=%(objecttype)'], { cwd: original.path });
    expect(refused).toMatchObject({ code: 128, stdout: '' });
    expect(refused.stderr).toMatch(/^fatal: %\(objecttype\) is not supported: /);
  });
});

/** Splits at spaces. */
function words(line: string): string[] {
  return line === '' ? [] : line.split(' ');
}
