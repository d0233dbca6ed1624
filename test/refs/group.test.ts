// Transactions of one process that are called for at once: committed together, as if one came after the other.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ObjectSource, RefUpdate, TransactionOptions } from '../../src/index.ts';
import type { ReftableStore } from '../../src/refs/reftable-store.ts';
import { UpdateBatch } from '../../src/refs/transaction/update-batch.ts';
import { emptyRepository, oid, open } from './empty-repository.ts';

const [A, B, C] = ['a', 'b', 'c'].map(oid) as [string, string, string];
const ZERO = oid('0');
const LOGGED = '[core]\nlogAllRefUpdates = true\n';

let gitDir: string;
let store: ReftableStore;
beforeEach(() => {
  gitDir = emptyRepository(LOGGED);
  store = open(gitDir, { lockTimeout: -1, autoCompaction: false }) as ReftableStore;
  return () => store.close();
});

/** Calls for all at once, a transaction each; gives its update index, or the code of its refusal. */
async function together(...transactions: (RefUpdate | RefUpdate[])[]) {
  const locks = store.stats.locks;
  const results = await Promise.allSettled(
    transactions.map((updates, i) => store.transaction([updates].flat(), { message: `${i}` })),
  );
  expect(store.stats.locks).toBe(locks + 1);
  return results.map((result) =>
    result.status === 'fulfilled' ? result.value.updateIndex : result.reason.code,
  );
}

const create = (ref: string, newOid = A): RefUpdate => ({ type: 'create', ref, newOid });
const update = (ref: string, newOid: string, oldOid?: string): RefUpdate => ({
  type: 'update',
  ref,
  newOid,
  oldOid,
});
const remove = (ref: string, oldOid?: string): RefUpdate => ({ type: 'delete', ref, oldOid });

const tables = () =>
  readFileSync(join(gitDir, 'reftable/tables.list'), 'utf8').split('\n').length - 1;
const refs = () => [...store.refs()].map(({ name, oid }) => `${name} ${oid![0]}`);
/** The newest first: update index, old and new object id by their first digits, message. */
const log = (name: string) =>
  [...store.reflog(name)].map(
    (entry) => `${entry.updateIndex} ${entry.oldOid[0]}>${entry.newOid[0]} ${entry.message}`,
  );

