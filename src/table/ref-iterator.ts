// The refs of several tables seen as one, as an iterator. Written out, not a generator: a million steps
// through one cost more than what they step over.

import type { RefRecord } from '../format/records.ts';
import type { MergedCursor } from './merged-cursor.ts';

export class RefIterator implements IterableIterator<RefRecord> {
  private readonly cursor: MergedCursor;
  private readonly prefix: Uint8Array;
  /** Called once, when the iterator ends. */
  private readonly onEnd: () => void;
  /** Whether the cursor is at a record. */
  private more: boolean;
  private ended = false;

  /** Goes on from where `cursor` is, if it `isAt` a record, while names begin with `prefix`. */
  constructor(cursor: MergedCursor, isAt: boolean, prefix: Uint8Array, onEnd: () => void) {
    this.cursor = cursor;
    this.more = isAt;
    this.prefix = prefix;
    this.onEnd = onEnd;
  }

  next(): IteratorResult<RefRecord, undefined> {
    const { cursor } = this;
    try {
      while (this.more && cursor.hasPrefix(this.prefix)) {
        const value = cursor.isTombstone ? undefined : cursor.ref();
        this.more = cursor.next();
        if (value !== undefined) return { done: false, value };
      }
    } catch (error) {
      this.end();
      throw error;
    }
    this.end();
    return { done: true, value: undefined };
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
    if (this.ended) return;
    this.ended = true;
    this.onEnd();
  }
}
