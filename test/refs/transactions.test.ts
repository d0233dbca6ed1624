// Transactions by hand, made by Git and by the library in twin repositories: the same verdict in the same
// words, the same refs and the same reflogs.

import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { TransactionOptions } from '../../src/index.ts';
import { describeWithGit } from '../support/git.ts';
import { Original, type Outcome, Twins } from './twins.ts';

let original: Original;

type Case = readonly [title: string, ...commands: string[]];

/** Expects the same of both; `undefined` for "accepted", or why it was refused. */
async function expectSame(
  twins: Twins,
  commands: readonly string[],
  options?: TransactionOptions,
): Promise<string | undefined> {
  const { expected, actual, isUnchanged } = await twins.run(commands, options);
  expect(actual).toEqual(expected);
  if (actual.error !== undefined) expect(isUnchanged).toBe(true);
  return actual.error;
}

const ACCEPTED: readonly Case[] = [
  ['a branch is created', 'create refs/heads/new A'],
  ['a tag is created', 'create refs/tags/new A'],
  ['a root ref is created', 'create FOO_HEAD A'],
  ['a name of one level is created', 'create FOO A'],
  ['an update without an old value creates', 'update refs/heads/new A'],
  ['an update that expects nothing creates', 'update refs/heads/new A ZERO'],
  ['a branch moves', 'update refs/heads/topic C'],
  ['a branch moves from its value', 'update refs/heads/topic C B'],
  ['the branch of HEAD moves', 'update refs/heads/main C'],
  ['HEAD moves its branch', 'update HEAD C'],
  ['HEAD moves its branch from its value', 'update HEAD C B'],
  ['HEAD is detached', 'no-deref update HEAD C'],
  ['HEAD is detached where its branch is', 'no-deref update HEAD B'],
  ['HEAD is detached from its value', 'no-deref update HEAD C B'],
  ['an update to the same value is none', 'update refs/heads/topic B'],
  ['nor is one from the same value', 'update refs/heads/topic B B'],
  ['one of HEAD to the same value is logged for HEAD', 'update HEAD B'],
  ['one of the branch of HEAD likewise', 'update refs/heads/main B'],
  ['a logged tag moves', 'update refs/tags/logged B'],
  ['a tag without a reflog moves', 'update refs/tags/light B'],
  ['a branch is deleted with its reflog', 'delete refs/heads/topic'],
  ['a branch is deleted at its value', 'delete refs/heads/topic B'],
  ['an update to zeros deletes', 'update refs/heads/topic ZERO B'],
  ['the branch of HEAD is deleted', 'delete refs/heads/main'],
  ['HEAD deletes its branch', 'delete HEAD'],
  ['HEAD itself is deleted', 'no-deref delete HEAD'],
  ['what is not there is deleted', 'delete refs/heads/absent'],
  ['a logged tag is deleted', 'delete refs/tags/logged'],
  ['a root ref is deleted', 'delete ORIG_HEAD A'],
  ['a value is verified', 'verify refs/heads/topic B'],
  ['the value behind a symref is verified', 'verify HEAD B'],
  ['the value that a symref has is verified', 'no-deref verify HEAD B'],
  ['absence is verified', 'verify refs/heads/absent'],
  ['absence is verified in zeros', 'verify refs/heads/absent ZERO'],
  ['a symref moves what it names', 'update refs/heads/alias C'],
  ['a symref moves it from its value', 'update refs/heads/alias C B'],
  ['a symref moves the branch of HEAD', 'update refs/heads/to-main C'],
  ['a symref deletes what it names', 'delete refs/heads/alias B'],
  ['a symref is overwritten', 'no-deref update refs/heads/alias C B'],
  ['a symref is deleted', 'no-deref delete refs/heads/alias'],
  ['a symref at its value is deleted', 'no-deref delete refs/heads/alias B'],
  ['a dangling symref creates what it names', 'create refs/heads/dangling A'],
  ['an update does too', 'update refs/heads/dangling A ZERO'],
  ['a dangling symref is overwritten', 'no-deref update refs/heads/dangling A'],
  ['a dangling symref is deleted', 'no-deref delete refs/heads/dangling'],
  ['a dangling symref deletes nothing', 'delete refs/heads/dangling'],
  ['four symrefs in a row', 'update refs/chain/4 C'],
  ['five symrefs in a row', 'update refs/chain/5 C'],
  ['six symrefs in a row', 'update refs/chain/6 C'],
  ['the fifth is overwritten', 'no-deref update refs/chain/5 C'],
  ['a circle is overwritten', 'no-deref update refs/heads/loop-a C'],
  ['a circle is opened', 'no-deref delete refs/heads/self'],
  ['a symref is created', 'no-deref symref-create refs/heads/new refs/heads/topic'],
  ['a symref to nothing is created', 'no-deref symref-create refs/heads/new refs/heads/absent'],
  ['HEAD changes branches', 'no-deref symref-update HEAD refs/heads/topic'],
  ['to one unborn', 'no-deref symref-update HEAD refs/heads/unborn'],
  ['from the one it names', 'no-deref symref-update HEAD refs/heads/topic ref refs/heads/main'],
  ['from a value', 'no-deref symref-update HEAD refs/heads/topic oid B'],
  ['a ref becomes a symref', 'no-deref symref-update refs/tags/logged refs/heads/topic oid A'],
  ['the same target is written anew', 'no-deref symref-update HEAD refs/heads/main'],
  ['the branch of HEAD becomes a symref', 'symref-update HEAD refs/heads/topic'],
  ['what a symref names becomes one', 'symref-update refs/heads/alias refs/heads/main'],
  ['a symref is deleted as such', 'no-deref symref-delete refs/heads/alias'],
  ['at its target', 'no-deref symref-delete refs/heads/alias refs/heads/topic'],
  ['a target is verified', 'no-deref symref-verify HEAD refs/heads/main'],
  ['that there is none is verified', 'no-deref symref-verify refs/heads/absent'],
  ['a name that another begins with', 'create refs/heads/dir-x A', 'create refs/heads/dir.x A'],
  [
    'many at once, out of order',
    'create refs/tags/z A',
    'update refs/heads/main C B',
    'delete refs/heads/dir/twig A',
    'verify refs/heads/topic B',
    'create refs/heads/a A',
    'no-deref symref-create refs/heads/b refs/heads/a',
  ],
  ['only verified', 'verify refs/heads/topic B', 'verify refs/heads/dir/leaf A'],
  ['a name is created beside what is verified', 'verify refs/heads/x', 'create refs/heads/y A'],
];

