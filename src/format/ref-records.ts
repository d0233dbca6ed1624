// Reads the refs of a block one after the other. `record-batch.ts` reads them by the block: that is for many of them.

import type { Block } from './block.ts';
import { readRecordsOf, seekRestart } from './block-seek.ts';
import { ByteReader } from './byte-reader.ts';
import { compareBytes } from './bytes.ts';
import { type RefRecord, readRef } from './records.ts';
import { decodeText } from './text.ts';

/**
 * The refs of a ref block whose names are at least `from`, tombstones included, in their order. `minUpdateIndex` is
 * the table's. Throws `ReftableFormatError`.
 */
export function* refsInBlock(
  block: Block,
  from: Uint8Array,
  oidLength: number,
  minUpdateIndex: number,
): Generator<RefRecord> {
  const reader = new ByteReader();
  readRecordsOf(block, reader);
  reader.at = seekRestart(block, reader, from);
  let key = new Uint8Array(0);
  while (reader.at < reader.end) {
    const shared = reader.varint('a prefix length');
    if (shared > key.length) {
      throw reader.error(`a prefix of at most ${key.length} bytes`, `${shared}`);
    }
    const lengthAndType = reader.varint('a suffix length');
    const length = Math.floor(lengthAndType / 8);
    const start = reader.skip(length, 'a key');
    const before = key;
    key = new Uint8Array(shared + length);
    key.set(before.subarray(0, shared));
    key.set(reader.bytes.subarray(start, start + length), shared);
    const record = readRef(reader, decodeText(key), lengthAndType % 8, oidLength, minUpdateIndex);
    if (compareBytes(key, from) >= 0) yield record;
  }
}
