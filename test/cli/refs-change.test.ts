// refs create, delete, update and rename, which came with Git 2.56, change what update-ref and branch -m of an
// older Git change, and refuse what theirs refuse.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openRefStore } from '../../src/index.ts';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildCommandLine, reftable } from './command-line.ts';
import { makeOriginal, type Original } from './twins.ts';

beforeAll(buildCommandLine);

describe.each(['sha1', 'sha256'] as const)('%s', (objectFormat) => {
  describeWithGit('changing one ref', () => {
    let original: Original;
    beforeAll(() => {
      original = makeOriginal(objectFormat);
      git.output(['symbolic-ref', 'refs/circle', 'refs/circle'], { cwd: original.path });
    });

    function stateOf(path: string) {
      using store = openRefStore(join(path, '.git'));
      const refs = [...store.refs({ includeRoot: true })].map(
        ({ name, oid, target }) => `${name} ${oid ?? target}`,
      );
      const logs = [...store.reflogNames()].map((name) => [
        name,
        ...[...store.reflog(name)].map(({ oldOid, newOid, message }) => [oldOid, newOid, message]),
      ]);
      return { refs, logs };
    }

    function copy(): string {
      const path = join(temporaryFolder(), 'copy');
      cpSync(original.path, path, { recursive: true });
      return path;
    }

    /** Words that stand for the object ids of the original. */
    function fill(line: string): string[] {
      const ids: Record<string, string> = {
        A: original.first,
        B: original.second,
        ZERO: '0'.repeat(original.first.length),
      };
      return line.split(' ').map((word) => ids[word] ?? word);
    }

    it.each([
      ['create refs/heads/new A', 'update-ref refs/heads/new A ZERO'],
      ['create refs/tags/new B', 'update-ref refs/tags/new B ZERO'],
      ['create --create-reflog refs/tags/new B', 'update-ref --create-reflog refs/tags/new B ZERO'],
      ['create --message=why refs/heads/new main', 'update-ref -m why refs/heads/new main ZERO'],
      ['update refs/heads/main A', 'update-ref refs/heads/main A'],
      ['update refs/heads/main A B', 'update-ref refs/heads/main A B'],
      ['update --message why HEAD A', 'update-ref -m why HEAD A'],
      ['update --no-deref HEAD A', 'update-ref --no-deref HEAD A'],
      ['update refs/heads/both ZERO', 'update-ref refs/heads/both ZERO'],
      ['update refs/heads/new A ZERO', 'update-ref refs/heads/new A ZERO'],
      ['delete refs/heads/both', 'update-ref -d refs/heads/both'],
      ['delete refs/heads/both A', 'update-ref -d refs/heads/both A'],
      ['delete refs/heads/alias', 'update-ref -d refs/heads/alias'],
      ['delete --no-deref refs/heads/alias', 'update-ref --no-deref -d refs/heads/alias'],
      ['rename refs/heads/both refs/heads/fresh', 'branch -m both fresh'],
    ])('refs %s is %s', (ours, theirs) => {
      const [ofGit, own] = [copy(), copy()];
      expect(git.run(fill(theirs), { cwd: ofGit })).toMatchObject({ code: 0 });
      const result = reftable(['refs', ...fill(ours)], { cwd: own });
      expect(result).toMatchObject({ code: 0, stdout: '', stderr: '' });
      const message = ours.startsWith('rename') ? /^Branch: renamed.*/ : undefined;
      const expected = JSON.parse(
        JSON.stringify(stateOf(ofGit), (_, value) =>
          message?.test(value) ? '' : (value as unknown),
        ),
      );
      expect(stateOf(own)).toEqual(expected);
    });

    it.each([
      ['create', 129, 'usage: create requires reference name and an object ID'],
      ['create a b c', 129, 'usage: create requires reference name and an object ID'],
      ['create refs/heads/new nothing', 128, "fatal: invalid object ID: 'nothing'"],
      ['create refs/heads/new ZERO', 128, 'fatal: cannot create reference with null new object ID'],
      [
        'create refs/heads/main A',
        1,
        "error: update_ref failed for ref 'refs/heads/main': cannot lock ref 'refs/heads/main': reference already exists",
      ],
      [
        'create --message= refs/heads/new A',
        128,
        'fatal: refusing to perform update with empty message',
      ],
      [
        'update refs/heads/main',
        129,
        'usage: update requires reference name, new value and an optional old value',
      ],
      ['update refs/heads/main nothing', 128, "fatal: invalid new object ID: 'nothing'"],
      ['update refs/heads/main A nothing', 128, "fatal: invalid old object ID: 'nothing'"],
      [
        'update refs/heads/a..b A',
        1,
        "error: update_ref failed for ref 'refs/heads/a..b': refusing to update ref with bad name 'refs/heads/a..b'",
      ],
      ['delete', 129, 'usage: delete requires reference name and an optional old object ID'],
      ['delete refs/heads/main nothing', 128, "fatal: invalid old object ID: 'nothing'"],
      [
        'delete refs/heads/main ZERO',
        128,
        'fatal: cannot delete reference with null old object ID',
      ],
      ['rename refs/heads/main', 129, 'usage: rename requires old and new reference name'],
      ['rename main refs/heads/new', 128, "fatal: invalid ref format: 'main'"],
      ['rename refs/heads/main new', 128, "fatal: invalid ref format: 'new'"],
      [
        'rename refs/heads/nothing refs/heads/new',
        128,
        "fatal: reference does not exist: 'refs/heads/nothing'",
      ],
      ['rename refs/circle refs/new', 128, "fatal: reference does not exist: 'refs/circle'"],
      [
        'rename refs/heads/main refs/heads/both',
        128,
        "fatal: reference already exists: 'refs/heads/both'",
      ],
      [
        'rename refs/heads/both refs/heads/main/sub',
        1,
        "error: 'refs/heads/main' exists; cannot create 'refs/heads/main/sub'",
      ],
      ['migrate --ref-format=reftable', 255, "error: repository already uses 'reftable' format"],
    ])('refs %s is refused', (line, code, message) => {
      const path = copy();
      const before = stateOf(path);
      const result = reftable(['refs', ...fill(line)], { cwd: path });
      expect(result).toMatchObject({ code, stdout: '', stderr: `${message}\n` });
      expect(stateOf(path)).toEqual(before);
    });
  });
});