const REFUSED: readonly Case[] = [
  ['a branch that exists', 'create refs/heads/topic A'],
  ['a branch that exists at that value', 'create refs/heads/topic B'],
  ['a symref that resolves', 'create refs/heads/alias A'],
  ['HEAD, which exists', 'create HEAD A'],
  ['a dangling symref in its own place', 'no-deref create refs/heads/dangling A'],
  ['a symref in its own place', 'no-deref create refs/heads/alias A'],
  ['a wrong old value', 'update refs/heads/topic C A'],
  ['a wrong old value of HEAD', 'update HEAD C A'],
  ['a wrong old value of the branch of HEAD', 'update refs/heads/main C A'],
  ['a wrong old value of HEAD itself', 'no-deref update HEAD C A'],
  ['a wrong old value through a symref', 'update refs/heads/alias C A'],
  ['a wrong old value through five symrefs', 'update refs/chain/5 C A'],
  ['an old value of an absent ref', 'update refs/heads/absent C A'],
  ['an old value behind a dangling symref', 'update refs/heads/dangling C A'],
  ['an old value of a dangling symref', 'no-deref update refs/heads/dangling C A'],
  ['existence where nothing is expected', 'update refs/heads/topic C ZERO'],
  ['deletion of an absent value', 'delete refs/heads/absent A'],
  ['deletion at a wrong value', 'delete refs/heads/topic A'],
  ['deletion of a symref at a wrong value', 'no-deref delete refs/heads/alias A'],
  ['verification of a wrong value', 'verify refs/heads/topic A'],
  ['verification of absence', 'verify refs/heads/topic'],
  ['verification of a value that is absent', 'verify refs/heads/absent A'],
  ['an update in a circle', 'update refs/heads/self A'],
  ['an update in a wider circle', 'update refs/heads/loop-a A'],
  ['an old value in a circle', 'no-deref update refs/heads/loop-a A B'],
  ['an old value of too long a chain', 'no-deref update refs/chain/6 A B'],
  ['creation of a symref that exists', 'no-deref symref-create refs/heads/alias refs/heads/main'],
  ['creation of a symref for a ref', 'no-deref symref-create refs/heads/topic refs/heads/main'],
  [
    'creation of a symref for a dangling one',
    'no-deref symref-create refs/heads/dangling refs/heads/x',
  ],
  ['a wrong old target', 'no-deref symref-update HEAD refs/heads/topic ref refs/heads/other'],
  [
    'an old target of a ref',
    'no-deref symref-update refs/heads/topic refs/heads/x ref refs/heads/y',
  ],
  [
    'an old target of an absent ref',
    'no-deref symref-update refs/heads/no refs/heads/x ref refs/heads/y',
  ],
  ['a wrong old value of a symref', 'no-deref symref-update HEAD refs/heads/topic oid A'],
  ['a symref where a value was', 'no-deref symref-update HEAD refs/heads/topic oid ZERO'],
  ['a wrong target to delete', 'no-deref symref-delete refs/heads/alias refs/heads/main'],
  ['a ref to delete as a symref', 'no-deref symref-delete refs/heads/topic refs/heads/main'],
  ['a wrong target to verify', 'no-deref symref-verify HEAD refs/heads/topic'],
  ['a target of a ref to verify', 'no-deref symref-verify refs/heads/topic refs/heads/main'],
  ['a symref that must not be there', 'no-deref symref-verify HEAD'],
  ['a ref below a ref', 'create refs/heads/topic/below A'],
  ['a ref far below a ref', 'create refs/heads/topic/far/below A'],
  ['a ref where a folder is', 'create refs/heads/dir A'],
  ['a ref below a dangling symref', 'create refs/heads/dangling/below A'],
  ['what a symref names where a folder is', 'no-deref symref-create refs/heads/dir refs/heads/x'],
  ['a ref below one that is deleted', 'delete refs/heads/topic', 'create refs/heads/topic/below A'],
  ['a ref above one that is deleted', 'delete refs/heads/dir/leaf', 'create refs/heads/dir A'],
  ['two refs in each other’s way', 'create refs/heads/x A', 'create refs/heads/x/y A'],
  ['the same the other way round', 'create refs/heads/x/y A', 'create refs/heads/x A'],
  [
    'two with others between them',
    'create refs/heads/x A',
    'create refs/heads/x-y A',
    'create refs/heads/x/z A',
  ],
  [
    'a ref beside a deleted one and its folder',
    'delete refs/heads/dir/leaf',
    'create refs/heads/dir/new A',
    'create refs/heads/dir A',
  ],
  [
    'a ref beside a verified one and its folder',
    'verify refs/heads/dir/leaf A',
    'create refs/heads/dir/new A',
    'verify refs/heads/dir',
  ],
  [
    'the folder first of a ref beside a deleted one',
    'create refs/heads/dir A',
    'delete refs/heads/dir/leaf',
    'create refs/heads/dir/new A',
  ],
  ['absence verified above a new ref', 'verify refs/heads/x', 'create refs/heads/x/y A'],
  ['a ref twice', 'create refs/heads/x A', 'update refs/heads/x A'],
  ['a ref verified and updated', 'verify refs/heads/topic B', 'update refs/heads/topic C'],
  ['HEAD and its branch', 'update HEAD C', 'update refs/heads/main C'],
  ['its branch and HEAD', 'update refs/heads/main C', 'update HEAD C'],
  ['its branch and HEAD itself', 'update refs/heads/main C', 'no-deref update HEAD C'],
  [
    'its branch verified with HEAD',
    'verify refs/heads/main',
    'no-deref symref-update HEAD refs/heads/topic',
  ],
  ['a symref and what it names', 'update refs/heads/alias C', 'update refs/heads/topic C'],
  ['two ways to one ref', 'update refs/chain/1 C', 'update refs/heads/alias C'],
  ['the first reason of two', 'update refs/heads/topic C A', 'create refs/heads/dir A'],
  ['the reason that Git finds first', 'create refs/heads/dir A', 'update refs/heads/topic C A'],
  [
    'a wrong old value before a way to HEAD',
    'update refs/heads/to-main C',
    'no-deref update HEAD C',
    'update refs/heads/topic C A',
  ],
  ['HEAD and a way to its branch', 'update refs/heads/to-main C', 'no-deref update HEAD C'],
  ['duplicates before all else', 'update refs/tags/light C B', 'create x A', 'create x A'],
];

