// One immutable table, read block by block (`table-writer.ts` draws its layout).

import { ReftableFormatError } from '../errors.ts';
import {
  BLOCK_HEADER_SIZE,
  type Block,
  type BlockType,
  INDEX_BLOCK,
  isBlockType,
  LOG_BLOCK,
  OBJECT_BLOCK,
  parseBlock,
  REF_BLOCK,
  storedLengthLimit,
} from '../format/block.ts';
import { type FoundRecord, findRecord, readRecordsOf } from '../format/block-seek.ts';
import { ByteReader } from '../format/byte-reader.ts';
import type { Compression } from '../format/compression.ts';
import {
  decodeFooter,
  decodeHeader,
  footerSize,
  headerSize,
  type TableFooter,
  type TableHeader,
} from '../format/header.ts';
import { oidSize } from '../format/object-format.ts';
import { type RefRecord, readBlockOffsets, readRef } from '../format/records.ts';
import { BlockCache } from './block-cache.ts';
import { ReadAhead } from './read-ahead.ts';
import { bufferSource, type TableSource } from './table-source.ts';

/** The longest a header gets. */
const MAX_HEADER_SIZE = 28;
/** How much to read at first of a block that may be of any size, bytes. */
const UNALIGNED_READ_SIZE = 4096;
/** Up to this size blocks are read at once, bytes; larger ones may be mostly empty. */
const MAX_READ_AHEAD = 1 << 14;
/** A table up to this size is read whole when it is opened: one read instead of several, bytes. */
const SMALL_TABLE_SIZE = 1 << 14;

/** A run of blocks of one type, and the index over it. */
interface Section {
  type: BlockType;
  present: boolean;
  offset: number;
  /** 0 where there is none. */
  indexOffset: number;
}

export class Table {
  readonly header: TableHeader;
  readonly footer: TableFooter;
  /** The length of an object id, bytes. */
  readonly oidLength: number;

  private readonly source: TableSource;
  private readonly compression: Compression;
  /** Where the footer starts. */
  private readonly blocksEnd: number;
  private readonly cache = new BlockCache();
  private readonly sections: Readonly<Record<'refs' | 'objects' | 'logs', Section>>;
  private readonly reader = new ByteReader();
  private readonly found: FoundRecord = { exact: false, valueType: 0 };

  /**
   * Opens a table; it owns `source` from then on and closes it, also when this fails.
   * Throws `ReftableFormatError`.
   */
  static open(source: TableSource, compression: Compression): Table {
    try {
      return new Table(source, compression);
    } catch (error) {
      source.close();
      throw error;
    }
  }

  private constructor(source: TableSource, compression: Compression) {
    const { name, size } = source;
    const start = source.read(
      0,
      Math.min(size, size <= SMALL_TABLE_SIZE ? size : MAX_HEADER_SIZE + 1),
    );
    const header = decodeHeader(start, name);
    const blocksStart = headerSize(header.version);
    const blocksEnd = size - footerSize(header.version);
    if (blocksEnd < blocksStart) {
      const expected = `a footer of ${footerSize(header.version)} bytes behind the header`;
      throw new ReftableFormatError(name, size, expected, `a file of ${size} bytes`);
    }
    const whole = start.length === size;
    this.source = whole ? keepOpen(bufferSource(name, start), source) : source;
    this.compression = compression;
    this.header = header;
    this.blocksEnd = blocksEnd;
    this.oidLength = oidSize(header.objectFormat);
    const footerBytes = this.source.read(blocksEnd, size - blocksEnd);
    const footer = decodeFooter(footerBytes, header, start, name, blocksEnd);
    this.footer = footer;
    const firstType = blocksEnd > blocksStart ? start[blocksStart] : undefined;
    if (firstType !== undefined && firstType !== REF_BLOCK && firstType !== LOG_BLOCK) {
      const found = `0x${firstType.toString(16)}`;
      throw new ReftableFormatError(name, blocksStart, "a first block of type 'r' or 'g'", found);
    }
    this.sections = {
      refs: {
        type: REF_BLOCK,
        present: firstType === REF_BLOCK,
        offset: 0,
        indexOffset: footer.refIndexOffset,
      },
      objects: {
        type: OBJECT_BLOCK,
        present: footer.objectOffset > 0,
        offset: footer.objectOffset,
        indexOffset: footer.objectIndexOffset,
      },
      logs: {
        type: LOG_BLOCK,
        present: firstType === LOG_BLOCK || footer.logOffset > 0,
        offset: footer.logOffset,
        indexOffset: footer.logIndexOffset,
      },
    };
  }

