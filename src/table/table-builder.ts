// Puts a table together from records that are encoded already: blocks one after the other, an index over
// each section, the footer. What the records mean, and in which order sections come, is for its callers.
//
//   header | ref blocks | ref index | object blocks | object index | log blocks | log index | footer
//
// Every block but a log block starts at a multiple of the block size, the space between filled with
// zeros; log blocks follow each other, and the last block before them, without padding. A section of
// more than three blocks has an index; an index of more than three blocks has one in turn, and the last
// level is the one that the footer points at. These are Git's choices, to the byte.

import { RefError } from '../errors.ts';
import { type BlockType, INDEX_BLOCK, LOG_BLOCK, REF_BLOCK } from '../format/block.ts';
import { BlockWriter } from '../format/block-writer.ts';
import type { Compression } from '../format/compression.ts';
import { encodeFooter, headerSize, type TableHeader, writeHeader } from '../format/header.ts';
import { oidSize } from '../format/object-format.ts';
import { LOG_KEY_SUFFIX } from '../format/records.ts';
import { decodeText } from '../format/text.ts';
import { MAX_VARINT_LENGTH, writeVarint } from '../format/varint.ts';
import { LastKey } from './last-key.ts';
import { TableOutput } from './table-output.ts';
import { checkWriterOptions, type TableWriterOptions } from './table-writer-options.ts';

/** So many records of an index are written in a step. */
const INDEX_STEP = 1 << 9;

interface IndexEntry {
  lastKey: Uint8Array;
  offset: number;
}

export class TableBuilder {
  readonly header: TableHeader;
  /** The length of an object id, bytes. */
  readonly oidLength: number;
  readonly blockSize: number;
  readonly indexObjects: boolean;
  /** The block that is being filled. */
  readonly block: BlockWriter;
  /** The key of the last record that was added to the section. */
  readonly lastKey = new LastKey();
  readonly footer = {
    refIndexOffset: 0,
    objectOffset: 0,
    objectIdLength: 0,
    objectIndexOffset: 0,
    logOffset: 0,
    logIndexOffset: 0,
  };

  private readonly compression: Compression;
  private readonly aligned: boolean;
  /** A section, or a level of an index, of more blocks than this gets an index. */
  private readonly indexThreshold: number;
  /** One entry for each block written in this section or level. */
  private index: IndexEntry[] = [];
  private readonly output = new TableOutput();

  /** Throws `INVALID_ARGUMENT` for an option out of its range. */
  constructor(options: TableWriterOptions) {
    const checked = checkWriterOptions(options);
    const { header, blockSize, restartInterval, aligned } = checked;
    this.header = header;
    this.oidLength = oidSize(header.objectFormat);
    this.blockSize = blockSize;
    this.indexObjects = checked.indexObjects;
    this.compression = checked.compression;
    this.aligned = aligned;
    this.indexThreshold = aligned ? 3 : 1;
    this.block = new BlockWriter(blockSize, restartInterval, REF_BLOCK, headerSize(header.version));
  }

  /** Whether nothing was written or added yet. */
  get isAtStart(): boolean {
    return this.output.offset === 0 && this.block.recordCount === 0;
  }

  /** Where the block that is being filled will start in the file. */
  get offset(): number {
    return this.output.offset;
  }

  /** Begins a section, or a level of an index: its keys may start anywhere. */
  startSection(type: BlockType): void {
    if (type === LOG_BLOCK) this.output.dropPadding();
    this.startBlock(type);
    this.lastKey.forget();
  }

  /** Adds a record; throws `INVALID_ARGUMENT` if its key is not the next one, `RECORD_TOO_LARGE`. */
  add(
    key: Uint8Array,
    keyLength: number,
    valueType: number,
    value: Uint8Array,
    valueLength: number,
  ): void {
    if (!this.addIfFits(key, keyLength, valueType, value, valueLength)) {
      throw this.tooLarge(key, 0, keyLength);
    }
  }

  /** The same; `false` if the record does not fit into a block of its own. */
  addIfFits(
    key: Uint8Array,
    keyLength: number,
    valueType: number,
    value: Uint8Array,
    valueLength: number,
  ): boolean {
    const { block } = this;
    const shared = this.sharedWithLast(key, 0, keyLength, -1);
    if (!block.add(shared, key, keyLength, valueType, value, valueLength)) {
      if (!this.startNextBlock()) return false;
      if (!block.add(0, key, keyLength, valueType, value, valueLength)) return false;
    }
    this.lastKey.remember(key, 0, keyLength, shared);
    return true;
  }

