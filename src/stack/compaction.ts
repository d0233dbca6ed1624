// Compaction: a run of tables becomes one. The writers' lock is held while the run is chosen and its tables are
// locked, and again while the list is changed, but not while the tables are merged: others append meanwhile.
// Git does the same, with the same lock files. spec/compaction.md tells the protocol.

import { RefError } from '../errors.ts';
import type { Compression } from '../format/compression.ts';
import type { ObjectFormat } from '../format/object-format.ts';
import { compactTables, type LogExpiry } from '../table/compaction/compactor.ts';
import { Breather } from './breather.ts';
import type { Segment } from './geometry.ts';
import { type HeldStack, removeTables } from './held-stack.ts';
import type { StackSnapshot } from './stack-snapshot.ts';
import type { StagedTable, StoreLock, TableStore } from './table-store.ts';
import { tableName } from './tables-list.ts';

/** How a stack's tables are written. */
export interface TableOptions {
  objectFormat: ObjectFormat;
  compression: Compression;
  /** Bytes; `undefined` for the default of 4096. */
  blockSize?: number | undefined;
  /** Records; `undefined` for the default of 16. */
  restartInterval?: number | undefined;
  indexObjects?: boolean | undefined;
  /** Gives 32 bits for the name of a table, where it is not to be left to chance. */
  nameBits?: (() => number) | undefined;
}

/** What to compact, and how. */
export interface CompactionRequest {
  /** The tables to merge, of the stack as it is when its lock is held; `undefined`: nothing to do. */
  choose(snapshot: StackSnapshot): Segment | undefined;
  /** Where somebody compacts the older ones of these tables, to go on with the newer ones. */
  bestEffort: boolean;
  /** Log entries to leave out. */
  expiry?: LogExpiry | undefined;
}

/** What a compaction asks of its stack. */
export interface CompactionHost {
  readonly store: TableStore;
  readonly tableOptions: TableOptions;
  /** Takes the writers' lock. Throws `LOCKED`, and what reading the stack throws. */
  hold(): Promise<HeldStack>;
}

/** The tables that are being merged: open and locked. */
interface LockedTables {
  readonly snapshot: StackSnapshot;
  readonly segment: Segment;
  readonly locks: readonly StoreLock[];
}

/**
 * Compacts what the request chooses; whether there was anything to do. Throws `LOCKED` where others compact or
 * write for too long, `IO`, and what reading the tables throws; the stack is then as it was.
 */
export async function compact(host: CompactionHost, request: CompactionRequest): Promise<boolean> {
  const locked = await lockTables(host, request);
  if (locked === undefined) return false;
  try {
    const merged = await merge(host, locked, request.expiry);
    try {
      await replaceTables(host, locked, merged);
    } catch (error) {
      merged?.discard();
      throw error;
    }
    // Nobody opens them any more; who reads them has them open.
    await removeTables(host.store, namesIn(locked));
    return true;
  } finally {
    locked.snapshot.release();
    await releaseAll(locked.locks);
  }
}

async function lockTables(
  host: CompactionHost,
  request: CompactionRequest,
): Promise<LockedTables | undefined> {
  const held = await host.hold();
  const locks: StoreLock[] = [];
  try {
    const segment = await lockSegment(host.store, held.snapshot, request, locks);
    if (segment === undefined) return undefined;
    const locked = { snapshot: held.snapshot.retain(), segment, locks };
    await held.release();
    return locked;
  } catch (error) {
    await releaseAll(locks);
    throw error;
  } finally {
    await held.release();
  }
}

/** Takes the locks of the chosen tables; gives the segment of those that could be had. */
async function lockSegment(
  store: TableStore,
  snapshot: StackSnapshot,
  { choose, bestEffort }: CompactionRequest,
  locks: StoreLock[],
): Promise<Segment | undefined> {
  const chosen = choose(snapshot);
  if (chosen === undefined) return undefined;
  const { first, last } = chosen;
  const breather = new Breather();
  // From the newest: where an older process still compacts what was there before, what came since is free.
  for (let i = last; i >= first; i--) {
    const lock = await store.lockTable(snapshot.names[i]!);
    await breather.breathe();
    if (lock !== undefined) {
      locks.push(lock);
    } else if (bestEffort && locks.length >= 2) {
      return { first: i + 1, last };
    } else {
      const file = `${store.location}/${snapshot.names[i]!}.lock`;
      throw new RefError('LOCKED', `${file}: somebody else compacts this table`, { file });
    }
  }
  return chosen;
}

/** Writes the merged table; `undefined` if no record is left. */
async function merge(
  { store, tableOptions }: CompactionHost,
  { snapshot, segment }: LockedTables,
  expiry: LogExpiry | undefined,
): Promise<StagedTable | undefined> {
  const tables = snapshot.tables.slice(segment.first, segment.last + 1);
  const [oldest, newest] = [tables[0]!, tables.at(-1)!];
  const bits = tableOptions.nameBits?.();
  const name = tableName(oldest.minUpdateIndex, newest.maxUpdateIndex, bits);
  const dropTombstones = segment.first === 0;
  const steps = compactTables(tables, { ...tableOptions, dropTombstones, expiry });
  let isEmpty = false;
  const pieces = {
    *[Symbol.iterator]() {
      ({ isEmpty } = yield* steps);
    },
  };
  const staged = await store.stage(name, pieces);
  if (isEmpty) {
    staged.discard();
    return undefined;
  }
  // Before the lock is taken again: a large table takes its time.
  try {
    await staged.finish();
    return staged;
  } catch (error) {
    staged.discard();
    throw error;
  }
}

/** Puts the merged table where its tables stand in the list now. */
async function replaceTables(
  host: CompactionHost,
  locked: LockedTables,
  merged: StagedTable | undefined,
): Promise<void> {
  const held = await host.hold();
  try {
    const names = namesIn(locked);
    const start = held.snapshot.names.indexOf(names[0]!);
    if (start < 0 || names.some((name, i) => held.snapshot.names[start + i] !== name)) {
      const message = `${host.store.location}: the tables were replaced while they were compacted`;
      throw new RefError('LOCKED', message, { file: host.store.location });
    }
    await held.replace(start, start + names.length, merged);
  } finally {
    await held.release();
  }
}

function namesIn({ snapshot, segment }: LockedTables): readonly string[] {
  return snapshot.names.slice(segment.first, segment.last + 1);
}

async function releaseAll(locks: readonly StoreLock[]): Promise<void> {
  const breather = new Breather();
  for (const lock of locks) {
    await lock.release().catch(() => {});
    await breather.breathe();
  }
}