  /** For messages: the file's name. */
  get name(): string {
    return this.source.name;
  }

  /** Bytes. */
  get size(): number {
    return this.source.size;
  }

  get objectFormat(): TableHeader['objectFormat'] {
    return this.header.objectFormat;
  }

  get minUpdateIndex(): number {
    return this.header.minUpdateIndex;
  }

  get maxUpdateIndex(): number {
    return this.header.maxUpdateIndex;
  }

  /** Whether the table has an object section, which makes finding refs by object id fast. */
  get indexesObjects(): boolean {
    return this.sections.objects.present;
  }

  close(): void {
    this.source.close();
  }

  /**
   * The record of a ref in this table, be it a tombstone. `key` is the name's bytes, `name` the same as
   * text. Throws `ReftableFormatError`.
   */
  readRef(key: Uint8Array, name: string): RefRecord | undefined {
    const block = this.seekBlock('refs', key);
    if (block === undefined || !this.found.exact) return undefined;
    return readRef(this.reader, name, this.found.valueType, this.oidLength, this.minUpdateIndex);
  }

  /**
   * The offsets of the ref blocks that may hold an object id; `undefined` where only reading all of them
   * tells. Throws `ReftableFormatError`.
   */
  blocksWithObject(oid: Uint8Array): number[] | undefined {
    if (!this.indexesObjects) return undefined;
    const prefix = oid.subarray(0, this.footer.objectIdLength);
    const block = this.seekBlock('objects', prefix);
    if (block === undefined || !this.found.exact) return [];
    return readBlockOffsets(this.reader, this.found.valueType);
  }

  /** The first block of a section; `undefined` if the table has none. */
  firstBlock(kind: 'refs' | 'objects' | 'logs'): Block | undefined {
    const { present, offset, type } = this.sections[kind];
    return present ? this.expectBlock(offset, type) : undefined;
  }

  /** The first block of the last level of a section's index; `undefined` where there is none. */
  indexBlock(kind: 'refs' | 'objects' | 'logs'): Block | undefined {
    const { present, indexOffset } = this.sections[kind];
    return present && indexOffset > 0 ? this.expectBlock(indexOffset, INDEX_BLOCK) : undefined;
  }

  /**
   * The block of a section that holds the first key which is at least `key`; `undefined` if there is no
   * such key. Throws `ReftableFormatError`.
   */
  seekBlock(kind: 'refs' | 'objects' | 'logs', key: Uint8Array): Block | undefined {
    const { present, offset, indexOffset, type } = this.sections[kind];
    if (!present) return undefined;
    let block = this.expectBlock(
      indexOffset > 0 ? indexOffset : offset,
      indexOffset > 0 ? INDEX_BLOCK : type,
    );
    let indexed = false;
    for (;;) {
      if (this.findIn(block, key)) {
        if (block.type === type) return block;
        block = this.indexedBlock(block, type);
        indexed = true;
        continue;
      }
      // Going on would end in the same index block once more.
      if (indexed) {
        const expected = 'a block whose last key is the one in its index';
        throw new ReftableFormatError(this.name, block.offset, expected, 'a smaller one');
      }
      // Every key here is smaller. A level of up to three blocks has no level above it to choose with.
      const next = this.nextBlock(block);
      if (next === undefined) return undefined;
      block = next;
    }
  }

  /**
   * The block of the same type behind `block`; `undefined` if that was the last one. `ahead` is that of
   * somebody who walks the table, from `readAhead`: such blocks are not kept for others.
   */
  nextBlock(block: Block, ahead?: ReadAhead): Block | undefined {
    const offset = block.nextOffset;
    if (offset >= this.blocksEnd) return undefined;
    const next = this.cache.get(offset);
    if (next !== undefined) return next.type === block.type ? next : undefined;
    const bytes = this.readBytes(offset, ahead);
    const type = bytes[0]!;
    // What cannot be a block is left for the parser to refuse.
    if (type !== block.type && isBlockType(type)) return undefined;
    const parsed = this.parse(bytes, offset);
    if (ahead === undefined) this.cache.add(parsed);
    return parsed;
  }

