// The append of one table to a stack: the lock is held from `Stack.beginAddition` to `commit` or `abort`.
//
// Where the append makes a compaction of small tables due, the table is merged with them before it is written,
// under the lock that is held anyway: one table, one list and one set of fsyncs instead of two. The stack is
// then what Git's append and compaction would have made of it. Larger tables are merged afterwards, without
// the lock.

import { RefError } from '../errors.ts';
import { compactTables } from '../table/compactor.ts';
import { Table } from '../table/table.ts';
import { bufferSource, type TableSource } from '../table/table-source.ts';
import type { WrittenTable } from '../table/table-writer.ts';
import type { TableOptions } from './compaction.ts';
import { READ_WHOLE_SIZE } from './file-source.ts';
import type { Segment } from './geometry.ts';
import { type HeldStack, removeTables } from './held-stack.ts';
import type { StackSnapshot } from './stack-snapshot.ts';
import type { StagedTable, TableStore } from './table-store.ts';
import { tableName } from './tables-list.ts';

/** What an addition asks of its stack. */
export interface AdditionHost {
  readonly store: TableStore;
  readonly tableOptions: TableOptions;
  /** The tables to merge once `added` stands behind those of the snapshot, its last place included. */
  unbalanced(snapshot: StackSnapshot, added: Table): Segment | undefined;
  /** Tables were merged. */
  folded(): void;
  /** A table was appended and the lock given back. */
  appended(): void;
}

/** Up to this size together, bytes, tables are merged while the lock is held: that takes about a millisecond. */
const FOLD_SIZE = 1 << 16;

/** What takes the place of the tables from `start` on. */
interface NewEnd {
  start: number;
  name: string;
  /** None where no record is left. */
  chunks: readonly Uint8Array[];
}

export class Addition {
  /** The first update index that the new table may use. */
  readonly updateIndex: number;
  readonly #host: AdditionHost;
  readonly #held: HeldStack;
  #finished = false;

  constructor(host: AdditionHost, held: HeldStack) {
    this.updateIndex = held.snapshot.nextUpdateIndex;
    this.#host = host;
    this.#held = held;
  }

  /** The stack as it is while the lock is held. */
  get snapshot(): StackSnapshot {
    return this.#held.snapshot;
  }

  /**
   * Appends the table, durably before the promise resolves, and gives the lock back. A table without
   * records is not appended. On failure the stack is as it was, and the lock given back too.
   * Throws `IO`, `LOCKED` (somebody removed our lock), `INVALID_ARGUMENT` (an update index in use).
   */
  async commit(table: WrittenTable): Promise<void> {
    this.#finish();
    const isEmpty = table.refCount + table.logCount === 0;
    let replaced: readonly string[] = [];
    try {
      if (!isEmpty) replaced = await this.#append(table);
    } catch (error) {
      // A lock that cannot be removed either must not hide why the commit failed.
      await this.#held.release().catch(() => {});
      throw error;
    }
    // The commit stands, so it is no failure if the lock cannot be removed: who wants it next is told.
    await this.#held.release().catch(() => {});
    removeTables(this.#host.store, replaced);
    if (!isEmpty) this.#host.appended();
  }

  /** Changes nothing and gives the lock back. After `commit` or `abort` it does nothing. */
  async abort(): Promise<void> {
    if (this.#finished) return;
    this.#finish();
    await this.#held.release();
  }

  /** Gives the names of the tables that are in the list no more. */
  async #append(table: WrittenTable): Promise<readonly string[]> {
    const { minUpdateIndex, maxUpdateIndex } = table;
    if (minUpdateIndex < this.updateIndex) {
      const range = `${minUpdateIndex}..${maxUpdateIndex}`;
      const message = `expected update indexes from ${this.updateIndex} on, found ${range}`;
      throw new RefError('INVALID_ARGUMENT', message);
    }
    const { names } = this.snapshot;
    const end = names.length;
    const name = tableName(minUpdateIndex, maxUpdateIndex);
    const newEnd = this.#fold(table) ?? { start: end, name, chunks: table.chunks };
    await this.#held.replace(newEnd.start, end, ...(await this.#stage(newEnd)));
    if (newEnd.start < end) this.#host.folded();
    return names.slice(newEnd.start);
  }

  /** Merges the table with those before it, if that is due and soon done. */
  #fold({ chunks, size, maxUpdateIndex }: WrittenTable): NewEnd | undefined {
    if (size > FOLD_SIZE) return undefined;
    const { store, tableOptions, unbalanced } = this.#host;
    const { tables, names } = this.snapshot;
    const source = bufferSource('the new table', Buffer.concat(chunks));
    const added = Table.open(source, tableOptions.compression);
    const segment = unbalanced(this.snapshot, added);
    if (segment === undefined || segment.last !== tables.length) return undefined;
    const { first } = segment;
    const merged = [...tables.slice(first), added];
    if (merged.reduce((sum, each) => sum + each.size, 0) > FOLD_SIZE) return undefined;
    // The lock is ours, so that nobody else begins to compact one of them.
    if (names.slice(first).some((name) => store.isTableLocked(name))) return undefined;
    try {
      const { chunks, isEmpty } = mergeAtOnce(merged, {
        ...tableOptions,
        dropTombstones: first === 0,
      });
      return {
        start: first,
        name: tableName(merged[0]!.minUpdateIndex, maxUpdateIndex),
        chunks: isEmpty ? [] : chunks,
      };
    } catch {
      // An older table is damaged. It is in nobody's way to append, and told to who reads it.
      return undefined;
    }
  }

  /** Writes the table, if there is one; a small one is known by heart and need not be read back. */
  async #stage({ name, chunks }: NewEnd): Promise<[StagedTable?, TableSource?]> {
    if (chunks.length === 0) return [];
    const { store } = this.#host;
    const staged = await store.stage(name, [chunks]);
    const size = chunks.reduce((sum, { length }) => sum + length, 0);
    if (size > READ_WHOLE_SIZE) return [staged];
    return [staged, bufferSource(`${store.location}/${name}`, Buffer.concat(chunks))];
  }

  #finish(): void {
    if (this.#finished)
      throw new RefError('CLOSED', 'the addition was committed or aborted before');
    this.#finished = true;
  }
}

/** Merges small tables without a pause. */
function mergeAtOnce(tables: readonly Table[], options: Parameters<typeof compactTables>[1]) {
  const chunks: Uint8Array[] = [];
  const steps = compactTables(tables, options);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return { chunks, isEmpty: value.isEmpty };
    chunks.push(...value);
  }
}
