// The entries of a batch in the order of their names, and what is found out in one walk along them.

import { compareRanges } from '../format/bytes.ts';
import { encodeText } from '../format/text.ts';
import type { RefView } from './ref-view.ts';
import { CROWDED, type UpdateBatch } from './update-batch.ts';

export class NameOrder {
  private readonly batch: UpdateBatch;
  /** The entries' numbers in byte order of the names; `undefined` while that is the order they came in. */
  private order: Int32Array | undefined;
  /** How many entries are in the order; a batch may grow behind it. */
  readonly count: number;

  /** All entries that `batch` has now. */
  constructor(batch: UpdateBatch) {
    this.batch = batch;
    this.count = batch.count;
    if (batch.isAscending) return;
    this.order = new Int32Array(this.count).map((_, position) => position);
    this.order.sort((a, b) => batch.compareNames(a, b) || a - b);
  }

  /** The number of the entry at a position of the order. */
  at(position: number): number {
    return this.order === undefined ? position : this.order[position]!;
  }

  /** A name that is there twice. */
  findDuplicate(): string | undefined {
    if (this.order === undefined) return undefined;
    for (let i = 1; i < this.count; i++) {
      if (this.batch.compareNames(this.at(i - 1), this.at(i)) === 0)
        return this.batch.name(this.at(i));
    }
    return undefined;
  }

  /** Whether the order is another than the one that the entries came in. */
  get isReordered(): boolean {
    return this.order !== undefined;
  }

  /** The entry of this name; -1 if there is none. */
  find(name: string): number {
    const key = encodeText(name);
    const position = this.positionOf(key);
    const isThere = position < this.count && this.compare(position, key) === 0;
    return isThere ? this.at(position) : -1;
  }

  has(name: string): boolean {
    return this.find(name) >= 0;
  }

  /** The first name that begins with `prefix`. */
  firstWithPrefix(prefix: string): string | undefined {
    const position = this.positionOf(encodeText(prefix));
    if (position === this.count) return undefined;
    const name = this.batch.name(this.at(position));
    return name.startsWith(prefix) ? name : undefined;
  }

  /**
   * Merges the names with the refs in `view`: calls `found` for each entry whose ref exists. All names up
   * to the next ref are absent, without a look-up each. Marks the entries that may have names below them.
   */
  merge(view: RefView, found: (entry: number) => void): void {
    const { batch } = this;
    for (let position = 0; position < this.count; ) {
      const next = view.firstFrom(batch.name(this.at(position)));
      const key = next === undefined ? undefined : encodeText(next);
      const end = key === undefined ? this.count : this.positionOf(key, position);
      this.markCrowded(position, end, key);
      position = end;
      if (key !== undefined && position < this.count && this.compare(position, key) === 0) {
        found(this.at(position++));
      }
    }
  }

  /**
   * What lies below a name follows it at once, so the name that follows tells whether there can be any.
   * Between the entries from `start` to `end` there is no ref; `next` is the first one behind them.
   */
  private markCrowded(start: number, end: number, next: Uint8Array | undefined): void {
    const { batch } = this;
    const { names, nameEnds, flags } = batch;
    for (let position = start; position < end; position++) {
      const entry = this.at(position);
      const from = batch.nameStart(entry);
      const to = nameEnds[entry]!;
      let following = names;
      let at = 0;
      let length = 0;
      if (position + 1 < end) {
        const other = this.at(position + 1);
        at = batch.nameStart(other);
        length = nameEnds[other]! - at;
      } else if (next !== undefined) {
        following = next as Uint8Array<ArrayBuffer>;
        length = next.length;
      }
      if (length <= to - from) continue;
      if (compareRanges(names, from, to, following, at, at + to - from) === 0) {
        flags[entry]! |= CROWDED;
      }
    }
  }

  /** The position, from `from` on, of the first name that is at least `key`. */
  private positionOf(key: Uint8Array, from = 0): number {
    // Galloping: the answer is mostly near `from`, or at the end.
    let low = from;
    let high = this.count;
    for (let stride = 1; low + stride < high; stride *= 2) {
      if (this.compare(low + stride, key) >= 0) {
        high = low + stride + 1;
        break;
      }
      low += stride;
    }
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(middle, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private compare(position: number, key: Uint8Array): number {
    const entry = this.at(position);
    const { batch } = this;
    const start = batch.nameStart(entry);
    return compareRanges(batch.names, start, batch.nameEnds[entry]!, key, 0, key.length);
  }
}