  /** For a walk along the table with `nextBlock`. */
  readAhead(): ReadAhead {
    return new ReadAhead(this.source);
  }

  /**
   * The block of a section at an offset that `blocksWithObject` or an index gave.
   * Throws `ReftableFormatError`.
   */
  blockAt(kind: 'refs' | 'objects' | 'logs', offset: number): Block {
    return this.expectBlock(offset, this.sections[kind].type);
  }

  /** Checks the frame of a block, from bytes that hold it and were read at `offset`, as `readBlock` does. */
  parseAt(bytes: Uint8Array, offset: number): Block {
    return this.parse(bytes, offset);
  }

  /** All blocks in the order of the file. Throws `ReftableFormatError`. */
  *blocks(): IterableIterator<Block> {
    let offset = headerSize(this.header.version) === this.blocksEnd ? this.blocksEnd : 0;
    while (offset < this.blocksEnd) {
      const block = this.readBlock(offset);
      yield block;
      offset = block.nextOffset;
    }
  }

  /** The block at `offset`, which must lie inside the table. Throws `ReftableFormatError`. */
  readBlock(offset: number): Block {
    const cached = this.cache.get(offset);
    if (cached !== undefined) return cached;
    const block = this.parse(this.readBytes(offset), offset);
    this.cache.add(block);
    return block;
  }

  /** Bytes that hold the whole block at `offset`. */
  private readBytes(offset: number, ahead?: ReadAhead): Uint8Array {
    const { source, blocksEnd } = this;
    const available = blocksEnd - offset;
    const { blockSize } = this.header;
    const known = blockSize > 0 && blockSize <= MAX_READ_AHEAD;
    const guess = Math.min(available, known ? blockSize : UNALIGNED_READ_SIZE);
    const read = (length: number) =>
      ahead === undefined ? source.read(offset, length) : ahead.read(offset, length, blocksEnd);
    const bytes = read(guess);
    const header = this.headerSizeAt(offset);
    if (bytes.length < header + BLOCK_HEADER_SIZE) return bytes;
    const limit = Math.min(available, storedLengthLimit(bytes, header));
    return limit > bytes.length ? read(limit) : bytes;
  }

  private parse(bytes: Uint8Array, offset: number): Block {
    const headerSize = this.headerSizeAt(offset);
    const { blockSize } = this.header;
    const context = { file: this.name, offset, headerSize, blockSize };
    return parseBlock(bytes, context, this.compression);
  }

  private headerSizeAt(offset: number): number {
    return offset === 0 ? headerSize(this.header.version) : 0;
  }

  private expectBlock(offset: number, type: BlockType): Block {
    const block = this.readBlock(offset);
    if (block.type !== type) {
      const expected = `a block of type '${String.fromCharCode(type)}'`;
      const found = `'${String.fromCharCode(block.type)}'`;
      throw new ReftableFormatError(this.name, offset, expected, found);
    }
    return block;
  }

  /** Leaves `reader` at the value of the record, and `found` filled. */
  private findIn(block: Block, key: Uint8Array): boolean {
    readRecordsOf(block, this.reader);
    return findRecord(block, this.reader, key, this.oidLength, this.found);
  }

  /** The block that the index record at `reader` points to: one that was written before the index. */
  private indexedBlock(index: Block, type: BlockType): Block {
    const { reader } = this;
    const at = reader.origin + reader.at;
    const offset = reader.varint('an offset');
    if (offset >= index.offset) {
      const expected = `the offset of a block before byte ${index.offset}`;
      throw new ReftableFormatError(this.name, at, expected, `${offset}`);
    }
    const block = this.readBlock(offset);
    return block.type === INDEX_BLOCK ? block : this.expectBlock(offset, type);
  }
}

/** Reads from memory, but keeps the file open as long as the table is. */
function keepOpen(memory: TableSource, file: TableSource): TableSource {
  return { ...memory, close: () => file.close() };
}
