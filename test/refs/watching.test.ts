// Watching refs: every change is told once, in order, whatever becomes of the tables meanwhile.

import { readdirSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type {
  OpenRefStoreOptions,
  RefChange,
  RefStore,
  RefUpdate,
  WatchOptions,
} from '../../src/index.ts';
import { emptyRepository, oid, open } from './empty-repository.ts';

const MAIN = 'refs/heads/main';
const TAG = 'refs/tags/v1';

describe('watching', () => {
  it('tells what transactions change, whoever makes them', async () => {
    const unmerged = { autoCompaction: false };
    const { store, other, next } = watched({ includeRoot: true }, loggedRepository(), unmerged);
    await other.transaction([
      { type: 'symref-create', ref: 'HEAD', newTarget: MAIN },
      { type: 'create', ref: MAIN, newOid: oid('1') },
    ]);
    expect(await next(2)).toEqual([
      'HEAD: nothing to refs/heads/main @1',
      'refs/heads/main: nothing to 1 @1',
    ]);
    await store.transaction([update(MAIN, '2')]);
    await other.transaction([update(MAIN, '3')]);
    await other.transaction([{ type: 'delete', ref: MAIN }]);
    await other.transaction([{ type: 'symref-update', ref: 'HEAD', newTarget: 'refs/heads/x' }]);
    expect(await next(4)).toEqual([
      'refs/heads/main: 1 to 2 @2',
      'refs/heads/main: 2 to 3 @3',
      'refs/heads/main: 3 to nothing @4',
      'HEAD: refs/heads/main to refs/heads/x @5',
    ]);
  });

  it('begins when it is called, not when it is asked', async () => {
    const { store, next } = watched();
    await store.transaction([update(TAG, '1')]);
    expect(await next(1)).toEqual(['refs/tags/v1: nothing to 1 @1']);
  });

  it('is of the refs that are asked for', async () => {
    const { store, next } = watched({ prefix: 'refs/tags/' });
    await store.transaction([update('HEAD', '1'), update(TAG, '1'), update(MAIN, '2')]);
    await store.transaction([update(MAIN, '3')]);
    await store.transaction([update('refs/tags/v2', '4')]);
    expect(await next(2)).toEqual([
      'refs/tags/v1: nothing to 1 @1',
      'refs/tags/v2: nothing to 4 @3',
    ]);
  });

  it('leaves out refs outside refs/ unless they are asked for', async () => {
    const { store, next } = watched();
    await store.transaction([update('HEAD', '1'), update('ORIG_HEAD', '1'), update(TAG, '1')]);
    expect(await next(1)).toEqual(['refs/tags/v1: nothing to 1 @1']);
  });

  it('finds every logged step where tables were merged meanwhile', async () => {
    const { store, other, next } = watched();
    for (const digit of '12345') await other.transaction([update(MAIN, digit)]);
    await other.optimize();
    await store.transaction([update(MAIN, '6')]);
    expect(await next(6)).toEqual([
      'refs/heads/main: nothing to 1 @1',
      'refs/heads/main: 1 to 2 @2',
      'refs/heads/main: 2 to 3 @3',
      'refs/heads/main: 3 to 4 @4',
      'refs/heads/main: 4 to 5 @5',
      'refs/heads/main: 5 to 6 @6',
    ]);
  });

  it('tells the changes of several refs in the order of their transactions', async () => {
    const { other, next } = watched();
    await other.transaction([update('refs/heads/b', '1')]);
    await other.transaction([update('refs/heads/a', '2'), update('refs/heads/b', '2')]);
    await other.transaction([update('refs/heads/b', '3')]);
    await other.optimize();
    expect(await next(4)).toEqual([
      'refs/heads/b: nothing to 1 @1',
      'refs/heads/a: nothing to 2 @2',
      'refs/heads/b: 1 to 2 @2',
      'refs/heads/b: 2 to 3 @3',
    ]);
  });

  it('tells what is left of the changes of a ref without a reflog', async () => {
    const { other, next } = watched();
    for (const digit of '123') await other.transaction([update(TAG, digit)]);
    await other.optimize();
    expect(await next(1)).toEqual(['refs/tags/v1: nothing to 3 @3']);
  });

  it('bridges what a reflog does not tell', async () => {
    const repository = loggedRepository();
    await using(repository, (store) => store.transaction([update(MAIN, '1'), update(TAG, '1')]));
    const { other, next } = watched({}, repository);
    await other.transaction([{ type: 'delete', ref: MAIN }]);
    await other.transaction([update(MAIN, '2')]);
    await other.transaction([update(MAIN, '3')]);
    await other.optimize();
    expect(await next(3)).toEqual([
      'refs/heads/main: 1 to nothing @unknown',
      'refs/heads/main: nothing to 2 @3',
      'refs/heads/main: 2 to 3 @4',
    ]);
    await other.transaction([update(MAIN, '4')]);
    await other.deleteReflog(MAIN);
    await other.transaction([update(MAIN, '5')]);
    await other.optimize();
    expect(await next(2)).toEqual([
      'refs/heads/main: 3 to 4 @unknown',
      'refs/heads/main: 4 to 5 @7',
    ]);
  });

  it('misses a ref whose deletion was merged away', async () => {
    const repository = loggedRepository();
    await using(repository, (store) => store.transaction([update(MAIN, '1'), update(TAG, '1')]));
    const { other, next } = watched({}, repository);
    await other.transaction([{ type: 'delete', ref: MAIN }]);
    await other.transaction([update(TAG, '2')]);
    await other.optimize();
    expect(await next(2)).toEqual([
      'refs/tags/v1: 1 to 2 @3',
      'refs/heads/main: 1 to nothing @unknown',
    ]);
  });

  it('says nothing where nothing has changed', async () => {
    const { store, other, next } = watched();
    await store.transaction([update(TAG, '1')]);
    await next(1);
    await other.transaction([update(TAG, '1')]);
    await other.createReflog(TAG);
    await other.optimize();
    await other.transaction([update(TAG, '2')]);
    expect(await next(1)).toEqual(['refs/tags/v1: 1 to 2 @3']);
  });

  it('is woken by the folder alone, and by looking alone', async () => {
    for (const options of [{ pollInterval: 0 }, { pollInterval: 1 }]) {
      const { other, changes } = watched(options);
      const waiting = changes.next();
      await other.transaction([update(TAG, '1')]);
      expect(shown((await waiting).value)).toBe('refs/tags/v1: nothing to 1 @1');
    }
  });

  it('ends when it is returned from, also while somebody waits', async () => {
    const repository = loggedRepository();
    const { store, changes } = watched({}, repository);
    const waiting = changes.next();
    expect(await changes.return!()).toEqual({ done: true, value: undefined });
    expect(await waiting).toEqual({ done: true, value: undefined });
    await store.transaction([update(TAG, '1')]);
    expect(await changes.next()).toEqual({ done: true, value: undefined });
    const unasked = store.watch();
    await unasked.return!();
    await unasked.return!();
    expect(await unasked.next()).toEqual({ done: true, value: undefined });
    store.close();
    // A thread closes them.
    await expect.poll(() => openFiles(repository)).toEqual([]);
  });

  it('is ended by its signal', async () => {
    const abortion = new AbortController();
    const { changes, store } = watched({ signal: abortion.signal });
    const waiting = changes.next();
    const reason = new Error('enough');
    abortion.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(await changes.next()).toEqual({ done: true, value: undefined });
    expect(() => store.watch({ signal: abortion.signal })).toThrow(reason);
  });

  it('fails where the refs have gone, or cannot be read', async () => {
    const gone = loggedRepository();
    const { store, changes } = watched({}, gone);
    await store.transaction([update(TAG, '1')]);
    await changes.next();
    rmSync(join(gone, 'reftable'), { recursive: true });
    await expect(changes.next()).rejects.toMatchObject({ code: 'NOT_A_REPOSITORY' });
    expect(await changes.next()).toEqual({ done: true, value: undefined });

    const damaged = loggedRepository();
    const second = watched({}, damaged);
    await second.other.transaction([update(TAG, '1')]);
    for (const name of readdirSync(join(damaged, 'reftable'))) {
      if (name.endsWith('.ref')) rmSync(join(damaged, 'reftable', name));
    }
    await expect(second.changes.next()).rejects.toMatchObject({ code: 'MISSING_TABLE' });
  });

  it('goes on with a repository whose last ref was deleted', async () => {
    const { other, next } = watched();
    await other.transaction([update(TAG, '1')]);
    await next(1);
    await other.transaction([{ type: 'delete', ref: TAG }]);
    await other.optimize();
    expect(await next(1)).toEqual(['refs/tags/v1: 1 to nothing @unknown']);
    await other.transaction([update(TAG, '2')]);
    expect(await next(1)).toHaveLength(1);
  });

  it('refuses options of another shape', () => {
    const { store } = watched();
    const wrong = [null, { prefix: 5 }, { persistent: 1 }, { pollInterval: -1 }, { signal: {} }];
    for (const options of wrong) {
      const call = () => store.watch(options as WatchOptions);
      expect(call).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    }
  });

  it('loses nothing and repeats nothing, whenever it is asked', async () => {
    for (let seed = 1; seed <= 25; seed++) {
      const random = generator(seed);
      const repository = loggedRepository();
      const { store, other, changes } = watched({ includeRoot: true }, repository);
      const names = ['HEAD', MAIN, 'refs/heads/b', 'refs/heads/c', TAG, 'refs/tags/v2'];
      const seen = new Map<string, string>();
      const logged = new Map<string, string[]>();
      // A ref whose deletion was merged away is found last: the next transaction is the end of it.
      const take = async (mark: string) => {
        for (let marks = 0; marks < 2; ) {
          const change = (await changes.next()).value as RefChange;
          const isMark = change.name === mark;
          if (isMark && ++marks < 2) await other.transaction([update(mark, '2')]);
          if (change.name.startsWith('refs/marks/')) continue;
          const { name } = change;
          const [from, to] = [change.oldOid ?? change.oldTarget, change.newOid ?? change.newTarget];
          expect([seed, name, from]).toEqual([seed, name, seen.get(name)]);
          expect(from).not.toBe(to);
          if (to === undefined) seen.delete(name);
          else seen.set(name, to);
          logged.set(name, to === undefined ? [] : [...(logged.get(name) ?? []), to]);
        }
      };
      for (let step = 0; step < 60; step++) {
        const writer = random(2) === 0 ? store : other;
        const ref = names[random(names.length)]!;
        const kind = random(10);
        if (kind === 0) await writer.optimize();
        else if (kind === 1) await writer.transaction([{ type: 'delete', ref, deref: false }]);
        else if (kind === 2 && ref === 'HEAD') {
          const newTarget = names[1 + random(3)]!;
          await writer.transaction([{ type: 'symref-update', ref, newTarget }]);
        } else {
          await writer.transaction([{ ...update(ref, String(1 + random(9))), deref: false }]);
        }
        if (random(6) > 0) continue;
        const mark = `refs/marks/${step}`;
        await writer.transaction([update(mark, '1')]);
        await take(mark);
      }
      await other.transaction([update('refs/marks/last', '1')]);
      await take('refs/marks/last');
      const refs = [...store.refs({ includeRoot: true })].filter(
        ({ name }) => !name.startsWith('refs/marks/'),
      );
      expect(new Map(refs.map(({ name, oid, target }) => [name, oid ?? target]))).toEqual(
        new Map([...seen].sort(([a], [b]) => (a < b ? -1 : 1))),
      );
      for (const name of names.filter((each) => each.startsWith('refs/heads/'))) {
        const log = [...store.reflog(name, { order: 'oldest-first' })].map(({ newOid }) => newOid);
        expect([seed, name, logged.get(name) ?? []]).toEqual([seed, name, log]);
      }
    }
  });
});

function update(ref: string, digit: string): RefUpdate {
  return { type: 'update', ref, newOid: oid(digit) };
}

/** Where branches are logged, though it is bare. */
function loggedRepository(): string {
  return emptyRepository('[core]\nlogAllRefUpdates = true\n');
}

/** A store that watches a repository, another one that writes to it, and the next changes in short. */
function watched(
  options: WatchOptions = {},
  repository = loggedRepository(),
  storeOptions: OpenRefStoreOptions = {},
) {
  const store = open(repository, storeOptions);
  const other = open(repository, storeOptions);
  const changes = store.watch(options);
  onTestFinished(async () => {
    await changes.return!();
    store.close();
    other.close();
  });
  const next = async (count: number): Promise<string[]> => {
    const found: string[] = [];
    while (found.length < count) found.push(shown((await changes.next()).value));
    return found;
  };
  return { store, other, changes, next };
}

async function using(repository: string, work: (store: RefStore) => Promise<unknown>) {
  const store = open(repository);
  await work(store);
  store.close();
}

/** `NAME: OLD to NEW @UPDATE-INDEX`, object ids by their first digit. */
function shown({ name, oldOid, oldTarget, newOid, newTarget, updateIndex }: RefChange): string {
  const value = (id?: string, target?: string) => id?.[0] ?? target ?? 'nothing';
  const index = updateIndex ?? 'unknown';
  return `${name}: ${value(oldOid, oldTarget)} to ${value(newOid, newTarget)} @${index}`;
}

/** Numbers from 0 to below what is asked for, the same for a seed. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 16) % below;
  };
}

/** The files of a repository that this process has open. */
function openFiles(repository: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd')
    .map((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`);
      } catch {
        return '';
      }
    })
    .filter((file) => file.startsWith(repository));
}