describe('a group', () => {
  it('is one table, in which each has its update index and its log entry', async () => {
    expect(
      await together(create('refs/heads/z'), create('refs/heads/a'), update('refs/heads/z', B)),
    ).toEqual([1, 2, 3]);
    expect(tables()).toBe(1);
    expect([...store.refs()]).toMatchObject([
      { name: 'refs/heads/a', oid: A, updateIndex: 2 },
      { name: 'refs/heads/z', oid: B, updateIndex: 3 },
    ]);
    expect(log('refs/heads/z')).toEqual(['3 a>b 2', '1 0>a 0']);
    expect(log('refs/heads/a')).toEqual(['2 0>a 1']);
    expect(readFileSync(join(gitDir, 'reftable/tables.list'), 'utf8')).toMatch(
      /^0x000000000001-0x000000000003-/,
    );
    expect(await together(create('refs/heads/b'))).toEqual([4]);
  });

  it('has all whose objects are found in one turn of the event loop', async () => {
    const found = { type: 'commit', size: 1 } as const;
    const objects: ObjectSource = {
      async lookup(oids) {
        await new Promise(setImmediate);
        return new Map(oids.map((each) => [each, found]));
      },
      read: async () => undefined,
    };
    using unsynced = open(gitDir, { lockTimeout: -1, fsync: false, objects }) as ReftableStore;
    const names = Array.from({ length: 200 }, (_, i) => `refs/heads/n${i}`);
    await Promise.all(names.map((name) => unsynced.transaction([create(name)])));
    expect(unsynced.stats.locks).toBe(1);
  });

  it('gives each its own verdict, and no update index to who writes nothing', async () => {
    await store.transaction([create('refs/heads/old')]);
    const verdicts = await together(
      create('refs/heads/old'),
      create('refs/heads/a'),
      update('refs/heads/old', A),
      update('refs/heads/a', B, C),
      { type: 'verify', ref: 'refs/heads/a', oldOid: A },
      { type: 'verify', ref: 'refs/heads/a' },
      remove('refs/heads/none'),
      update('refs/heads/a', B, A),
    );
    const refused = 'EXPECTED_OLD_VALUE';
    expect(verdicts).toEqual([
      ...[refused, 2, undefined, refused],
      ...[undefined, refused, undefined, 3],
    ]);
    expect(refs()).toEqual(['refs/heads/a b', 'refs/heads/old a']);
    expect(log('refs/heads/a')).toEqual(['3 a>b 7', '2 0>a 1']);
  });

  it('of which nothing is to be written leaves the stack as it is', async () => {
    const nothing: RefUpdate = { type: 'verify', ref: 'refs/heads/a' };
    expect(await together(nothing, nothing, update('refs/heads/a', A, B))).toEqual([
      ...[undefined, undefined, 'EXPECTED_OLD_VALUE'],
    ]);
    expect(tables()).toBe(0);
  });

  it('sees what those before it left of names in the way of others', async () => {
    await store.transaction([create('refs/heads/d/e')]);
    const verdicts = await together(
      create('refs/heads/a'),
      create('refs/heads/a/b'),
      create('refs/heads/c/d'),
      create('refs/heads/c'),
      create('refs/heads/d'),
      remove('refs/heads/a'),
      create('refs/heads/a/b'),
      remove('refs/heads/d/e'),
      create('refs/heads/d'),
      create('refs/heads/d/e'),
    );
    const refused = 'NAME_CONFLICT';
    expect(verdicts).toEqual([2, refused, 3, refused, refused, 4, 5, 6, 7, refused]);
    expect(refs()).toEqual(['refs/heads/a/b a', 'refs/heads/c/d a', 'refs/heads/d a']);
  });

  it('finds a ref below a name behind those that were deleted', async () => {
    const names = Array.from({ length: 50 }, (_, i) => `refs/heads/d/${i}`);
    await store.transaction(names.map((name) => create(name)));
    const all = names.map((name) => remove(name));
    const last = all.pop()!;
    expect(await together(...all, create('refs/heads/d'), last, create('refs/heads/d'))).toEqual([
      ...Array.from({ length: 49 }, (_, i) => 2 + i),
      'NAME_CONFLICT',
      ...[51, 52],
    ]);
    expect(refs()).toEqual(['refs/heads/d a']);
  });

  it('logs for HEAD what each of them did to its branch', async () => {
    const head: RefUpdate = { type: 'symref-create', ref: 'HEAD', newTarget: 'refs/heads/main' };
    const verdicts = await together(
      head,
      create('refs/heads/main'),
      update('HEAD', B, A),
      create('refs/heads/topic', C),
      { type: 'symref-update', ref: 'HEAD', newTarget: 'refs/heads/topic' },
      update('refs/heads/main', C),
      update('refs/heads/topic', A),
    );
    expect(verdicts).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(log('HEAD')).toEqual(['7 c>a 6', '5 b>c 4', '3 a>b 2', '2 0>a 1']);
    expect(log('refs/heads/main')).toEqual(['6 b>c 5', '3 a>b 2', '2 0>a 1']);
    expect(log('refs/heads/topic')).toEqual(['7 c>a 6', '4 0>c 3']);
  });

  it('forgets the log of a ref that one deletes, whoever wrote its entries', async () => {
    const ref = 'refs/heads/a';
    await store.transaction([create(ref)]);
    await store.transaction([update(ref, B)]);
    expect(await together(update(ref, C), remove(ref), create(ref, B), update(ref, A))).toEqual([
      ...[3, 4, 5, 6],
    ]);
    expect(log(ref)).toEqual(['6 b>a 3', '5 0>b 2']);
    expect(await together(remove(ref), create('refs/heads/b'), remove('refs/heads/b'))).toEqual([
      ...[7, 8, 9],
    ]);
    expect([...store.reflogNames()]).toEqual([]);
    expect([...store.refs()]).toEqual([]);
  });

  it('logs a tag if one before it began a log, until one deletes it', async () => {
    const tag = 'refs/tags/a';
    const asked = (options: TransactionOptions, ...updates: RefUpdate[]) =>
      store.transaction(updates, options);
    await Promise.all([
      asked({ message: 'no log yet' }, create(tag)),
      asked({ message: 'begun', createReflog: true }, update(tag, B)),
      asked({ message: 'goes on' }, update(tag, C)),
    ]);
    expect(log(tag)).toEqual(['3 b>c goes on', '2 a>b begun']);
    await Promise.all([asked({}, remove(tag)), asked({ message: 'no log any more' }, create(tag))]);
    expect(store.hasReflog(tag)).toBe(false);
    expect(store.read(tag)).toMatchObject({ oid: A, updateIndex: 5 });
  });

  it('follows the symrefs that those before it set', async () => {
    const alias = 'refs/heads/alias';
    const verdicts = await together(
      { type: 'symref-create', ref: alias, newTarget: 'refs/heads/a' },
      update(alias, A, ZERO),
      { type: 'symref-update', ref: alias, newTarget: 'refs/heads/b', oldTarget: 'refs/heads/a' },
      update(alias, B, ZERO),
      { type: 'symref-delete', ref: alias, oldTarget: 'refs/heads/a' },
      { type: 'symref-delete', ref: alias, oldTarget: 'refs/heads/b' },
      create(alias, C),
    );
    expect(verdicts).toEqual([1, 2, 3, 4, 'EXPECTED_OLD_VALUE', 5, 6]);
    expect(refs()).toEqual(['refs/heads/a a', 'refs/heads/alias c', 'refs/heads/b b']);
  });

  it('keeps the order of the calls around a batch so large that it goes alone', async () => {
    const many = Array.from({ length: 2000 }, (_, i) => create(`refs/tags/${i}`));
    const results = await Promise.all([
      store.transaction([create('refs/heads/a')]),
      store.transaction([create('refs/heads/b')]),
      store.transaction([...many, update('refs/heads/a', B, A)]),
      store.transaction([update('refs/heads/a', C, B)]),
      store.transaction([{ type: 'verify', ref: 'refs/tags/1999', oldOid: A }]),
    ]);
    expect(results.map(({ updateIndex }) => updateIndex)).toEqual([1, 2, 3, 4, undefined]);
    expect(tables()).toBe(3);
    expect(log('refs/heads/a')).toHaveLength(3);
  });

  it('does not grow without bound', async () => {
    const count = 2000;
    const all = Array.from({ length: count }, (_, i) => create(`refs/heads/${i}`));
    const results = await Promise.all(all.map((each) => store.transaction([each])));
    expect(results.map(({ updateIndex }) => updateIndex)).toEqual(all.map((_, i) => i + 1));
    expect([...store.refs()]).toHaveLength(count);
    expect(store.stats.locks).toBeGreaterThan(1);
    expect(store.stats.locks).toBeLessThan(20);
  });
});

