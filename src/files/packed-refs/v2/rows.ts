// Random access to the refs of version 2, by their number, and finding one by its name. Nothing is read but what is
// asked for, and what is read is checked then.

import { readUint32 } from '../../../format/bytes.ts';
import { type ObjectFormat, oidSize } from '../../../format/object-format.ts';
import { type ByteSource, readRange } from '../byte-source.ts';
import { badBytes } from './errors.ts';
import { type Chunk, type Layout, ROW_SIZE } from './layout.ts';

/** The refs that have a prefix in common, which REFS leaves out. */
export interface PrefixedRows {
  /** The first of them, and the first behind them. */
  readonly start: number;
  readonly end: number;
  readonly prefix: Uint8Array;
}

const NO_PREFIX = new Uint8Array(0);

export class Rows {
  /** For messages. */
  readonly path: string;
  readonly source: ByteSource;
  readonly refs: Chunk;
  readonly offsets: Chunk;
  readonly count: number;
  /** The length of an object id, bytes. */
  readonly oidSize: number;
  readonly #prefixes: Layout['prefixes'];
  readonly #prefixCount: number;

  /** Throws `CORRUPT_REF` where the chunks are not as long as each other says. */
  constructor(path: string, source: ByteSource, layout: Layout, objectFormat: ObjectFormat) {
    this.path = path;
    this.source = source;
    this.refs = layout.refs;
    this.offsets = layout.offsets;
    this.oidSize = oidSize(objectFormat);
    this.count = (layout.offsets.end - layout.offsets.start) / ROW_SIZE;
    this.#prefixes = layout.prefixes;
    const { start, end } = layout.prefixes?.offsets ?? { start: 0, end: 0 };
    this.#prefixCount = (end - start) / ROW_SIZE;
    this.#checkEnds();
  }

  /** Where the record of a ref begins in the file. Throws `CORRUPT_REF`, as the methods below. */
  startOf(row: number): number {
    return row === 0 ? this.refs.start : this.endOf(row - 1);
  }

  endOf(row: number): number {
    const at = this.offsets.start + row * ROW_SIZE;
    // Every step of a search comes by: `readRange` would allocate.
    const { bytes, start } = this.source.page(at);
    const index = at - start;
    if (index + ROW_SIZE <= bytes.length) return this.endIn(bytes, index, at);
    return this.endIn(readRange(this.source, at, ROW_SIZE), 0, at);
  }

  /** The object id of a ref, and its peeled one behind it. */
  idsOf(row: number): { ids: Uint8Array; hasPeeled: boolean } {
    const flag = readRange(this.source, this.offsets.start + row * ROW_SIZE, 1)[0]!;
    const hasPeeled = flag >= 0x80;
    const length = hasPeeled ? 2 * this.oidSize : this.oidSize;
    const start = this.startOf(row);
    const idsStart = this.endOf(row) - length;
    if (idsStart <= start) {
      throw badBytes(
        this.path,
        start,
        'a name and an object id',
        `${idsStart + length - start} bytes`,
      );
    }
    const bytes = readRange(this.source, idsStart - 1, 1 + length);
    if (bytes[0] !== 0) throw badBytes(this.path, idsStart - 1, 'a NUL behind a name', 'none');
    return { ids: bytes.subarray(1), hasPeeled };
  }

  /** Where the record ends whose row of ROFF stands at `index` in `bytes`, and at `at` in the file. */
  endIn(bytes: Uint8Array, index: number, at: number): number {
    const offset = (readUint32(bytes, index) & 0x7fffffff) * 2 ** 32 + readUint32(bytes, index + 4);
    const { start, end } = this.refs;
    if (offset <= end - start) return start + offset;
    throw badBytes(this.path, at, `an offset up to ${end - start}`, `${offset}`);
  }

