// With `batchUpdates`, what cannot be made is left out and told of, and the rest is made; alone and in a group.

import { beforeEach, expect, it } from 'vitest';
import type { RefStore, RefUpdate } from '../../src/index.ts';
import { emptyRepository, oid, open } from './empty-repository.ts';

const [A, B, ZERO] = ['a', 'b', '0'].map(oid) as [string, string, string];
const MAIN = 'refs/heads/main';
const BATCH = { batchUpdates: true };

let store: RefStore;
beforeEach(async () => {
  store = open(emptyRepository('[core]\nlogAllRefUpdates = true\n'));
  await store.transaction([{ type: 'create', ref: MAIN, newOid: A }]);
  return () => store.close();
});

const create = (ref: string): RefUpdate => ({ type: 'create', ref, newOid: A });
const names = () => Array.from(store.refs(), ({ name }) => name);

it('tells which update was left out, and why', async () => {
  const { updateIndex, rejected } = await store.transaction(
    [
      { type: 'update', ref: MAIN, newOid: B, oldOid: B },
      create('refs/heads/new'),
      { type: 'delete', ref: 'refs/heads/nothing', oldOid: A },
      create('refs/heads/main/sub'),
    ],
    BATCH,
  );
  expect(updateIndex).toBe(2);
  expect(rejected).toEqual([
    {
      ref: MAIN,
      reason: 'incorrect old value provided',
      message: `cannot lock ref '${MAIN}': is at ${A} but expected ${B}`,
      newOid: B,
      oldOid: B,
    },
    {
      ref: 'refs/heads/nothing',
      reason: 'reference does not exist',
      message:
        "cannot lock ref 'refs/heads/nothing': unable to resolve reference 'refs/heads/nothing'",
      newOid: ZERO,
      oldOid: A,
    },
    {
      ref: 'refs/heads/main/sub',
      reason: 'refname conflict',
      message: `'${MAIN}' exists; cannot create 'refs/heads/main/sub'`,
      newOid: A,
      oldOid: ZERO,
    },
  ]);
  expect(names()).toEqual([MAIN, 'refs/heads/new']);
});

it('tells of targets', async () => {
  const target = 'refs/heads/x';
  const update = {
    type: 'symref-update',
    ref: MAIN,
    newTarget: target,
    oldTarget: target,
  } as const;
  const { updateIndex, rejected } = await store.transaction([update], BATCH);
  expect(updateIndex).toBeUndefined();
  expect(rejected).toMatchObject([
    { reason: 'expected symref but found regular ref', newTarget: target, oldTarget: target },
  ]);
});

it.each(['before', 'after'])(
  'refuses a folder of names that comes %s them, or them',
  async (place) => {
    const folder = 'refs/heads/d';
    const below = Array.from({ length: 5 }, (_, i) => `${folder}/${i}`);
    const refs = place === 'before' ? [folder, ...below] : [...below, folder];
    const { rejected } = await store.transaction(refs.map(create), BATCH);
    // What is looked at last finds nothing in its way any more.
    expect(rejected.map(({ ref }) => ref)).toEqual(place === 'before' ? [folder] : below);
    expect(names()).toEqual(place === 'before' ? [...below, MAIN] : [folder, MAIN]);
  },
);

it('rejects in a group, and in a prepared transaction, as alone', async () => {
  const results = await Promise.all([
    store.transaction([create(MAIN), create('refs/heads/a')], BATCH),
    store.transaction([create('refs/heads/a'), create('refs/heads/b')], BATCH),
    store.transaction([create('refs/heads/a'), create('refs/heads/b')], BATCH),
  ]);
  expect(results.map(({ rejected }) => rejected.map(({ ref }) => ref))).toEqual([
    [MAIN],
    ['refs/heads/a'],
    ['refs/heads/a', 'refs/heads/b'],
  ]);
  expect(results.map(({ updateIndex }) => updateIndex)).toEqual([2, 3, undefined]);
  const prepared = await store.prepare([create(MAIN), create('refs/heads/c')], BATCH);
  expect(await prepared.commit()).toMatchObject({ updateIndex: 4, rejected: [{ ref: MAIN }] });
});

it('fails as a whole for what concerns more than one update', async () => {
  await expect(store.transaction([create(MAIN), create(MAIN)], BATCH)).rejects.toMatchObject({
    code: 'NAME_CONFLICT',
  });
  await expect(
    store.transaction([create(MAIN)], { batchUpdates: 1 as unknown as boolean }),
  ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
});
