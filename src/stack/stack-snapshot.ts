// One view of a stack: the tables that one reading of the list named. Tables are shared between the
// snapshots that name them, and a table is closed with the last of these, so that a snapshot goes on
// reading files that a compaction has long removed.

import { RefError } from '../errors.ts';
import { MergedTable } from '../table/merged-table.ts';
import type { Table } from '../table/table.ts';

/** An open table and how many use it. */
export class SharedTable {
  readonly name: string;
  readonly table: Table;
  #users = 1;

  /** Has one user: who opened it. */
  constructor(name: string, table: Table) {
    this.name = name;
    this.table = table;
  }

  retain(): this {
    this.#users++;
    return this;
  }

  release(): void {
    if (--this.#users === 0) this.table.close();
  }
}

/** The tables of a stack at one moment. */
export class StackSnapshot {
  /** The tables' names in the list, oldest first. */
  readonly names: readonly string[];
  /** Oldest first. */
  readonly tables: readonly Table[];
  /** All of them read as one. */
  readonly merged: MergedTable;
  readonly #shared: ReadonlyMap<string, SharedTable>;
  #users = 1;

  /** Has one user, the maker, and takes over one use of each table. */
  constructor(shared: readonly SharedTable[]) {
    this.#shared = new Map(shared.map((table) => [table.name, table]));
    this.names = shared.map(({ name }) => name);
    this.tables = shared.map(({ table }) => table);
    this.merged = new MergedTable(this.tables);
  }

  /** The table of that name, with one use more; `undefined` if this snapshot does not have it. */
  share(name: string): SharedTable | undefined {
    return this.#shared.get(name)?.retain();
  }

  /** The last update index there is; 0 in an empty stack. */
  get lastUpdateIndex(): number {
    let last = 0;
    for (const { maxUpdateIndex } of this.tables) last = Math.max(last, maxUpdateIndex);
    return last;
  }

  /**
   * The update index that comes after all there are. Throws `UNSUPPORTED_REPOSITORY` where it would be
   * 2^53 or more.
   */
  get nextUpdateIndex(): number {
    const last = this.lastUpdateIndex;
    if (last < Number.MAX_SAFE_INTEGER) return last + 1;
    throw new RefError(
      'UNSUPPORTED_REPOSITORY',
      `expected an update index below 2^53 - 1 to continue from, found ${last}`,
    );
  }

  /** Keeps the tables open until one `release` more. */
  retain(): this {
    this.#users++;
    return this;
  }

  release(): void {
    if (--this.#users > 0) return;
    for (const shared of this.#shared.values()) shared.release();
  }
}
