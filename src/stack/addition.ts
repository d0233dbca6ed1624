// The append of one table to a stack: the lock is held from `Stack.beginAddition` to `commit` or `abort`.
//
// Where the append makes a compaction with small tables due, the new table is written with them merged in, under
// the lock that is held anyway: one table, one list and one set of fsyncs instead of two. The stack is then
// what Git's append and compaction would have made of it. Larger tables are merged afterwards, without the lock.

import { RefError } from '../errors.ts';
import { versionFor } from '../format/header.ts';
import { type CompactionOptions, compactTables } from '../table/compaction/compactor.ts';
import { Table } from '../table/table.ts';
import { bufferSource } from '../table/table-source.ts';
import type { WrittenTable } from '../table/table-writer.ts';
import type { TableOptions } from './compaction.ts';
import { READ_WHOLE_SIZE } from './file-source.ts';
import { countedSize, type Segment } from './geometry.ts';
import { type HeldStack, removeTables } from './held-stack.ts';
import type { StackSnapshot } from './stack-snapshot.ts';
import type { TableStore } from './table-store.ts';
import { tableName } from './tables-list.ts';

/** What an addition asks of its stack. */
export interface AdditionHost {
  readonly store: TableStore;
  readonly tableOptions: TableOptions;
  /** The tables to merge once one of `addedSize` bytes stands behind those of the snapshot. */
  unbalanced(snapshot: StackSnapshot, addedSize: number): Segment | undefined;
  /** A table was appended, merged with those before it, and the lock given back. */
  folded(): void;
  /** A table was appended as it is, and the lock given back. */
  appended(): void;
}

/** Up to this size together, bytes, older tables are merged while the lock is held: about a millisecond's work. */
const FOLD_SIZE = 1 << 16;

/** The newest tables of a stack, oldest first. */
export interface StackTail {
  /** The place of the first one in the list. */
  readonly start: number;
  readonly tables: readonly Table[];
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
   * The tables to merge with a new one of which only that is known that it has `size` bytes or more, header and
   * footer not counted: all there are, or none. The larger it turns out, the more of them a compaction would
   * merge it with, so that only all is certain.
   */
  allToMerge(size: number): StackTail | undefined {
    const tail = this.#tailToMerge(size);
    return tail?.start === 0 ? tail : undefined;
  }

  /**
   * The tables to merge with a new one of `size` bytes, header and footer not counted: those that a compaction
   * would merge it with, if they are small and nobody compacts one of them. `undefined` if there are none.
   */
  #tailToMerge(size: number): StackTail | undefined {
    const { store, unbalanced } = this.#host;
    const { names } = this.snapshot;
    const segment = unbalanced(this.snapshot, size);
    if (segment === undefined || segment.last !== names.length) return undefined;
    const start = segment.first;
    const tables = this.snapshot.tables.slice(start);
    if (tables.reduce((sum, each) => sum + each.size, 0) > FOLD_SIZE) return undefined;
    // The lock is ours, so that nobody begins to.
    if (names.slice(start).some((name) => store.isTableLocked(name))) return undefined;
    return { start, tables };
  }

  /**
   * Appends the table, durably before the promise resolves, and gives the lock back; `merged` are the tables
   * that are merged into it already, and whose place it takes. A table without records is not appended. On
   * failure the stack is as it was, and the lock given back too.
   * Throws `IO`, `LOCKED` (somebody removed our lock), `INVALID_ARGUMENT` (an update index in use).
   */
  async commit(table: WrittenTable, merged?: StackTail): Promise<void> {
    this.#finish();
    const isEmpty = table.refCount + table.logCount === 0;
    let replaced: readonly string[] = [];
    try {
      if (!isEmpty) replaced = await this.#append(table, merged);
    } catch (error) {
      // A lock that cannot be removed either must not hide why the commit failed.
      await this.#held.release().catch(() => {});
      throw error;
    }
    // The commit stands, so it is no failure if the lock cannot be removed: who wants it next is told.
    await this.#held.release().catch(() => {});
    await removeTables(this.#host.store, replaced);
    // One compaction an append, as in Git, even where what it made is out of proportion again.
    if (replaced.length > 0) this.#host.folded();
    else if (!isEmpty) this.#host.appended();
  }

  /** Tells maintenance of this stack that the lock stays taken for long: it waits no longer than for others. */
  linger(): void {
    this.#held.linger();
  }

  /** Changes nothing and gives the lock back. After `commit` or `abort` it does nothing. */
  async abort(): Promise<void> {
    if (this.#finished) return;
    this.#finish();
    await this.#held.release();
  }

  /** Gives the names of the tables that are in the list no more. */
  async #append(table: WrittenTable, merged?: StackTail): Promise<readonly string[]> {
    const { minUpdateIndex, maxUpdateIndex, size } = table;
    const first = merged?.tables[0]?.minUpdateIndex ?? this.updateIndex;
    if (minUpdateIndex < first) {
      const range = `${minUpdateIndex}..${maxUpdateIndex}`;
      const message = `expected update indexes from ${first} on, found ${range}`;
      throw new RefError('INVALID_ARGUMENT', message);
    }
    const folded = merged === undefined && size <= FOLD_SIZE ? this.#fold(table) : undefined;
    const tail = merged ?? folded;
    const { names } = this.snapshot;
    const start = tail?.start ?? names.length;
    const oldest = tail?.tables[0]?.minUpdateIndex ?? minUpdateIndex;
    const name = tableName(oldest, maxUpdateIndex, this.#host.tableOptions.nameBits?.());
    await this.#replace(start, name, folded?.chunks ?? table.chunks);
    return names.slice(start);
  }

  /** Merges a table with those before it, if that is due and soon done. */
  #fold({ chunks, size }: WrittenTable): (StackTail & { chunks: Uint8Array[] }) | undefined {
    const { tableOptions } = this.#host;
    const { objectFormat } = tableOptions;
    const tail = this.#tailToMerge(countedSize(size, versionFor(objectFormat), objectFormat));
    if (tail === undefined) return undefined;
    const added = Table.open(
      bufferSource('the new table', Buffer.concat(chunks)),
      tableOptions.compression,
    );
    try {
      const options = { ...tableOptions, dropTombstones: tail.start === 0 };
      return { ...tail, chunks: mergeAtOnce([...tail.tables, added], options) };
    } catch {
      // An older table is damaged. It is in nobody's way to append, and told to who reads it.
      return undefined;
    }
  }

  /** Puts a table in the place of those from `start` on; none, if it has no bytes. */
  async #replace(start: number, name: string, chunks: readonly Uint8Array[]): Promise<void> {
    const { store } = this.#host;
    const end = this.snapshot.names.length;
    if (chunks.length === 0) {
      await this.#held.replace(start, end, undefined);
      return;
    }
    const staged = await store.stage(name, [chunks]);
    const size = chunks.reduce((sum, { length }) => sum + length, 0);
    // A small table is known by heart and need not be read back.
    const source =
      size <= READ_WHOLE_SIZE
        ? bufferSource(`${store.location}/${name}`, Buffer.concat(chunks))
        : undefined;
    await this.#held.replace(start, end, staged, source);
  }

  #finish(): void {
    if (this.#finished)
      throw new RefError('CLOSED', 'the addition was committed or aborted before');
    this.#finished = true;
  }
}

/** Merges tables without a pause; gives no bytes if no record is left. */
function mergeAtOnce(tables: readonly Table[], options: CompactionOptions): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (const steps = compactTables(tables, options); ; ) {
    const { done, value } = steps.next();
    if (done) return value.isEmpty ? [] : chunks;
    chunks.push(...value);
  }
}
