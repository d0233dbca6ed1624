// The refs of several tables seen as one, as an iterator. Written out, not a generator: a million steps
// through one cost more than what they step over.

import type { RefRecord } from '../format/records.ts';
import type { MergedCursor } from './merged-cursor.ts';
import type { TableCursor } from './table-cursor.ts';

export class RefIterator implements IterableIterator<RefRecord> {
  private readonly cursor: MergedCursor;
  private readonly prefix: Uint8Array;
  /** Called once, when the iterator ends. */
  private readonly onEnd: () => void;
  /** Whether the cursor is at a record. */
  private more: boolean;
  /** Whether that one was given out already. */
  private passed = false;
  private ended = false;

  /** Goes on from where `cursor` is, if it `isAt` a record, while names begin with `prefix`. */
  constructor(cursor: MergedCursor, isAt: boolean, prefix: Uint8Array, onEnd: () => void) {
    this.cursor = cursor;
    this.more = isAt;
    this.prefix = prefix;
    this.onEnd = onEnd;
  }

  next(): IteratorResult<RefRecord, undefined> {
    const cursor = this.nextRaw();
    return cursor === undefined
      ? { done: true, value: undefined }
      : { done: false, value: cursor.ref() };
  }

  /**
   * Moves on as `next` does, but gives the cursor at the ref instead of what it reads there; `undefined` at the
   * end. The cursor is good until the next call, which goes on from where it is then.
   */
  nextRaw(): TableCursor | undefined {
    const { cursor } = this;
    try {
      if (this.passed) this.more = cursor.next();
      this.passed = true;
      while (this.more && cursor.hasPrefix(this.prefix)) {
        if (!cursor.isTombstone) return cursor.current;
        this.more = cursor.next();
      }
    } catch (error) {
      this.end();
      throw error;
    }
    this.end();
    return undefined;
  }

  /**
   * Before which record of its batch the cursor that `nextRaw` gave may be moved, for those up to there are the refs
   * that come next.
   */
  get runEnd(): number {
    return this.cursor.runEnd(this.prefix);
  }

  return(): IteratorResult<RefRecord, undefined> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.iterator](): this {
    return this;
  }

  private end(): void {
    this.more = false;
    this.passed = false;
    if (this.ended) return;
    this.ended = true;
    this.onEnd();
  }
}
