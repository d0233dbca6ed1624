// Walks the records of several tables in the order of their keys, each key once: where several tables
// have it, the newest one's record counts. A tombstone is a record like any other here.

import { compareRanges } from '../format/bytes.ts';
import { type LogRecord, type RefRecord, TOMBSTONE } from '../format/records.ts';
import type { Table } from './table.ts';
import { TableCursor } from './table-cursor.ts';

export class MergedCursor {
  /** The table cursor at the current record. */
  current: TableCursor | undefined;

  /** Oldest first, as the tables. */
  private readonly cursors: readonly TableCursor[];
  /**
   * A binary heap of the cursors that have a record: the smallest key first, and of equal keys the
   * newest table's.
   */
  private heap: number[] = [];

  /** `tables` oldest first. */
  constructor(tables: readonly Table[], section: 'refs' | 'logs') {
    this.cursors = tables.map((table) => new TableCursor(table, section));
  }

  /** Moves to the first record; `false` if there is none. */
  seekFirst(): boolean {
    return this.build((cursor) => cursor.seekFirst());
  }

  /** Moves to the first record whose key is at least `key`; `false` if there is none. */
  seek(key: Uint8Array): boolean {
    return this.build((cursor) => cursor.seek(key));
  }

  /** Moves to the record with the next key; `false` if there is none. */
  next(): boolean {
    const { heap, cursors } = this;
    if (heap.length === 0) return false;
    if (heap.length === 1) {
      // One table left, the big one as a rule: nothing to compare.
      if (cursors[heap[0]!]!.next()) return true;
      heap.length = 0;
      this.current = undefined;
      return false;
    }
    // First the older records of the same key, which the current one hides.
    for (let child = this.smallerChild(0); child > 0; child = this.smallerChild(0)) {
      if (!this.sameKey(heap[0]!, heap[child]!)) break;
      this.advance(child);
    }
    this.advance(0);
    this.current = heap.length > 0 ? cursors[heap[0]!] : undefined;
    return this.current !== undefined;
  }

  /** Whether the current record is a tombstone. */
  get isTombstone(): boolean {
    const { batch, index } = this.current!;
    return batch.valueTypes[index] === TOMBSTONE;
  }

  /** The current ref. */
  ref(): RefRecord {
    return this.current!.ref();
  }

  /** The name of the current ref. */
  refName(): string {
    return this.current!.refName();
  }

  /** The current log record of the ref `name`. */
  log(name: string): LogRecord {
    return this.current!.log(name);
  }

  /** The name in the current log record's key. */
  logName(): string {
    return this.current!.logName();
  }

  /** Whether the current key begins with `prefix`. */
  hasPrefix(prefix: Uint8Array): boolean {
    return this.current!.hasPrefix(prefix);
  }

  private build(seek: (cursor: TableCursor) => boolean): boolean {
    this.heap = [];
    this.cursors.forEach((cursor, i) => {
      if (seek(cursor)) this.heap.push(i);
    });
    for (let i = (this.heap.length >> 1) - 1; i >= 0; i--) this.siftDown(i);
    this.current = this.heap.length > 0 ? this.cursors[this.heap[0]!] : undefined;
    return this.current !== undefined;
  }

  /** Moves the cursor at heap position `at` to its next record, or takes it out. */
  private advance(at: number): void {
    const { heap, cursors } = this;
    if (!cursors[heap[at]!]!.next()) {
      const last = heap.pop()!;
      if (at === heap.length) return;
      heap[at] = last;
    }
    this.siftDown(at);
  }

  private siftDown(from: number): void {
    const { heap } = this;
    let at = from;
    for (;;) {
      const child = this.smallerChild(at);
      if (child < 0 || this.order(heap[at]!, heap[child]!) < 0) return;
      const moved = heap[at]!;
      heap[at] = heap[child]!;
      heap[child] = moved;
      at = child;
    }
  }

  /** The position of the smaller of the two children of heap position `at`; -1 if it has none. */
  private smallerChild(at: number): number {
    const { heap } = this;
    const left = 2 * at + 1;
    if (left >= heap.length) return -1;
    const right = left + 1;
    return right < heap.length && this.order(heap[right]!, heap[left]!) < 0 ? right : left;
  }

  private order(a: number, b: number): number {
    return this.compareKeys(a, b) || b - a;
  }

  private sameKey(a: number, b: number): boolean {
    return this.compareKeys(a, b) === 0;
  }

  private compareKeys(a: number, b: number): number {
    const x = this.cursors[a]!;
    const y = this.cursors[b]!;
    return compareRanges(
      x.batch.keys,
      x.batch.keyStarts[x.index]!,
      x.batch.keyStarts[x.index + 1]!,
      y.batch.keys,
      y.batch.keyStarts[y.index]!,
      y.batch.keyStarts[y.index + 1]!,
    );
  }
}
