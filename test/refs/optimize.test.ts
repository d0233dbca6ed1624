// `optimize` and `idle`: what is packed, what is left out on the way, and that reading goes on meanwhile.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RefStore } from '../../src/refs/ref-store.ts';
import { emptyRepository, oid, open } from './empty-repository.ts';

const tablesIn = (gitDir: string) =>
  readdirSync(join(gitDir, 'reftable')).filter((name) => name.endsWith('.ref'));

/** Moves a branch `count` times; the entries are logged at 1000, 2000 … seconds since the epoch. */
async function moveMain(store: RefStore, count: number): Promise<void> {
  for (let i = 1; i <= count; i++) {
    const committer = { name: 'C', email: 'c@example.com', time: 1000 * i, timezone: 0 };
    const update = {
      type: 'update',
      ref: 'refs/heads/main',
      newOid: oid(`${((i - 1) % 9) + 1}`),
    } as const;
    await store.transaction([update], { committer, createReflog: true });
  }
}

const times = (store: RefStore) =>
  Array.from(store.reflog('refs/heads/main'), ({ committer }) => committer.time);

it('merges all tables, or only those that are out of proportion', async () => {
  const gitDir = emptyRepository();
  using store = open(gitDir, { autoCompaction: false });
  const names = Array.from({ length: 500 }, (_, i) => `refs/heads/${i}`);
  await store.transaction(names.map((ref) => ({ type: 'create', ref, newOid: oid('1') })));
  await moveMain(store, 4);
  expect(tablesIn(gitDir)).toHaveLength(5);
  const before = [...store.refs()];
  await store.optimize({ auto: true });
  expect(tablesIn(gitDir)).toHaveLength(2);
  await store.optimize();
  expect(tablesIn(gitDir)).toHaveLength(1);
  expect([...store.refs()]).toEqual(before);
  expect(times(store)).toEqual([4000, 3000, 2000, 1000]);
});

it('drops the log entries that are too old, by time or by update index', async () => {
  using store = open(emptyRepository());
  await moveMain(store, 6);
  await store.optimize({ expireLogs: { minTime: 3000 } });
  expect(times(store)).toEqual([6000, 5000, 4000, 3000]);
  await store.optimize({ expireLogs: { minUpdateIndex: 5 } });
  expect(times(store)).toEqual([6000, 5000]);
  expect(store.read('refs/heads/main')?.oid).toBe(oid('6'));
  await store.optimize({ expireLogs: { minTime: 10_000 } });
  expect(times(store)).toEqual([]);
  expect(store.hasReflog('refs/heads/main')).toBe(false);
});

it('goes on beside transactions and snapshots, and is awaited by `idle`', async () => {
  using store = open(emptyRepository(), { lockTimeout: -1 });
  await moveMain(store, 3);
  using snapshot = store.snapshot();
  const writing = moveMain(store, 20);
  for (let i = 0; i < 5; i++) await store.optimize();
  await writing;
  await store.idle();
  expect(times(store)).toHaveLength(23);
  expect(times(snapshot as unknown as RefStore)).toEqual([3000, 2000, 1000]);
});

it.each([
  [null, 'options: expected an object, found null'],
  [{ auto: 1 }, 'auto: expected a boolean, found 1'],
  [{ expireLogs: 'all' }, 'expireLogs: expected an object, found all'],
  [{ expireLogs: { minTime: -1 } }, 'expireLogs.minTime: expected a whole number, found -1'],
])('refuses the options %j', async (options, message) => {
  using store = open(emptyRepository());
  await expect(store.optimize(options as never)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message,
  });
});