describe('records too large for a group', () => {
  const long = (length: number) => `refs/heads/${'n'.repeat(length)}`;

  it('fail alone where no block holds them', async () => {
    const results = await Promise.allSettled([
      store.transaction([create('refs/heads/a')]),
      store.transaction([create(long(5000)), create('refs/heads/b')]),
      store.transaction([create('refs/heads/c')]),
    ]);
    expect(results).toMatchObject([
      { value: { updateIndex: 1 } },
      { reason: { code: 'RECORD_TOO_LARGE', ref: long(5000) } },
      { value: { updateIndex: 2 } },
    ]);
    expect(refs()).toEqual(['refs/heads/a a', 'refs/heads/c a']);
  });

  it('are written where a table of their own holds them', async () => {
    const names = ['1', '2', '3', '4', '5'].map((digit) => long(2500) + digit);
    const results = await Promise.all(names.map((name) => store.transaction([create(name)])));
    expect(results.map(({ updateIndex }) => updateIndex)).toEqual([1, 2, 3, 4, 5]);
    expect([...store.refs()].map(({ name }) => name)).toEqual(names);
  });

  it('are planned anew, where a symref led to them', async () => {
    const name = long(2500);
    await store.transaction([{ type: 'symref-create', ref: 'HEAD', newTarget: name }]);
    const results = await Promise.allSettled([
      store.transaction([create('refs/heads/a')]),
      store.transaction([update('HEAD', A, ZERO)], { message: 'first' }),
      store.transaction([update('HEAD', B, A)], { message: 'second' }),
      store.transaction([update(name, C, A)]),
      store.transaction([update(name, C, B)], { message: 'third' }),
    ]);
    expect(results.map(({ status }) => status)).toEqual([
      ...['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
    ]);
    expect(log('HEAD')).toEqual(['5 b>c third', '4 a>b second', '3 0>a first']);
    expect(log(name)).toEqual(log('HEAD'));
    expect(store.read('HEAD')).toMatchObject({ target: name });
  });
});

describe('many at once', () => {
  it('compare and swap so that one wins each value', async () => {
    const ref = 'refs/heads/counter';
    const hex = (value: number) => value.toString(16).padStart(40, '0');
    await store.transaction([create(ref, hex(1))]);
    const won: number[] = [];
    let lost = 0;
    const increment = async () => {
      for (;;) {
        const oldOid = store.read(ref)!.oid!;
        const value = Number.parseInt(oldOid, 16) + 1;
        try {
          await store.transaction([update(ref, hex(value), oldOid)]);
          won.push(value);
          return;
        } catch (error) {
          expect(error).toMatchObject({ code: 'EXPECTED_OLD_VALUE' });
          lost++;
        }
      }
    };
    await Promise.all(Array.from({ length: 64 }, increment));
    expect(won).toEqual(Array.from({ length: 64 }, (_, i) => i + 2));
    // All that read the same value came in one group.
    expect(lost).toBe((64 * 63) / 2);
    const entries = [...store.reflog(ref, { order: 'oldest-first' })];
    expect(entries.map(({ newOid }) => newOid)).toEqual([1, ...won].map(hex));
    expect(entries.map(({ oldOid }) => oldOid)).toEqual([
      ZERO,
      ...[1, ...won].slice(0, -1).map(hex),
    ]);
  });

  it('are all settled when the store is closed meanwhile, as what came of them', async () => {
    const names = Array.from({ length: 5 }, (_, i) => `refs/heads/${i}`);
    const settled = Promise.allSettled(names.map((name) => store.transaction([create(name)])));
    store.close();
    const results = await settled;
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'CLOSED' });
    }
    await expect(store.transaction([create('refs/heads/late')])).rejects.toMatchObject({
      code: 'CLOSED',
    });
    using again = open(gitDir);
    expect([...again.refs()].map(({ name }) => name)).toEqual(
      names.filter((_, i) => results[i]!.status === 'fulfilled'),
    );
    await again.transaction([create('refs/heads/later')]);
  });

  it('are no reason for each other to give up, where only one try for the lock is allowed', async () => {
    using impatient = open(gitDir, { lockTimeout: 0, fsync: true, autoCompaction: false });
    const first = impatient.transaction([create('refs/heads/a')]);
    // The first has the lock, and waits for the disk.
    await new Promise(setImmediate);
    const others = ['b', 'c'].map((end) => impatient.transaction([create(`refs/heads/${end}`)]));
    expect(await Promise.all([first, ...others])).toMatchObject([
      { updateIndex: 1 },
      { updateIndex: 2 },
      { updateIndex: 3 },
    ]);
  });
});

