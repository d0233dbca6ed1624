// The records of a block, decoded a batch at a time: their keys side by side in one buffer, and where
// their values lie. Decoding many at once makes the cost of one a few loads, and lets names and object
// ids be made into strings a batch at a time.

import { type Block, REF_BLOCK } from './block.ts';
import { readRecordsOf, seekRestart } from './block-seek.ts';
import { ByteReader } from './byte-reader.ts';
import { compareRanges, copyBytes, viewOf } from './bytes.ts';
import { readManyHex } from './object-format.ts';
import { REF_OID, skipValue } from './records.ts';
import { decodeText } from './text.ts';

/**
 * A batch ends after so many records or so many bytes of keys, whichever comes first, so that a block
 * of 16 MiB whose keys share long prefixes does not become gigabytes of keys.
 */
const MAX_RECORDS = 512;
const MAX_KEY_BYTES = 1 << 16;

/** A record takes at least its prefix length and its suffix length, bytes. */
const SMALLEST_RECORD = 2;

export class RecordBatch {
  /** How many records the batch holds. */
  count = 0;
  /** The keys, one behind the other. */
  keys = new Uint8Array(0);
  /** The same bytes, for copying many at a time. */
  keysView = viewOf(this.keys);
  /** Where key `i` starts in `keys`; it ends where the next one starts. */
  keyStarts = new Int32Array(1);
  /** How many bytes key `i` shares with the one before it, as its record says; it may share more. */
  prefixes = new Int32Array(0);
  valueTypes = new Uint8Array(0);
  /** Where the value of record `i` starts and ends in the block's bytes. */
  valueStarts = new Int32Array(0);
  valueEnds = new Int32Array(0);
  /** Stands in the block; for decoding values. */
  readonly reader = new ByteReader();

  readonly oidLength: number;

  private block: Block | undefined;
  /** Where the next batch starts. */
  private next = 0;
  private text: string | undefined;
  private hex: string | undefined;

  constructor(oidLength: number) {
    this.oidLength = oidLength;
  }

  /** Decodes the first batch of a block. */
  open(block: Block): void {
    this.start(block);
    this.next = block.recordsStart;
    this.fill();
  }

  /**
   * Decodes the batch that holds the first record whose key is at least `key`, and returns the record's
   * number in it; -1 if every key in the block is smaller.
   */
  openAt(block: Block, key: Uint8Array): number {
    this.start(block);
    this.next = seekRestart(block, this.reader, key);
    while (this.fill()) {
      const { keys, keyStarts, count } = this;
      const last = keyStarts[count]!;
      if (compareRanges(keys, keyStarts[count - 1]!, last, key, 0, key.length) < 0) continue;
      let low = 0;
      let high = count - 1;
      while (low < high) {
        const middle = (low + high) >>> 1;
        const start = keyStarts[middle]!;
        if (compareRanges(keys, start, keyStarts[middle + 1]!, key, 0, key.length) < 0)
          low = middle + 1;
        else high = middle;
      }
      return low;
    }
    return -1;
  }

  /** Decodes the next batch of the block; `false` if there are no more records. */
  fill(): boolean {
    const { block, reader, keyStarts } = this;
    if (block === undefined || this.next >= block.recordsEnd) {
      this.count = 0;
      return false;
    }
    const { bytes } = block;
    const { oidLength } = this;
    const isRef = block.type === REF_BLOCK;
    let previous = keyStarts[this.count === 0 ? 0 : this.count - 1]!;
    let previousEnd = keyStarts[this.count]!;
    if (previous > 0) this.keys.copyWithin(0, previous, previousEnd);
    previousEnd -= previous;
    previous = 0;
    // The key before the batch stays in front until the first one is put together from it.
    let keyEnd = previousEnd;
    let count = 0;
    reader.at = this.next;
    const first = keyEnd;
    while (reader.at < block.recordsEnd && count < MAX_RECORDS && keyEnd - first < MAX_KEY_BYTES) {
      let prefix = bytes[reader.at]!;
      let lengthAndType = bytes[reader.at + 1]!;
      // Nearly all lengths are single bytes.
      if ((prefix | lengthAndType) < 0x80) {
        reader.at += 2;
      } else {
        prefix = reader.varint('a prefix length');
        lengthAndType = reader.varint('a suffix length');
        if (lengthAndType > 0x7fffffff) throw reader.error('a key that fits its block');
      }
      if (prefix > previousEnd - previous) {
        throw reader.error(`a prefix of at most ${previousEnd - previous} bytes`, `${prefix}`);
      }
      const suffixLength = lengthAndType >>> 3;
      const suffix = reader.skip(suffixLength, 'a key');
      const keyLength = prefix + suffixLength;
      if (keyLength === 0) throw reader.error('a key', 'an empty one');
      if (keyEnd + keyLength > this.keys.length) this.growKeys(keyEnd + keyLength);
      const { keys, keysView } = this;
      copyBytes(keysView, previous, previous + prefix, keysView, keyEnd);
      for (let j = 0; j < suffixLength; j++) keys[keyEnd + prefix + j] = bytes[suffix + j]!;
      const valueType = lengthAndType & 7;
      const { at } = reader;
      const directEnd = at + 1 + oidLength;
      if (isRef && valueType === REF_OID && directEnd <= reader.end && bytes[at]! < 0x80) {
        // Nearly all refs: one byte of update index and an object id.
        reader.at = directEnd;
      } else {
        skipValue(reader, block.type, valueType, oidLength);
      }
      this.prefixes[count] = prefix;
      this.valueTypes[count] = valueType;
      this.valueStarts[count] = at;
      this.valueEnds[count] = reader.at;
      keyStarts[count] = keyEnd;
      previous = keyEnd;
      keyEnd += keyLength;
      previousEnd = keyEnd;
      count++;
    }
    keyStarts[count] = keyEnd;
    this.next = reader.at;
    this.count = count;
    this.text = undefined;
    this.hex = undefined;
    return true;
  }

