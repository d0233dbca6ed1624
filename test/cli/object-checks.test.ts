// What refs are pointed at: missing objects and branches that are no commits are refused as Git refuses them, and
// what tags stand for is stored where Git finds it, in both hash formats.

import { beforeAll, describe, expect, it } from 'vitest';
import { describeWithGit, git } from '../support/git.ts';
import { buildCommandLine } from './command-line.ts';
import { expectSame, makeOriginal, type Original } from './twins.ts';

interface Objects extends Original {
  blob: string;
  tree: string;
  /** A tag of `tag`, and one of a blob. */
  nested: string;
  ofBlob: string;
  missing: string;
}

function makeObjects(objectFormat: 'sha1' | 'sha256'): Objects {
  const original = makeOriginal(objectFormat);
  const { path } = original;
  const run = (args: string[], input = '') => git.output(args, { cwd: path, input }).trim();
  const blob = run(['hash-object', '-w', '--stdin'], 'a blob\n');
  run(['tag', '-m', 'nested', 'nested', 'v1']);
  run(['tag', '-m', 'of a blob', 'of-blob', blob]);
  const [nested, ofBlob] = run(['rev-parse', 'nested', 'of-blob']).split('\n');
  run(['tag', '-d', 'nested', 'of-blob']);
  return {
    ...original,
    ...{ blob, nested: nested!, ofBlob: ofBlob! },
    tree: run(['rev-parse', 'HEAD^{tree}']),
    missing: 'd'.repeat(original.first.length),
  };
}

beforeAll(buildCommandLine);

describeWithGit('objects that refs are pointed at', () => {
  describe.each(['sha1', 'sha256'] as const)('in %s', (objectFormat) => {
    let objects: Objects;
    beforeAll(() => {
      objects = makeObjects(objectFormat);
    });

    const names = ['blob', 'tree', 'tag', 'nested', 'ofBlob', 'missing', 'first'] as const;
    const refs = [
      'refs/heads/new',
      'refs/tags/new',
      'refs/heads/main',
      'HEAD',
      'refs/x',
      'NEW_HEAD',
    ];
    const cases = names.flatMap((name) => refs.map((ref) => [ref, name] as const));

    it.each(cases)('are checked: %s to %s', (ref, name) => {
      expectSame(objects, ['update-ref', ref, objects[name]]);
    });

    it.each([
      ['update refs/heads/a FIRST\nbogus\n'],
      ['update refs/heads/both SECOND MISSING\n'],
      ['update refs/heads/both MISSING MISSING\n'],
      ['verify refs/heads/both MISSING\n'],
      ['delete refs/heads/both MISSING\n'],
      ['symref-create refs/heads/s refs/heads/none\ncreate refs/heads/a FIRST\n'],
      ['create refs/tags/a TAG\ncreate refs/tags/b NESTED\ncreate refs/tags/c OFBLOB\n'],
      ['option no-deref\nupdate HEAD TAG\n'],
      ['option no-deref\nupdate refs/heads/alias BLOB\n'],
      ['update refs/remotes/origin/HEAD BLOB\n'],
    ])('are checked in the order of the commands: %j', (commands) => {
      const input = commands.replace(/[A-Z]{3,}/g, (word) => {
        if (word === 'HEAD') return word;
        const name = word === 'OFBLOB' ? 'ofBlob' : word.toLowerCase();
        return objects[name as keyof Objects];
      });
      expectSame(objects, ['update-ref', '--stdin'], { input });
      expectSame(objects, ['update-ref', '--batch-updates', '--stdin'], { input });
    });

    it('are found in the folders that the repository borrows from', () => {
      const borrower = `${objects.path}-borrower-${objectFormat}`;
      git.output(['clone', '-q', '--shared', '--ref-format=reftable', objects.path, borrower]);
      const borrowing = { ...objects, path: borrower };
      expectSame(borrowing, ['update-ref', 'refs/heads/new', objects.first]);
      expectSame(borrowing, ['update-ref', 'refs/heads/new', objects.missing]);
      expectSame(borrowing, ['update-ref', 'refs/tags/new', objects.nested]);
    });

    it('tell Git what tags stand for', () => {
      const { path, nested, blob, first, tag } = objects;
      expectSame(objects, ['update-ref', '--stdin'], {
        input: `create refs/tags/n ${nested}\nupdate HEAD ${first}\ncreate refs/x ${tag}\n`,
      });
      expect(git.output(['cat-file', '-t', blob], { cwd: path })).toBe('blob\n');
    });
  });
});