describe('a batch', () => {
  const batchOf = (...updates: RefUpdate[]) => UpdateBatch.from(updates, 'sha1');

  it('is for one transaction, be it refused', async () => {
    const used = {
      code: 'INVALID_ARGUMENT',
      message: 'the batch was given to a transaction before',
    };
    const batch = batchOf(create('refs/heads/a'));
    const refused = batchOf(update('refs/heads/b', B, A));
    const results = await Promise.allSettled(
      [batch, refused, batch, refused].map((each) => store.transaction(each)),
    );
    expect(results).toMatchObject([
      { value: { updateIndex: 1 } },
      { reason: { code: 'EXPECTED_OLD_VALUE' } },
      { reason: used },
      { reason: used },
    ]);
    await expect(store.transaction(batch)).rejects.toMatchObject(used);
  });

  it('cannot be added to while its transaction is pending', async () => {
    const batch = batchOf(create('refs/heads/a'));
    const transaction = store.transaction(batch);
    const code = 'INVALID_ARGUMENT';
    expect(() => batch.add(create('refs/heads/b'))).toThrow(expect.objectContaining({ code }));
    const bytes = new TextEncoder().encode(`refs/heads/c ${A}`);
    expect(() => batch.addPlain('create', bytes, 0, 12, 13, -1, true)).toThrow(
      expect.objectContaining({ code }),
    );
    await transaction;
    expect(refs()).toEqual(['refs/heads/a a']);
  });
});
