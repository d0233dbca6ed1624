// Answers questions about many names at the cost of one walk along a table: asked in ascending order, a
// name costs little more than a comparison, because nothing lies between the last answer and the next
// record. Asked in another order it seeks, and is right all the same.

import type { RefRecord } from '../format/records.ts';
import { compareText, encodeText } from '../format/text.ts';
import type { MergedCursor } from './merged-cursor.ts';
import { logKeyPrefix, type MergedTable } from './merged-table.ts';

/** So many records are stepped over before a seek is cheaper. */
const MAX_STEPS = 32;

export class NameWalker {
  private readonly cursor: MergedCursor;
  private readonly keyOf: (name: string) => Uint8Array;
  private readonly nameAt: (cursor: MergedCursor) => string;
  /** No record has a name between `from` and `next`, nor is one named `from` unless it was passed. */
  private from: string | undefined;
  private passed = false;
  /** The name of the record that the cursor is at; `undefined` behind the last one. */
  private next: string | undefined;

  /** Walks the refs. */
  static refs(table: MergedTable): NameWalker {
    return new NameWalker(table.refCursor(), encodeText, (cursor) => cursor.refName());
  }

  /** Walks the reflogs. */
  static logs(table: MergedTable): NameWalker {
    return new NameWalker(table.logCursor(), logKeyPrefix, (cursor) => cursor.logName());
  }

  private constructor(
    cursor: MergedCursor,
    keyOf: (name: string) => Uint8Array,
    nameAt: (cursor: MergedCursor) => string,
  ) {
    this.cursor = cursor;
    this.keyOf = keyOf;
    this.nameAt = nameAt;
  }

  /** The ref of that name; `undefined` if there is none. Only where the refs are walked. */
  ref(name: string): RefRecord | undefined {
    this.moveTo(name);
    return this.next === name && !this.cursor.isTombstone ? this.cursor.ref() : undefined;
  }

  /** Whether there is a record of that name, tombstones not counted. */
  has(name: string): boolean {
    this.moveTo(name);
    while (this.next === name && this.cursor.isTombstone) this.step();
    return this.next === name;
  }

  /** The first name that is at least `name`, tombstones not counted. */
  firstFrom(name: string): string | undefined {
    this.moveTo(name);
    while (this.next !== undefined && this.cursor.isTombstone) this.step();
    return this.next;
  }

  /** Moves to the first record whose name is at least `name`. */
  private moveTo(name: string): void {
    const order = this.from === undefined ? -1 : compareText(name, this.from);
    if (order < 0 || (order === 0 && this.passed)) {
      this.seek(name);
      return;
    }
    for (let steps = 0; this.next !== undefined && compareText(this.next, name) < 0; steps++) {
      if (steps === MAX_STEPS) {
        this.seek(name);
        return;
      }
      this.step();
    }
  }

  private seek(name: string): void {
    // Who asks on after a read that failed has to seek again.
    this.from = undefined;
    this.next = this.cursor.seek(this.keyOf(name)) ? this.nameAt(this.cursor) : undefined;
    this.from = name;
    this.passed = false;
  }

  private step(): void {
    const passed = this.next;
    this.from = undefined;
    this.next = this.cursor.next() ? this.nameAt(this.cursor) : undefined;
    this.from = passed;
    this.passed = true;
  }
}
