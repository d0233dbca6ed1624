// The stored blocks of an old table's section, for a new table to copy.

import { ReftableFormatError } from '../../errors.ts';
import { type Block, LOG_BLOCK } from '../../format/block.ts';
import { readRecordsOf } from '../../format/block-seek.ts';
import { ByteReader } from '../../format/byte-reader.ts';
import { compareRanges } from '../../format/bytes.ts';
import type { ReadAhead } from '../read-ahead.ts';
import type { Table } from '../table.ts';
import type { BlockList } from './block-list.ts';

export class OldBlocks {
  readonly table: Table;
  readonly list: BlockList;

  private readonly ahead: ReadAhead;
  private readonly reader = new ByteReader();

  constructor(table: Table, list: BlockList) {
    this.table = table;
    this.list = list;
    this.ahead = table.readAhead();
  }

  /**
   * Aligned block `i`, whose frame was checked, and that its first key stands where the index says: the
   * keys of what is copied ascend at least from block to block. Throws `ReftableFormatError`.
   */
  aligned(i: number, type: number): Block {
    const { table, list } = this;
    const offset = list.offsets[i]!;
    const stored = Math.min(table.header.blockSize, list.end - offset);
    const block = table.parseAt(this.ahead.read(offset, stored, list.end), offset);
    this.expectType(offset, block.type, type);
    const { reader } = this;
    readRecordsOf(block, reader);
    const prefix = reader.varint('a prefix length');
    if (prefix !== 0) throw reader.error('a whole key in front', `a prefix of ${prefix} bytes`);
    const length = Math.floor(reader.varint('a suffix length') / 8);
    const start = reader.skip(length, 'a key');
    const isBehind = (key: Uint8Array | undefined) =>
      key === undefined ||
      compareRanges(block.bytes, start, start + length, key, 0, key.length) > 0;
    const last = list.lastKeys[i]!;
    const isBefore = compareRanges(block.bytes, start, start + length, last, 0, last.length) <= 0;
    if (!isBefore || !isBehind(list.lastKeys[i - 1])) {
      throw reader.error('a key between those that the index has for this block and the last');
    }
    return block;
  }

  /** The bytes of log block `i`, still deflated. Throws `ReftableFormatError`. */
  log(i: number, headerSize: number): Uint8Array {
    const { list } = this;
    const offset = list.offsets[i]!;
    const length = (list.offsets[i + 1] ?? list.end) - offset;
    const bytes = this.ahead.read(offset, length, list.end);
    this.expectType(offset + headerSize, bytes[headerSize] ?? 0, LOG_BLOCK);
    return bytes;
  }

  private expectType(offset: number, found: number, type: number): void {
    if (found === type) return;
    const show = (byte: number) => `'${String.fromCharCode(byte)}'`;
    const expected = `a block of type ${show(type)}`;
    throw new ReftableFormatError(this.table.name, offset, expected, show(found));
  }
}
