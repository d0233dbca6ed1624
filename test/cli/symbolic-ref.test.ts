// symbolic-ref shows, sets and deletes symrefs as Git does, with its words, exit codes and reflogs, where names
// cannot be refs, symrefs dangle or go in circles, and others are in the way.

import { beforeAll, expect, it } from 'vitest';
import { describeWithGit, git } from '../support/git.ts';
import { buildCommandLine, reftable } from './command-line.ts';
import { expectSame, makeOriginal, type Original } from './twins.ts';

beforeAll(buildCommandLine);

for (const objectFormat of ['sha1', 'sha256'] as const) {
  describeWithGit(`symbolic-ref, ${objectFormat}`, () => {
    let original: Original;
    beforeAll(() => {
      original = makeOriginal(objectFormat);
      const symref = (...args: string[]) =>
        git.output(['symbolic-ref', ...args], { cwd: original.path });
      const chain = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];
      for (const [i, name] of chain.slice(0, -1).entries()) {
        symref(`refs/chain/${name}`, `refs/chain/${chain[i + 1]}`);
      }
      symref('refs/circle/self', 'refs/circle/self');
      symref('refs/circle/a', 'refs/circle/b');
      symref('refs/circle/b', 'refs/circle/a');
      symref('refs/heads/outside', 'MAIN_HEAD');
      symref('SOME_HEAD', 'refs/heads/main');
      symref('refs/remotes/other/HEAD', 'refs/remotes/other/main');
    });

    it.each([
      'HEAD',
      '--short HEAD',
      '--no-short HEAD',
      '--recurse HEAD',
      '-q HEAD',
      'refs/heads/main',
      '-q refs/heads/main',
      '--quiet --no-quiet refs/heads/main',
      'refs/heads/nothing',
      '-q refs/heads/nothing',
      'refs/heads',
      'a..b',
      '-q a..b',
      'main',
      'refs/heads/dangling',
      '--short refs/heads/dangling',
      '--short refs/heads/alias',
      '--short refs/remotes/origin/HEAD',
      '--short refs/remotes/other/HEAD',
      'refs/heads/outside',
      '--short refs/heads/outside',
      'SOME_HEAD',
      'FETCH_HEAD',
      'refs/chain/one',
      'refs/chain/two',
      'refs/chain/three',
      '-q refs/chain/one',
      '--no-recurse refs/chain/one',
      '--no-recurse refs/chain/six',
      '--no-recurse refs/heads/main',
      'refs/circle/self',
      'refs/circle/a',
      '--no-recurse refs/circle/a',
      '',
      'a b c',
      '-d',
      '-d a b',
      '--nonsense',
    ])('%s', (line) => {
      expectSame(original, ['symbolic-ref', ...line.split(' ').filter(Boolean)], { usage: true });
    });

    it.each([
      'HEAD refs/heads/both',
      'HEAD refs/heads/main',
      'HEAD refs/heads/nothing',
      'HEAD refs/tags/light',
      'HEAD refs/heads/dangling',
      '-m reason HEAD refs/heads/both',
      '-mreason HEAD refs/heads/nothing',
      '-m reason refs/heads/alias refs/heads/main',
      '-m reason refs/heads/sym refs/heads/main',
      'HEAD main',
      'HEAD HEAD',
      'HEAD refs/heads/a..b',
      'HEAD refs/',
      'refs/heads/sym main',
      'refs/heads/sym @',
      'refs/heads/sym HEAD',
      'refs/heads/sym refs/heads/sym',
      'refs/heads/main refs/heads/both',
      'refs/tags/v1 refs/heads/both',
      'refs/heads/main/sub refs/heads/both',
      'refs/heads/topic refs/heads/both',
      'refs/heads/alias/sub refs/heads/both',
      'lower refs/heads/both',
      'UPPER refs/heads/both',
      'FETCH_HEAD refs/heads/both',
      'MERGE_HEAD refs/heads/both',
      'refs/circle/c refs/circle/a',
      '-d HEAD',
      '-d refs/heads/main',
      '-d refs/heads/nothing',
      '-d a..b',
      '-d refs/heads/alias',
      '-d refs/heads/dangling',
      '-d refs/circle/self',
      '-d refs/chain/one',
      '-qd refs/heads/main',
      '--delete SOME_HEAD',
      '-d FETCH_HEAD',
      '-m reason -d refs/heads/alias',
    ])('%s changes the same', (line) => {
      expectSame(original, ['symbolic-ref', ...line.split(' ')], { usage: true });
    });

    it('folds the message, and refuses an empty one', () => {
      const said = 'two  words\nand a line ';
      expectSame(original, ['symbolic-ref', '-m', said, 'HEAD', 'refs/heads/both']);
      const refused = ['symbolic-ref', '-m', '', 'HEAD', 'refs/heads/both'];
      expect(expectSame(original, refused).code).toBe(128);
    });

    it.each(['refs/heads/a..b', 'refs/heads/a b'])(
      'does not make %j, which Git cannot read',
      (name) => {
        const made = reftable(['symbolic-ref', name, 'refs/heads/main'], { cwd: original.path });
        expect(made).toMatchObject({
          code: 1,
          stderr: `error: refusing to update ref with bad name '${name}'\n`,
        });
      },
    );

    it.each(['nonsense', '1700000000 +9x'])('reads the committer date %j', (GIT_COMMITTER_DATE) => {
      const args = ['symbolic-ref', 'refs/heads/alias', 'refs/heads/main'];
      expectSame(original, args, { env: { GIT_COMMITTER_DATE } });
    });

    it('refuses names with spaces and controls', () => {
      expectSame(original, ['symbolic-ref', 'refs/heads/sym', 'refs/heads/a b']);
      expectSame(original, ['symbolic-ref', 'refs/heads/a\tb']);
      expectSame(original, ['symbolic-ref', '']);
    });
  });
}
