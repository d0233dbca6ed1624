// check-ref-format accepts and refuses the names that Git does, at every edge of the rules.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildCommandLine, reftable } from './command-line.ts';
import { makeLogs } from './logged-repository.ts';

beforeAll(buildCommandLine);

function expectSame(args: readonly string[], cwd = temporaryFolder()): void {
  const shown = ({ code, stdout, stderr }: ReturnType<typeof git.run>) => ({
    code,
    stdout: stdout.replace(/^usage: .*/s, 'usage'),
    stderr: stderr.replace(/^usage: .*/s, 'usage'),
  });
  const command = ['check-ref-format', ...args];
  expect(shown(reftable(command, { cwd }))).toEqual(shown(git.run(command, { cwd })));
}

describeWithGit('check-ref-format', () => {
  it.each([
    'refs/heads/main',
    'heads/main',
    'main',
    'a/b/c/d/e',
    '@',
    'refs/@',
    '@/@',
    'refs/a@b',
    'refs/heads/@{1}',
    'refs/heads/a@{',
    'refs/heads/a{',
    'refs/heads/..',
    'refs/heads/a..b',
    'refs/heads/a.b',
    'refs/heads/.a',
    'refs/.heads/a',
    'refs/heads/a.',
    'refs/heads./a',
    'refs/heads/a.lock',
    'refs/heads.lock/a',
    'refs/heads/a.lockx',
    'refs/heads/.lock',
    'refs/heads/lock',
    'refs//heads',
    '/refs/heads',
    'refs/heads/',
    'refs/heads/-a',
    '--',
    'refs/héads/ÿ',
    'refs/heads/a b',
    'refs/heads/a\tb',
    'refs/heads/a\x7fb',
    'refs/heads/a~b',
    'refs/heads/a^b',
    'refs/heads/a:b',
    'refs/heads/a?b',
    'refs/heads/a[b',
    'refs/heads/a]b',
    'refs/heads/a\\b',
    'refs/heads/*',
    'refs/*/a*',
    'refs/heads/a*b',
    'refs/heads/*.lock',
    'refs/heads/.*',
    'refs/heads/a*..',
    '*',
    '',
  ])('%j', (name) => {
    const folder = temporaryFolder();
    expectSame([name], folder);
    expectSame(['--allow-onelevel', name], folder);
    expectSame(['--refspec-pattern', name], folder);
    expectSame(['--branch', name], folder);
  });

  it.each([
    ['--normalize', '//refs///heads//a'],
    ['--print', '/refs/heads/a/'],
    ['--normalize', '///'],
    ['--normalize', '/main'],
    ['--normalize', '--allow-onelevel', '/main'],
    ['--allow-onelevel', '--no-allow-onelevel', 'main'],
    ['--no-allow-onelevel', '--allow-onelevel', 'main'],
    ['--refspec-pattern', '--allow-onelevel', '*'],
    ['--refspec-pattern', '--normalize', 'refs//*'],
    ['--allow', 'main'],
    ['--nonsense', 'refs/heads/main'],
    ['refs/heads/main', '--normalize'],
    ['refs/heads/main', 'refs/heads/other'],
    ['--branch'],
    ['--branch', 'a', 'b'],
    ['--normalize', '--branch', 'a'],
    ['--branch', '-a'],
    ['--branch', 'HEAD'],
    ['--branch', '@{-1}'],
    ['--branch', 'refs/heads/a'],
    ['-h'],
    ['--help-all'],
    ['-h', 'a'],
    [],
  ])('%j', (...args) => {
    expectSame(args);
  });

  it('works outside of repositories, and in broken ones', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, '.git'));
    expectSame(['refs/heads/main'], folder);
    expectSame(['--branch', 'main'], folder);
  });

  it('tells of a branch that was checked out, and of one that another is based on', () => {
    const { path } = makeLogs('sha1');
    for (const branch of [
      ...['@{-1}', '@{-2}', '@{-9}', '@{-0}', '@{-1}x', '@{-2}@{u}', '@{u}', 'main@{u}', '@'],
      ...['side@{u}', 'side@{Upstream}', 'both@{u}', 'nosuch@{u}', 'HEAD@{u}', '@{0}', 'main@{1}'],
    ]) {
      expectSame(['--branch', branch], path);
    }
  });
});