  /** The first ref whose name is at least `name`, and whether it has that name; their number if there is none. */
  seek(name: Uint8Array): { row: number; isFound: boolean } {
    const block = this.#blockFor(name);
    if (block === undefined) return { row: 0, isFound: false };
    const { prefix } = block;
    const order = comparePrefix(prefix, name);
    if (order !== 0) return { row: order < 0 ? block.end : block.start, isFound: false };
    let { start: low, end: high } = block;
    while (low < high) {
      const middle = low + Math.floor((high - low) / 2);
      if (this.#compareRest(middle, name, prefix.length) < 0) low = middle + 1;
      else high = middle;
    }
    const isFound = low < block.end && this.#compareRest(low, name, prefix.length) === 0;
    return { row: low, isFound };
  }

  /** The refs around one that share a prefix, which is empty where the file has no prefixes. */
  around(row: number): PrefixedRows {
    if (this.#prefixes === undefined) return { start: 0, end: this.count, prefix: NO_PREFIX };
    let low = 0;
    let high = this.#prefixCount - 1;
    while (low < high) {
      const middle = low + Math.floor((high - low) / 2);
      if (this.#lastRowsEnd(middle) <= row) low = middle + 1;
      else high = middle;
    }
    return this.#block(low);
  }

  /** The last of the prefixed rows whose first name is `name` or before it. */
  #blockFor(name: Uint8Array): PrefixedRows | undefined {
    if (this.count === 0) return undefined;
    if (this.#prefixes === undefined) return this.around(0);
    let low = 0;
    let high = this.#prefixCount;
    let found: PrefixedRows | undefined;
    // Not by the prefixes alone: `refs/` comes behind `refs/heads/` where `refs/stash` is its first name.
    while (low < high) {
      const middle = low + Math.floor((high - low) / 2);
      const block = this.#block(middle);
      const order =
        comparePrefix(block.prefix, name) ||
        this.#compareRest(block.start, name, block.prefix.length);
      if (order > 0) {
        high = middle;
      } else {
        found = block;
        low = middle + 1;
      }
    }
    return found;
  }

  #block(index: number): PrefixedRows {
    const { texts, offsets } = this.#prefixes!;
    const at = offsets.start + index * ROW_SIZE;
    const start = index === 0 ? 0 : this.#lastRowsEnd(index - 1);
    const end = this.#lastRowsEnd(index);
    if (end <= start || end > this.count) {
      const expected = `the number of a ref from ${start + 1} to ${this.count}`;
      throw badBytes(this.path, at + 4, expected, `${end}`);
    }
    const textStart = index === 0 ? 0 : this.#textEnd(index - 1);
    const textEnd = this.#textEnd(index);
    const size = texts.end - texts.start;
    if (textEnd <= textStart || textEnd > size) {
      throw badBytes(this.path, at, `an offset from ${textStart + 1} to ${size}`, `${textEnd}`);
    }
    const text = readRange(this.source, texts.start + textStart, textEnd - textStart);
    if (text.indexOf(0) !== text.length - 1) {
      throw badBytes(this.path, texts.start + textEnd - 1, 'NUL behind a prefix alone', 'none');
    }
    return { start, end, prefix: text.subarray(0, -1) };
  }

  #textEnd(index: number): number {
    return this.#prefixNumber(index, 0);
  }

  #lastRowsEnd(index: number): number {
    return this.#prefixNumber(index, 4);
  }

  #prefixNumber(index: number, column: number): number {
    const at = this.#prefixes!.offsets.start + index * ROW_SIZE + column;
    return readUint32(readRange(this.source, at, 4), 0);
  }

  /** The last numbers of ROFF and PFXO have to be what the chunks that they are of have. */
  #checkEnds(): void {
    const { count, refs, offsets, path } = this;
    const end = count === 0 ? refs.start : this.endOf(count - 1);
    if (end !== refs.end) {
      const expected = `a record that ends with REFS at byte ${refs.end}`;
      throw badBytes(path, Math.max(offsets.end - ROW_SIZE, offsets.start), expected, `${end}`);
    }
    if (this.#prefixes === undefined) return;
    const rows = this.#prefixCount === 0 ? 0 : this.#lastRowsEnd(this.#prefixCount - 1);
    if (rows !== count) {
      const at = this.#prefixes.offsets.end;
      throw badBytes(path, at, `prefixes of ${count} refs before`, `those of ${rows}`);
    }
  }

  /** The name of a ref, from behind its prefix of `from` bytes, before (negative), at or after `name`. */
  #compareRest(row: number, name: Uint8Array, from: number): number {
    const { end } = this.refs;
    let at = this.startOf(row);
    for (let i = from; at < end; ) {
      const { bytes, start } = this.source.page(at);
      const last = Math.min(bytes.length, end - start);
      for (let local = at - start; local < last; local++, i++) {
        const byte = bytes[local]!;
        if (byte === 0) return i === name.length ? 0 : -1;
        if (i === name.length) return 1;
        if (byte !== name[i]) return byte - name[i]!;
      }
      at = start + last;
    }
    throw badBytes(this.path, end, 'a NUL behind a name before', 'the end of REFS');
  }
}

/** Whether names with that prefix come before `name` (negative) or after it (positive), or the rest decides. */
function comparePrefix(prefix: Uint8Array, name: Uint8Array): number {
  for (let i = 0; i < prefix.length; i++) {
    if (i === name.length) return 1;
    if (prefix[i] !== name[i]) return prefix[i]! - name[i]!;
  }
  return 0;
}