/** What HEAD is made first, and single transactions, one after the other. */
const HEADS: readonly (readonly [title: string, before: string, ...transactions: string[]])[] = [
  [
    'a detached one',
    'no-deref update HEAD A',
    'update refs/heads/main C',
    'update HEAD B A',
    'create HEAD C',
    'delete HEAD',
    'create HEAD C',
  ],
  [
    'one at an unborn branch',
    'symref-update HEAD refs/heads/unborn',
    'verify HEAD',
    'update HEAD A B',
    'no-deref update HEAD A ZERO',
    'create HEAD A',
    'update refs/heads/unborn B',
    'delete HEAD',
    'no-deref symref-verify HEAD refs/heads/unborn',
  ],
  [
    'one at a symref',
    'symref-update HEAD refs/heads/alias',
    'update HEAD C A',
    'update HEAD C B',
    'update refs/heads/topic A',
    'update refs/heads/alias B',
    'no-deref update refs/heads/alias C',
    'update HEAD A',
  ],
  [
    'one at a dangling symref',
    'symref-update HEAD refs/heads/dangling',
    'update HEAD C A',
    'create HEAD A',
    'delete refs/heads/nowhere',
    'no-deref delete refs/heads/dangling',
    'create HEAD A',
  ],
  [
    'one in a circle',
    'symref-update HEAD refs/heads/self',
    'update HEAD A',
    'update refs/heads/self A',
    'no-deref update refs/heads/self A',
    'update HEAD B A',
  ],
  [
    'one at itself',
    'symref-update HEAD HEAD',
    'update HEAD A',
    'update refs/heads/main A',
    'no-deref update HEAD A',
  ],
  [
    'one at a branch in a missing folder',
    'symref-update HEAD refs/heads/topic/below',
    'update HEAD A',
    'delete HEAD',
    'update refs/heads/topic A',
  ],
  [
    'one at a symref to itself',
    'symref-update refs/heads/alias HEAD',
    'update refs/heads/alias C',
    'update refs/heads/alias A C',
    'delete refs/heads/alias',
    'update HEAD A',
  ],
  [
    'one at a branch that is a symref to a tag',
    'symref-update refs/heads/main refs/tags/logged',
    'update HEAD C',
    'update refs/heads/main B',
    'update refs/tags/logged A',
    'no-deref delete refs/heads/main',
    'update HEAD B',
  ],
  ['none', 'no-deref delete HEAD', 'update refs/heads/main C', 'delete HEAD', 'create HEAD A'],
];

