// A stack while this process holds its lock: as it stands, and the one way to change it. Additions and
// compactions both go through here. spec/locking.md tells the order.

import type { TableSource } from '../table/table-source.ts';
import { Breather } from './breather.ts';
import type { StackSnapshot } from './stack-snapshot.ts';
import type { StagedTable, StoreLock, TableList, TableStore } from './table-store.ts';

/** What a held stack asks of the stack that it is. */
export interface StackOwner {
  readonly store: TableStore;
  /** Makes `list` the current one; `known` are tables that need not be opened. Never throws. */
  install(list: TableList, known: ReadonlyMap<string, TableSource>): void;
  /** The lock is about to be given back. */
  unlocked(): void;
}

export class HeldStack {
  /** The stack as it is while the lock is held. */
  readonly snapshot: StackSnapshot;
  readonly #owner: StackOwner;
  readonly #lock: StoreLock;
  readonly #list: TableList;
  readonly #lingers: () => void;
  #released = false;

  /** `list` is the reading that `snapshot` was made from; `lingers` is called where the lock is kept for long. */
  constructor(
    owner: StackOwner,
    lock: StoreLock,
    list: TableList,
    snapshot: StackSnapshot,
    lingers: () => void,
  ) {
    this.snapshot = snapshot.retain();
    this.#owner = owner;
    this.#lock = lock;
    this.#list = list;
    this.#lingers = lingers;
  }

  linger(): void {
    this.#lingers();
  }

  /**
   * Puts `table`, or nothing, in the place of the tables `[start, end)` of the list, durably before the
   * promise resolves. `source` saves opening the table's file. On failure the stack is as it was, and the
   * table is gone. Throws `IO`, `LOCKED` (somebody removed our lock).
   */
  async replace(
    start: number,
    end: number,
    table: StagedTable | undefined,
    source?: TableSource,
  ): Promise<void> {
    const { store } = this.#owner;
    const before = this.#list.names;
    const added = table === undefined ? [] : [table.name];
    const names = [...before.slice(0, start), ...added, ...before.slice(end)];
    let list: TableList;
    try {
      list = await store.swapList(this.#list, names, table);
    } catch (error) {
      table?.discard();
      for (const name of added) removeUnlisted(store, name);
      throw error;
    }
    const known = table && source ? [[table.name, source] as const] : [];
    this.#owner.install(list, new Map(known));
  }

  /** Gives the lock back; a second call does nothing. Throws `IO` where it cannot be removed. */
  async release(): Promise<void> {
    if (this.#released) return;
    this.#released = true;
    this.snapshot.release();
    // First: from here on the stack must look at the list again before it answers.
    this.#owner.unlocked();
    await this.#lock.release();
  }
}

/** Removes a table that was not listed, if that is certain: a listed table must never be removed. */
function removeUnlisted(store: TableStore, name: string): void {
  try {
    const list = store.readList();
    store.releaseList(list);
    if (!list.names.includes(name)) store.remove(name);
  } catch {
    // Left to the next cleaning.
  }
}

/** Removes tables that are in the list no more: who reads them has them open. */
export async function removeTables(store: TableStore, names: readonly string[]): Promise<void> {
  const breather = new Breather();
  for (const name of names) {
    await breather.breathe();
    try {
      store.remove(name);
    } catch {
      // Left to the next cleaning; on Windows a file that somebody has open cannot be removed.
    }
  }
}
