// Transactions that wait together and cannot be committed: who is told what.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RefError, type RefUpdate } from '../../src/index.ts';
import { gitReflogPolicy } from '../../src/reflog/policy.ts';
import { ReftableStore } from '../../src/refs/reftable-store.ts';
import { CommitQueue } from '../../src/refs/transaction/commit-queue.ts';
import { orderByName } from '../../src/refs/transaction/name-order.ts';
import { PendingTransaction } from '../../src/refs/transaction/pending-transaction.ts';
import { UpdateBatch } from '../../src/refs/transaction/update-batch.ts';
import { WorktreeStacks } from '../../src/refs/worktrees/worktree-stacks.ts';
import type { Addition } from '../../src/stack/addition.ts';
import { DirectoryTableStore } from '../../src/stack/directory-table-store.ts';
import { Stack } from '../../src/stack/stack.ts';
import { nodeCompression } from '../../src/storage/node-compression.ts';
import { type Call, systemError, watchedFileSystem } from '../stack/watched-file-system.ts';
import { ANN, emptyRepository, oid, open } from './empty-repository.ts';

const create = (ref: string, newOid = oid('a')): RefUpdate => ({ type: 'create', ref, newOid });

describe('the lock', () => {
  const locked = new RefError('LOCKED', 'somebody else has it');

  function waiting(queuedAt = 0): PendingTransaction {
    const batch = UpdateBatch.from([create('refs/heads/a')], 'sha1');
    const log = { committerName: '', email: '', time: 0, timezone: 0, message: '\n' };
    return new PendingTransaction({
      ...{ batch, order: orderByName(batch), log },
      ...{ createReflog: false, batchUpdates: false, queuedAt },
      reach: { stacks: new Set(), prefixes: new Map() },
    });
  }

  /** A queue on a lock that is refused as often as there are errors. */
  function queueOn(lockTimeout: number, ...errors: unknown[]) {
    const timeouts: number[] = [];
    const groups: (readonly PendingTransaction[])[] = [];
    const queue = new CommitQueue(lockTimeout, async () => ({
      async lock(timeout) {
        timeouts.push(timeout);
        if (errors.length > 0) throw errors.shift();
        return {} as Addition;
      },
      async commit(_, group) {
        groups.push(group);
        for (const { resolve } of group) resolve({ updateIndex: 1, rejected: [] });
        return [];
      },
    }));
    return { queue, timeouts, groups };
  }

  it('is waited for until the time of the first in the queue is up, who then fails alone', async () => {
    const { queue, timeouts, groups } = queueOn(60_000, locked);
    // They have waited for all their time, and for half of it.
    const late = [waiting(-60_000), waiting(-60_000)];
    const soon = waiting(-30_000);
    for (const each of [...late, soon]) queue.push(each);
    expect(await Promise.allSettled([...late, soon].map((each) => each.settled))).toEqual([
      { status: 'rejected', reason: locked },
      { status: 'rejected', reason: locked },
      { status: 'fulfilled', value: { updateIndex: 1, rejected: [] } },
    ]);
    expect(groups).toEqual([[soon]]);
    expect(timeouts).toEqual([0, expect.any(Number)]);
    expect(timeouts[1]).toBeGreaterThan(29_000);
    expect(timeouts[1]).toBeLessThanOrEqual(30_000);
  });

  it('is waited for for ever by those who may', async () => {
    const { queue, timeouts } = queueOn(-1);
    const patient = waiting();
    queue.push(patient);
    await patient.settled;
    expect(timeouts).toEqual([-1]);
  });

  it('that cannot be had at all is the end for all, but not for those who come later', async () => {
    const { queue } = queueOn(-1, new RefError('IO', 'no space left'));
    const all = [waiting(), waiting()];
    for (const each of all) queue.push(each);
    for (const { settled } of all) await expect(settled).rejects.toMatchObject({ code: 'IO' });
    const later = waiting();
    queue.push(later);
    await expect(later.settled).resolves.toMatchObject({ updateIndex: 1 });
  });

  it('is not refused for the time that the store itself takes, its compactions included', async () => {
    using store = open(emptyRepository(), { lockTimeout: 0 });
    const count = 1000;
    const creations = Array.from({ length: count }, (_, i) =>
      store.transaction([create(`refs/heads/${i}`)], { message: 'long '.repeat(400) }),
    );
    await Promise.all(creations);
    for (let i = 0; i < 50; i++) await store.transaction([create(`refs/tags/${i}`)]);
    await store.idle();
    expect([...store.refs()]).toHaveLength(count + 50);
  });

  it('of another process is waited for by all together', async () => {
    const gitDir = emptyRepository();
    using store = open(gitDir, { lockTimeout: 20 });
    const lock = join(gitDir, 'reftable/tables.list.lock');
    writeFileSync(lock, '');
    const results = await Promise.allSettled(
      ['a', 'b', 'c'].map((end) => store.transaction([create(`refs/heads/${end}`)])),
    );
    const refusal = { status: 'rejected', reason: { code: 'LOCKED', file: lock } };
    expect(results).toMatchObject([refusal, refusal, refusal]);
    expect(readFileSync(lock, 'utf8')).toBe('');
  });
});

describe('a disk that fails', () => {
  it.each(['file.write', 'file.sync', 'rename'])('at %s fails the whole group', async (method) => {
    const gitDir = emptyRepository();
    let failure: ((call: Call) => Error) | undefined;
    const fs = watchedFileSystem((call) => {
      if (call.name === method && failure !== undefined) throw failure(call);
    });
    const tables = new DirectoryTableStore(fs, join(gitDir, 'reftable'), {});
    const common = { objectFormat: 'sha1', compression: nodeCompression } as const;
    using store = new ReftableStore(new WorktreeStacks(new Stack(tables, common)), {
      ...common,
      policy: gitReflogPolicy({ mode: 'normal', bare: true }),
      committer: () => ANN,
      lockTimeout: 100,
      blockSize: undefined,
      restartInterval: undefined,
      indexObjects: true,
    });
    await store.transaction([create('refs/heads/old')]);
    const before = readFileSync(join(gitDir, 'reftable/tables.list'), 'utf8');

    failure = (call) => systemError('ENOSPC', call);
    const attempt = () =>
      Promise.allSettled([
        store.transaction([create('refs/heads/a')]),
        store.transaction([create('refs/heads/a', oid('b'))]),
        store.transaction([{ type: 'verify', ref: 'refs/heads/a', oldOid: oid('a') }]),
        store.transaction([create('refs/heads/b')]),
      ]);
    const told = { status: 'rejected', reason: { code: 'IO', cause: { code: 'ENOSPC' } } };
    // The second and the third of them, too: the first, whose value they found, is not there.
    expect(await attempt()).toMatchObject([told, told, told, told]);
    expect([...store.refs()].map(({ name }) => name)).toEqual(['refs/heads/old']);
    expect(readFileSync(join(gitDir, 'reftable/tables.list'), 'utf8')).toBe(before);

    failure = undefined;
    const refused = { status: 'rejected', reason: { code: 'EXPECTED_OLD_VALUE' } };
    expect(await attempt()).toMatchObject([
      { value: { updateIndex: 2 } },
      refused,
      { value: { updateIndex: undefined } },
      { value: { updateIndex: 3 } },
    ]);
  });
});