const LOGGED: readonly (readonly string[])[] = [
  ['create refs/heads/new A', 'create refs/remotes/new A', 'create refs/notes/new A'],
  ['create refs/tags/new A', 'create refs/other/new A', 'create NEW_HEAD A'],
  ['update refs/tags/logged C', 'update refs/tags/light C', 'update ORIG_HEAD B'],
  ['update HEAD C'],
  ['update refs/heads/main A'],
  ['delete refs/tags/logged', 'delete refs/heads/topic'],
  ['create refs/tags/logged B', 'create refs/heads/topic C'],
  ['no-deref symref-create refs/tags/sym refs/heads/main'],
  ['no-deref symref-update HEAD refs/heads/topic'],
  ['no-deref delete refs/heads/alias', 'no-deref update refs/tags/sym A'],
  ['delete HEAD'],
];

const CROWDED_NAMES = ['a', 'a/b', 'a/b/c', 'a-b', 'alias', 'to-main', 'self', 'main', 'topic'];
const name = fc.constantFrom(
  'HEAD',
  'refs/tags/logged',
  ...CROWDED_NAMES.map((n) => `refs/heads/${n}`),
);
const value = fc.constantFrom('A', 'B', 'C');
const words = (...parts: (string | fc.Arbitrary<string>)[]) =>
  fc.tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part)));