  /**
   * How many bytes key `i`, which is not the first of the batch, has in common with the one before it; -1
   * if it does not come after it.
   */
  sharedWithPrevious(i: number): number {
    const { keys, keyStarts } = this;
    const previous = keyStarts[i - 1]!;
    const start = keyStarts[i]!;
    const length = keyStarts[i + 1]! - start;
    const longest = Math.min(length, start - previous);
    let shared = this.prefixes[i]!;
    while (shared < longest && keys[start + shared] === keys[previous + shared]) shared++;
    const ascends =
      shared < longest ? keys[start + shared]! > keys[previous + shared]! : shared < length;
    return ascends ? shared : -1;
  }

  /** Key `i` up to `trim` bytes before its end, as text. */
  keyText(i: number, trim = 0): string {
    const start = this.keyStarts[i]!;
    const end = this.keyStarts[i + 1]! - trim;
    if (trim > 0) return decodeText(this.keys, start, end);
    // All keys at once; where they are ASCII, which the lengths tell, a name is a slice of that.
    const from = this.keyStarts[0]!;
    const to = this.keyStarts[this.count]!;
    this.text ??= decodeText(this.keys, from, to);
    if (this.text.length !== to - from) return decodeText(this.keys, start, end);
    return this.text.slice(start - from, end - from);
  }

  /** The object id at the end of the value of record `i`, whose value type is `REF_OID`, as hex. */
  oidHex(i: number): string {
    const { oidLength } = this;
    // Of all values at once: what stands at the end of another one is text that nobody asks for.
    this.hex ??= readManyHex(this.reader.bytes, this.valueEnds, this.count, oidLength);
    return this.hex.slice(2 * oidLength * i, 2 * oidLength * (i + 1));
  }

  private start(block: Block): void {
    this.block = block;
    this.count = 0;
    const capacity = Math.floor((block.recordsEnd - block.recordsStart) / SMALLEST_RECORD) + 1;
    if (this.valueTypes.length < Math.min(capacity, MAX_RECORDS)) this.reserve(capacity);
    this.keyStarts[0] = 0;
    readRecordsOf(block, this.reader);
  }

  /** Makes room for a batch of a block of so many records: most blocks that are read are small. */
  private reserve(records: number): void {
    const capacity = Math.min(Math.max(records, 2 * this.valueTypes.length), MAX_RECORDS);
    this.keyStarts = new Int32Array(capacity + 1);
    this.prefixes = new Int32Array(capacity);
    this.valueTypes = new Uint8Array(capacity);
    this.valueStarts = new Int32Array(capacity);
    this.valueEnds = new Int32Array(capacity);
    if (this.keys.length < 8 * capacity) this.setKeys(new Uint8Array(8 * capacity));
  }

  private growKeys(length: number): void {
    const grown = new Uint8Array(2 * length);
    grown.set(this.keys);
    this.setKeys(grown);
  }

  private setKeys(keys: Uint8Array<ArrayBuffer>): void {
    this.keys = keys;
    this.keysView = viewOf(keys);
  }
}
