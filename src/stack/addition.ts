// The append of one table to a stack: the lock is held from `Stack.beginAddition` to `commit` or `abort`.
// spec/locking.md tells the order.

import { RefError } from '../errors.ts';
import type { WrittenTable } from '../table/table-writer.ts';
import type { StackSnapshot } from './stack-snapshot.ts';
import type { StoreLock, TableList, TableStore } from './table-store.ts';
import { tableName } from './tables-list.ts';

/** What an addition asks of its stack. */
export interface AdditionHost {
  readonly store: TableStore;
  /** Makes `list` the current one; `written` is the table that it names last. Never throws. */
  install(list: TableList, written: WrittenTable): void;
  /** The lock is about to be given back. */
  unlocked(): void;
}

export class Addition {
  /** The stack as it is while the lock is held. */
  readonly snapshot: StackSnapshot;
  /** The first update index that the new table may use. */
  readonly updateIndex: number;
  readonly #host: AdditionHost;
  readonly #lock: StoreLock;
  readonly #list: TableList;
  #finished = false;

  /** `list` is the reading that `snapshot` was made from. */
  constructor(host: AdditionHost, lock: StoreLock, list: TableList, snapshot: StackSnapshot) {
    this.updateIndex = snapshot.nextUpdateIndex;
    this.snapshot = snapshot.retain();
    this.#host = host;
    this.#lock = lock;
    this.#list = list;
  }

  /**
   * Appends the table, durably before the promise resolves, and gives the lock back. A table without
   * records is not appended. On failure the stack is as it was, and the lock given back too.
   * Throws `IO`, `LOCKED` (somebody removed our lock), `INVALID_ARGUMENT` (an update index in use).
   */
  async commit(table: WrittenTable): Promise<void> {
    this.#finish();
    try {
      if (table.refCount + table.logCount > 0) await this.#append(table);
    } catch (error) {
      // A lock that cannot be removed either must not hide why the commit failed.
      await this.#unlock().catch(() => {});
      throw error;
    }
    // The commit stands, so it is no failure if the lock cannot be removed: who wants it next is told.
    await this.#unlock().catch(() => {});
  }

  /** Changes nothing and gives the lock back. After `commit` or `abort` it does nothing. */
  async abort(): Promise<void> {
    if (this.#finished) return;
    this.#finish();
    await this.#unlock();
  }

  async #append(table: WrittenTable): Promise<void> {
    if (table.minUpdateIndex < this.updateIndex) {
      const range = `${table.minUpdateIndex}..${table.maxUpdateIndex}`;
      const message = `expected update indexes from ${this.updateIndex} on, found ${range}`;
      throw new RefError('INVALID_ARGUMENT', message);
    }
    const { store } = this.#host;
    const random32 = Math.floor(Math.random() * 2 ** 32);
    const name = tableName(table.minUpdateIndex, table.maxUpdateIndex, random32);
    await store.put(name, table.chunks);
    let list: TableList;
    try {
      list = await store.swapList(this.#list, [...this.#list.names, name]);
    } catch (error) {
      removeUnlisted(store, name);
      throw error;
    }
    this.#host.install(list, table);
  }

  #finish(): void {
    if (this.#finished)
      throw new RefError('CLOSED', 'the addition was committed or aborted before');
    this.#finished = true;
  }

  async #unlock(): Promise<void> {
    this.snapshot.release();
    // First: from here on the stack must look at the list again before it answers.
    this.#host.unlocked();
    await this.#lock.release();
  }
}

/** Removes a table that was not published, if that is certain: a listed table must never be removed. */
function removeUnlisted(store: TableStore, name: string): void {
  try {
    const list = store.readList();
    store.releaseList(list);
    if (!list.names.includes(name)) store.remove(name);
  } catch {
    // Left to the next cleaning.
  }
}
