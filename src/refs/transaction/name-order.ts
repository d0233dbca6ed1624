// The entries of a batch in the order of their names, and what is found out in one walk along them.

import { RefError } from '../../errors.ts';
import { compareRanges } from '../../format/bytes.ts';
import { encodeText } from '../../format/text.ts';
import type { RefView } from '../ref-view.ts';
import type { UpdateBatch } from './update-batch.ts';
import { CROWDED } from './update-flags.ts';

/** Refuses a ref that is updated twice: the one check that needs neither a lock nor a view. */
export function orderByName(batch: UpdateBatch): NameOrder {
  const order = new NameOrder(batch);
  const twice = order.findDuplicate();
  if (twice === undefined) return order;
  const message = `multiple updates for ref '${twice}' not allowed`;
  throw new RefError('NAME_CONFLICT', message, { ref: twice });
}

export class NameOrder {
  private readonly batch: UpdateBatch;
  /** The entries' numbers in byte order of the names; `undefined` while that is the order they came in. */
  private order: Int32Array | undefined;
  /** How many entries are in the order; a batch may grow behind it. */
  readonly count: number;
  /** Names that are not to be found any more. */
  private readonly removed = new Set<string>();

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

  /** A name that is there twice, not counting what was refused before. */
  findDuplicate(): string | undefined {
    if (this.order === undefined) return undefined;
    const { batch } = this;
    let last = -1;
    for (const entry of this.order) {
      if (batch.refused.has(entry)) continue;
      if (last >= 0 && batch.compareNames(last, entry) === 0) return batch.name(entry);
      last = entry;
    }
    return undefined;
  }

  /** Whether the order is another than the one that the entries came in. */
  get isReordered(): boolean {
    return this.order !== undefined;
  }

  /** From then on, the name is as if it were not there. */
  remove(name: string): void {
    this.removed.add(name);
  }

  /** The entry of this name; -1 if there is none. */
  find(name: string): number {
    if (this.removed.has(name)) return -1;
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
    for (let position = this.positionOf(encodeText(prefix)); position < this.count; position++) {
      const name = this.batch.name(this.at(position));
      if (!name.startsWith(prefix)) break;
      if (!this.removed.has(name)) return name;
    }
    return undefined;
  }

  /**
   * Merges the names with the refs in `view`: calls `found` for each entry whose ref exists. All names up
   * to the next ref are absent, without a look-up each. Marks the entries that may have names below them.
   */
  merge(view: RefView, found: (entry: number) => void): void {
    const { batch } = this;
    if (this.order !== undefined) this.markCrowded();
    for (let position = 0; position < this.count; ) {
      const next = view.firstFrom(batch.name(this.at(position)));
      if (next === undefined) return;
      const key = encodeText(next);
      const end = this.positionOf(key, position);
      // What lies below a name follows it at once: of these names, only the last can have the ref below it.
      if (end > position && this.isFolderOf(this.at(end - 1), key, 0, key.length)) {
        batch.flags[this.at(end - 1)]! |= CROWDED;
      }
      position = end;
      if (position < this.count && this.compare(position, key) === 0) found(this.at(position++));
    }
  }

  /** Marks the entries whose name the next one begins with; a batch in order has done so itself. */
  private markCrowded(): void {
    const { batch } = this;
    for (let position = 0; position + 1 < this.count; position++) {
      const next = this.at(position + 1);
      const start = batch.nameStarts[next]!;
      if (this.isFolderOf(this.at(position), batch.names, start, batch.nameStarts[next + 1]!)) {
        batch.flags[this.at(position)]! |= CROWDED;
      }
    }
  }

  /** Whether the name `bytes[start, end)` begins with that of an entry, and goes on. */
  private isFolderOf(entry: number, bytes: Uint8Array, start: number, end: number): boolean {
    const { names, nameStarts } = this.batch;
    const from = nameStarts[entry]!;
    const to = nameStarts[entry + 1]!;
    const length = to - from;
    return (
      end - start > length && compareRanges(names, from, to, bytes, start, start + length) === 0
    );
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
    const { names, nameStarts } = batch;
    return compareRanges(names, nameStarts[entry]!, nameStarts[entry + 1]!, key, 0, key.length);
  }
}
