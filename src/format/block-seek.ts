// Finds one key in a block without decoding the records that come before it.

import { ReftableFormatError } from '../errors.ts';
import { type Block, restartOffset } from './block.ts';
import type { ByteReader } from './byte-reader.ts';
import { compareRanges } from './bytes.ts';
import { skipValue } from './records.ts';

/**
 * The position of the last restart point whose key is at most `key`, or of the first record where there
 * is none: decoding from there finds the first record whose key is at least `key`.
 * Throws `ReftableFormatError`.
 */
export function seekRestart(block: Block, reader: ByteReader, key: Uint8Array): number {
  let low = 0; // restart points below `low` have keys <= `key`
  let high = block.restartCount; // those from `high` on have keys > `key`
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareRestart(block, reader, middle, key) <= 0) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? block.recordsStart : restartOffset(block, low - 1);
}

/** Where `findRecord` stopped: the reader stands at the record's value. */
export interface FoundRecord {
  /** Whether the record has the key, and not a greater one. */
  exact: boolean;
  valueType: number;
}

/**
 * Moves `reader` to the value of the first record whose key is at least `key`; `false` if every key in
 * the block is smaller. Fills `found`.
 * Throws `ReftableFormatError`.
 */
export function findRecord(
  block: Block,
  reader: ByteReader,
  key: Uint8Array,
  oidLength: number,
  found: FoundRecord,
): boolean {
  reader.at = seekRestart(block, reader, key);
  const { bytes } = reader;
  // The keys before the one sought are never put together: `matched` is how many bytes the last one
  // shares with `key`, and its next byte was smaller. A record that shares more than that with the last
  // one is smaller too; one that shares less is greater.
  let matched = 0;
  let lastLength = 0;
  while (reader.at < block.recordsEnd) {
    const prefix = reader.varint('a prefix length');
    const lengthAndType = reader.varint('a suffix length');
    const valueType = lengthAndType % 8;
    const suffixLength = Math.floor(lengthAndType / 8);
    if (prefix > lastLength)
      throw reader.error(`a prefix of at most ${lastLength} bytes`, `${prefix}`);
    const suffix = reader.skip(suffixLength, 'a key');
    lastLength = prefix + suffixLength;
    if (prefix <= matched) {
      let same = prefix;
      const longest = Math.min(key.length, lastLength);
      while (same < longest && key[same] === bytes[suffix + same - prefix]) same++;
      const exact = same === key.length && same === lastLength;
      if (
        exact ||
        same === key.length ||
        prefixIsGreater(key, same, bytes, suffix - prefix, lastLength)
      ) {
        found.exact = exact;
        found.valueType = valueType;
        return true;
      }
      matched = same;
    }
    skipValue(reader, block.type, valueType, oidLength);
  }
  return false;
}

/** Points `reader` at a block's records. */
export function readRecordsOf(block: Block, reader: ByteReader): void {
  reader.bytes = block.bytes;
  reader.at = block.recordsStart;
  reader.end = block.recordsEnd;
  reader.file = block.file;
  reader.origin = block.offset;
}

/** Whether the record, which shares `same` bytes with `key`, is the greater one. */
function prefixIsGreater(
  key: Uint8Array,
  same: number,
  bytes: Uint8Array,
  recordStart: number,
  recordLength: number,
): boolean {
  return same < recordLength && bytes[recordStart + same]! > key[same]!;
}

function compareRestart(block: Block, reader: ByteReader, index: number, key: Uint8Array): number {
  const offset = restartOffset(block, index);
  if (offset < block.recordsStart || offset >= block.recordsEnd) {
    const at = block.offset + block.recordsEnd + 3 * index;
    const range = `${block.recordsStart} to ${block.recordsEnd - 1}`;
    throw new ReftableFormatError(block.file, at, `a restart offset ${range}`, `${offset}`);
  }
  reader.at = offset;
  const prefix = reader.varint('a prefix length');
  if (prefix !== 0)
    throw reader.error('a whole key at a restart point', `a prefix of ${prefix} bytes`);
  const length = Math.floor(reader.varint('a suffix length') / 8);
  const start = reader.skip(length, 'a key');
  return compareRanges(reader.bytes, start, start + length, key, 0, key.length);
}
