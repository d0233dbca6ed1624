// A prepared transaction has its lock and its verdict, and writes nothing before it is committed.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { RefStore, RefUpdate } from '../../src/index.ts';
import { emptyRepository, oid, open } from './empty-repository.ts';

const [A, B] = [oid('a'), oid('b')];
const MAIN = 'refs/heads/main';

let gitDir: string;
let store: RefStore;
beforeEach(() => {
  gitDir = emptyRepository();
  store = open(gitDir, { lockTimeout: 50 });
  return () => store.close();
});

const create = (ref: string, newOid = A): RefUpdate => ({ type: 'create', ref, newOid });
const isLocked = () => existsSync(join(gitDir, 'reftable/tables.list.lock'));

it('holds the lock, and writes when it is committed', async () => {
  const prepared = await store.prepare([create(MAIN)]);
  expect(isLocked()).toBe(true);
  expect(store.read(MAIN)).toBeUndefined();
  expect(await prepared.commit()).toMatchObject({ updateIndex: 1 });
  expect(isLocked()).toBe(false);
  expect(store.read(MAIN)?.oid).toBe(A);
  await expect(prepared.commit()).rejects.toMatchObject({ code: 'CLOSED' });
  await prepared.abort();
  expect(store.read(MAIN)?.oid).toBe(A);
});

it('leaves nothing behind when it is aborted, or disposed of', async () => {
  const prepared = await store.prepare([create(MAIN)]);
  await prepared.abort();
  await expect(prepared.commit()).rejects.toMatchObject({ code: 'CLOSED' });
  {
    await using _other = await store.prepare([create(MAIN)]);
    expect(isLocked()).toBe(true);
  }
  expect(readdirSync(join(gitDir, 'reftable'))).toEqual(['tables.list']);
  expect(store.read(MAIN)).toBeUndefined();
});

it('is refused at once, without a lock left', async () => {
  await store.transaction([create(MAIN)]);
  await expect(store.prepare([create(MAIN, B)])).rejects.toMatchObject({
    code: 'EXPECTED_OLD_VALUE',
    message: `cannot lock ref '${MAIN}': reference already exists`,
  });
  expect(isLocked()).toBe(false);
  await expect(store.prepare([create(MAIN), create(MAIN)])).rejects.toMatchObject({
    code: 'NAME_CONFLICT',
  });
});

it('keeps other transactions waiting, and lets them go when their time is up', async () => {
  const prepared = await store.prepare([create(MAIN)]);
  await expect(store.transaction([create('refs/heads/a')])).rejects.toMatchObject({
    code: 'LOCKED',
  });
  await expect(store.prepare([create('refs/heads/a')])).rejects.toMatchObject({ code: 'LOCKED' });
  await expect(store.optimize()).rejects.toMatchObject({ code: 'LOCKED' });
  const waiting = store.transaction([{ type: 'update', ref: MAIN, newOid: B, oldOid: A }]);
  await prepared.commit();
  expect(await waiting).toMatchObject({ updateIndex: 2 });
  await store.optimize();
  expect(store.read(MAIN)?.oid).toBe(B);
});

it('is not waited for in vain by who decides on a reflog meanwhile', async () => {
  await store.transaction([create(MAIN)], { createReflog: true });
  const shouldExpire = async () => {
    await store.transaction([create('refs/heads/a')]);
    return true;
  };
  await expect(store.expireReflog(MAIN, { shouldExpire })).rejects.toMatchObject({
    code: 'LOCKED',
  });
  expect(isLocked()).toBe(false);
});

it('takes its turn among others, never in a group with them', async () => {
  const first = store.transaction([create('refs/heads/a')]);
  const preparing = store.prepare([
    { type: 'verify', ref: 'refs/heads/a', oldOid: A },
    create(MAIN),
  ]);
  const last = store.transaction([{ type: 'update', ref: MAIN, newOid: B, oldOid: A }]);
  const prepared = await preparing;
  expect(await first).toMatchObject({ updateIndex: 1 });
  expect(await prepared.commit()).toMatchObject({ updateIndex: 2 });
  expect(await last).toMatchObject({ updateIndex: 3 });
});

it('locks nothing for no updates', async () => {
  const prepared = await store.prepare([]);
  expect(isLocked()).toBe(false);
  expect(await prepared.commit()).toMatchObject({ updateIndex: undefined });
});

it('gives the lock back where the store was closed meanwhile', async () => {
  const prepared = await store.prepare([create(MAIN)]);
  store.close();
  await expect(prepared.commit()).rejects.toMatchObject({ code: 'CLOSED' });
  expect(isLocked()).toBe(false);
});