  /**
   * Begins a record in this block or the next one, for the rest of its key and its value to be put into
   * `block`; `shared` is what the key has in common with the last one. Returns how much of the key is left
   * out. Throws `RECORD_TOO_LARGE`.
   */
  beginRecord(
    shared: number,
    keys: Uint8Array,
    start: number,
    length: number,
    valueType: number,
    valueLength: number,
  ): number {
    let prefix = this.block.begin(shared, length, valueType, valueLength);
    if (prefix < 0) {
      if (this.startNextBlock()) prefix = this.block.begin(0, length, valueType, valueLength);
      if (prefix < 0) throw this.tooLarge(keys, start, length);
    }
    this.lastKey.remember(keys, start, length, shared);
    return prefix;
  }

  /**
   * How many bytes a key has in common with the last one; `known` is what is known of it, else -1.
   * Throws `INVALID_ARGUMENT` if it does not come after the last one.
   */
  sharedWithLast(keys: Uint8Array, start: number, length: number, known: number): number {
    const shared = this.lastKey.sharedWith(keys, start, length, known);
    if (shared >= 0) return shared;
    const name = this.keyName(keys, start, length);
    const expected = 'expected records in the order of their keys, and each key once';
    throw new RefError('INVALID_ARGUMENT', `'${name}': ${expected}`, { ref: name });
  }

  /**
   * Appends a whole block of the section's type, as another table stores it, without padding. It becomes
   * the file's first block only if it was that one's. `lastKey` is that of its last record, which comes
   * after the last one here. Returns where it starts in the file.
   */
  copyBlock(stored: Uint8Array, lastKey: Uint8Array): number {
    this.endBlock();
    const { offset } = this.output;
    this.writeBlock(stored, lastKey);
    this.startBlock(this.block.type);
    this.lastKey.remember(lastKey, 0, lastKey.length, 0);
    return offset;
  }

  /** Ends the section and writes its index; returns the offset of the last level, 0 if there is none. */
  *endSection(): Generator<void, number> {
    this.endBlock();
    if (this.block.type === LOG_BLOCK) this.footer.logOffset = this.index[0]?.offset ?? 0;
    let indexOffset = 0;
    let steps = 0;
    while (this.index.length > this.indexThreshold) {
      indexOffset = this.output.offset;
      const level = this.index;
      this.index = [];
      this.startSection(INDEX_BLOCK);
      const value = new Uint8Array(MAX_VARINT_LENGTH);
      for (const { lastKey, offset } of level) {
        this.add(lastKey, lastKey.length, 0, value, writeVarint(value, 0, offset));
        if (++steps % INDEX_STEP === 0) yield;
      }
      this.endBlock();
      if (this.index.length >= level.length) {
        const message = `a block size of ${this.blockSize} bytes is too small to index these keys`;
        throw new RefError('RECORD_TOO_LARGE', message);
      }
    }
    this.index = [];
    return indexOffset;
  }

  /** Writes the footer, behind the last section; returns the size of the table, bytes. */
  finish(): number {
    const { output, header } = this;
    output.dropPadding();
    if (output.offset === 0) {
      const bytes = new Uint8Array(headerSize(header.version));
      writeHeader(bytes, header);
      output.write(bytes, 0);
    }
    output.write(encodeFooter(header, this.footer), 0);
    return output.offset;
  }

  /** The pieces of the file that have become full since the last call. */
  takeFullChunks(): Uint8Array[] {
    return this.output.takeFull();
  }

  /** The rest of the file, once it is finished. */
  takeChunks(): Uint8Array[] {
    return this.output.takeAll();
  }

  private startBlock(type: BlockType): void {
    this.block.reset(type, this.output.offset === 0 ? headerSize(this.header.version) : 0);
  }

  /** Ends a block that is full and begins the next one; `false` if the block is empty. */
  private startNextBlock(): boolean {
    const { type, recordCount } = this.block;
    if (recordCount === 0) return false;
    this.endBlock();
    this.startBlock(type);
    return true;
  }

  private endBlock(): void {
    const { block } = this;
    if (block.recordCount === 0) return;
    this.writeBlock(block.finish(this.compression), this.lastKey.copy());
  }

  private writeBlock(bytes: Uint8Array, lastKey: Uint8Array): void {
    const { output, block } = this;
    const { offset } = output;
    if (offset === 0) writeHeader(bytes, this.header);
    this.index.push({ lastKey, offset });
    const isPadded = this.aligned && block.type !== LOG_BLOCK;
    output.write(bytes, isPadded ? this.blockSize - bytes.length : 0);
  }

  private tooLarge(keys: Uint8Array, start: number, length: number): RefError {
    const name = this.keyName(keys, start, length);
    const message = `'${name}': the record does not fit into a block of ${this.blockSize} bytes`;
    return new RefError('RECORD_TOO_LARGE', message, { ref: name });
  }

  /** The name in a key, for messages. */
  private keyName(keys: Uint8Array, start: number, length: number): string {
    const end = start + length;
    return decodeText(keys, start, this.block.type === LOG_BLOCK ? end - LOG_KEY_SUFFIX : end);
  }
}