/** Any command, so that most are sense. */
const command = fc
  .oneof(
    words(fc.constantFrom('create', 'update', 'update'), name, value),
    words(fc.constantFrom('no-deref create', 'no-deref update'), name, value),
    words('update', name, value, fc.constantFrom('A', 'B', 'C', 'ZERO')),
    words(fc.constantFrom('delete', 'no-deref delete', 'verify'), name),
    words(fc.constantFrom('delete', 'verify', 'no-deref verify'), name, value),
    words(fc.constantFrom('no-deref symref-create', 'no-deref symref-verify'), name, name),
    words(fc.constantFrom('no-deref symref-update', 'symref-update'), name, name),
    words('no-deref symref-update', name, name, 'oid', value),
    words('no-deref symref-update', name, name, 'ref', name),
    words('no-deref symref-delete', name, name),
  )
  .map((parts) => parts.join(' '));
const randomTransactions = fc.array(fc.array(command, { minLength: 1, maxLength: 3 }), {
  minLength: 40,
  maxLength: 40,
});

describeWithGit('a transaction made by Git and by the library', () => {
  beforeAll(() => {
    original = new Original();
  });

  it.each(ACCEPTED)('is accepted: %s', async (_, ...commands) => {
    expect(await expectSame(new Twins(original), commands)).toBeUndefined();
  });

  it('is refused, and leaves everything as it was', async () => {
    const twins = new Twins(original);
    for (const [title, ...commands] of REFUSED) {
      expect(await expectSame(twins, commands), title).toBeTypeOf('string');
    }
  });

  it('has the same verdict and outcome, whatever it is', async () => {
    // Which of two reasons it tells may differ: once a symref was followed, Git looks names up by
    // bisection in a list that is no longer sorted.
    const verdict = ({ error, ...state }: Outcome) => ({
      isRefused: error !== undefined,
      ...state,
    });
    for (const transactions of fc.sample(randomTransactions, { seed: 55, numRuns: 4 })) {
      const twins = new Twins(original);
      for (const commands of transactions) {
        const { expected, actual } = await twins.run(commands);
        expect(verdict(actual), commands.join('; ')).toEqual(verdict(expected));
      }
    }
  });

  it.each(HEADS)('stands by what HEAD is: %s', async (_, before, ...transactions) => {
    const twins = new Twins(original, { before: [before] });
    for (const commands of transactions) await expectSame(twins, [commands]);
  });

  it.each([
    ['unset', []],
    ['unset, bare', ['core.bare=true']],
    ['false', ['core.logAllRefUpdates=false']],
    ['true', ['core.logAllRefUpdates=true']],
    ['true, bare', ['core.logAllRefUpdates=true', 'core.bare=true']],
    ['always', ['core.logAllRefUpdates=always']],
  ])('is logged as core.logAllRefUpdates says: %s', async (_, config) => {
    const twins = new Twins(original, { config });
    for (const commands of LOGGED) await expectSame(twins, commands);
    await expectSame(twins, ['update refs/tags/light C'], { createReflog: true });
    await expectSame(twins, ['update refs/tags/light A']);
    await expectSame(twins, ['no-deref symref-create refs/tags/sym HEAD'], { createReflog: true });
  });
});
