// Writes a table: sorted records in, the bytes of a file out.
//
//   header | ref blocks | ref index | object blocks | object index | log blocks | log index | footer
//
// Every block but a log block starts at a multiple of the block size, the space between filled with
// zeros; log blocks follow each other, and the last block before them, without padding. A section of
// more than three blocks has an index; an index of more than three blocks has one in turn, and the last
// level is the one that the footer points at. The object section is written only where refs have an
// index. These are Git's choices, to the byte.

import { RefError } from '../errors.ts';
import {
  type BlockType,
  INDEX_BLOCK,
  LOG_BLOCK,
  OBJECT_BLOCK,
  REF_BLOCK,
} from '../format/block.ts';
import { BlockWriter } from '../format/block-writer.ts';
import type { Compression } from '../format/compression.ts';
import { encodeFooter, headerSize, type TableHeader, writeHeader } from '../format/header.ts';
import { oidSize } from '../format/object-format.ts';
import { RecordEncoder } from '../format/record-encoder.ts';
import {
  LOG_ENTRY,
  LOG_KEY_SUFFIX,
  type LogRecord,
  REF_OID,
  type RefRecord,
} from '../format/records.ts';
import { decodeText } from '../format/text.ts';
import { MAX_VARINT_LENGTH, writeVarint } from '../format/varint.ts';
import { LastKey } from './last-key.ts';
import { ObjectIndex } from './object-index.ts';
import { TableOutput } from './table-output.ts';
import { checkWriterOptions, type TableWriterOptions } from './table-writer-options.ts';

/** A table that is complete. */
export interface WrittenTable {
  /** The file's bytes, in pieces of 64 KiB. */
  chunks: Uint8Array[];
  /** Bytes. */
  size: number;
  minUpdateIndex: number;
  maxUpdateIndex: number;
  refCount: number;
  logCount: number;
}

/** The longest keys that an object section can have, bytes. */
const MAX_OBJECT_ID_LENGTH = 31;

interface IndexEntry {
  lastKey: Uint8Array;
  offset: number;
}

export class TableWriter {
  private readonly compression: Compression;
  private readonly header: TableHeader;
  private readonly blockSize: number;
  private readonly aligned: boolean;
  /** A section, or a level of an index, of more blocks than this gets an index. */
  private readonly indexThreshold: number;
  private readonly oidLength: number;
  private readonly encoder = new RecordEncoder();
  private readonly block: BlockWriter;
  private readonly objects: ObjectIndex | undefined;
  /** The kind of records that come now; `undefined` before the first one. */
  private section: typeof REF_BLOCK | typeof LOG_BLOCK | undefined;
  /** One entry for each block written in this section or level. */
  private index: IndexEntry[] = [];
  /** The key of the last record that was added. */
  private readonly lastKey = new LastKey();
  private readonly delta = new Uint8Array(MAX_VARINT_LENGTH);
  private deltaLength = 0;
  private deltaOf = -1;

  private readonly footer = {
    refIndexOffset: 0,
    objectOffset: 0,
    objectIdLength: 0,
    objectIndexOffset: 0,
    logOffset: 0,
    logIndexOffset: 0,
  };
  private refCount = 0;
  private logCount = 0;

  private readonly output = new TableOutput();

  /** Throws `INVALID_ARGUMENT` for an option out of its range. */
  constructor(options: TableWriterOptions) {
    const { compression, aligned, blockSize, restartInterval, indexObjects, header } =
      checkWriterOptions(options);
    this.header = header;
    this.compression = compression;
    this.blockSize = blockSize;
    this.aligned = aligned;
    this.indexThreshold = aligned ? 3 : 1;
    this.oidLength = oidSize(header.objectFormat);
    this.objects = indexObjects ? new ObjectIndex(this.oidLength) : undefined;
    this.block = new BlockWriter(blockSize, restartInterval, REF_BLOCK, headerSize(header.version));
  }

  /**
   * Adds a ref; names ascend in byte order, and all refs come before the first log record.
   * Throws `INVALID_ARGUMENT` (order, update index), `RECORD_TOO_LARGE`.
   */
  addRef(record: RefRecord): void {
    this.enterRefs(record.name, record.updateIndex);
    this.checkOid(record.name, record.oid);
    this.checkOid(record.name, record.peeled);
    this.encoder.ref(record, this.header.minUpdateIndex);
    this.addRecord();
    this.refCount++;
    const { objects } = this;
    if (objects === undefined || record.oid === undefined) return;
    // The object ids are the last thing in the value.
    const { bytes, length } = this.encoder.value;
    const start = length - this.oidLength;
    if (record.peeled !== undefined) objects.add(bytes, start - this.oidLength, this.output.offset);
    objects.add(bytes, start, this.output.offset);
  }

  /**
   * Adds a ref that holds an object id, from bytes: its name is `names[start, end)`, its object id stands
   * at `at` in `oids`. `shared` is how many bytes the name has in common with the one added last, -1 where
   * that is not known. Throws as `addRef`.
   */
  addDirectRef(
    names: Uint8Array,
    start: number,
    end: number,
    shared: number,
    updateIndex: number,
    oids: Uint8Array,
    at: number,
  ): void {
    if (this.section !== REF_BLOCK || updateIndex !== this.deltaOf) {
      this.enterRefs('', updateIndex);
      this.setDelta(updateIndex);
    }
    const { block, oidLength, delta, deltaLength } = this;
    const length = end - start;
    const common = this.sharedWithLast(names, start, length, shared);
    const prefix = this.beginRecord(common, names, start, length, REF_OID, deltaLength + oidLength);
    block.put(names, start + prefix, end);
    block.put(delta, 0, deltaLength);
    block.put(oids, at, at + oidLength);
    this.lastKey.remember(names, start, length, common);
    this.refCount++;
    this.objects?.add(oids, at, this.output.offset);
  }

  /**
   * Adds a reflog entry or a tombstone for one; names ascend, update indexes of a name descend.
   * Throws `INVALID_ARGUMENT` (order, update index), `RECORD_TOO_LARGE`.
   */
  addLog(record: LogRecord): void {
    const { name, updateIndex, entry } = record;
    if (entry === undefined) {
      this.checkNumber(name, 'update index', updateIndex, 0, Number.MAX_SAFE_INTEGER);
    } else {
      this.checkNumber(name, 'update index', updateIndex, 0, this.header.maxUpdateIndex);
      this.checkNumber(name, 'time', entry.time, 0, Number.MAX_SAFE_INTEGER);
      this.checkOid(name, entry.oldOid);
      this.checkOid(name, entry.newOid);
    }
    this.enterLogs();
    this.encoder.log(name, updateIndex, entry);
    this.addRecord();
    this.logCount++;
  }

  /**
   * Adds a reflog entry from bytes: its key is `keys[start, end)`, `value` all that stands behind it.
   * `shared` is how many bytes of the name in the key are those of the name added last, -1 where that is
   * not known. Throws as `addLog`.
   */
  addLogEntry(
    keys: Uint8Array,
    start: number,
    end: number,
    shared: number,
    value: Uint8Array,
  ): void {
    this.enterLogs();
    const { block } = this;
    const length = end - start;
    const common = this.sharedWithLast(keys, start, length, shared);
    const prefix = this.beginRecord(common, keys, start, length, LOG_ENTRY, value.length);
    block.put(keys, start + prefix, end);
    block.putAll(value);
    this.lastKey.remember(keys, start, length, common);
    this.logCount++;
  }

  /** Completes the table. The writer cannot be used afterwards. */
  finish(): WrittenTable {
    if (this.section === REF_BLOCK) this.finishRefs();
    if (this.section === LOG_BLOCK) this.footer.logIndexOffset = this.finishSection();
    this.output.dropPadding();
    if (this.section === undefined) {
      const bytes = new Uint8Array(headerSize(this.header.version));
      writeHeader(bytes, this.header);
      this.output.write(bytes, 0);
    }
    this.output.write(encodeFooter(this.header, this.footer), 0);
    return {
      chunks: this.output.finish(),
      size: this.output.offset,
      minUpdateIndex: this.header.minUpdateIndex,
      maxUpdateIndex: this.header.maxUpdateIndex,
      refCount: this.refCount,
      logCount: this.logCount,
    };
  }

  private enterRefs(name: string, updateIndex: number): void {
    const { minUpdateIndex, maxUpdateIndex } = this.header;
    this.checkNumber(name, 'update index', updateIndex, minUpdateIndex, maxUpdateIndex);
    if (this.section === LOG_BLOCK) throw invalid(name, 'expected refs before log records');
    this.section = REF_BLOCK;
  }

  private enterLogs(): void {
    if (this.section === LOG_BLOCK) return;
    if (this.section === REF_BLOCK) this.finishRefs();
    this.section = LOG_BLOCK;
    this.output.dropPadding();
    this.startSection(LOG_BLOCK);
  }

  private checkNumber(name: string, what: string, value: number, low: number, high: number): void {
    if (Number.isSafeInteger(value) && value >= low && value <= high) return;
    throw invalid(name, `expected ${what} ${low} to ${high}, found ${value}`);
  }

  /** An object id of another length would make what follows it unreadable. */
  private checkOid(name: string, oid: string | undefined): void {
    if (oid === undefined || oid.length === 2 * this.oidLength) return;
    const expected = `expected an object id of ${2 * this.oidLength} hex digits`;
    throw invalid(name, `${expected}, found '${oid}'`);
  }

  /** Adds the encoded record to the block, or to the next one. */
  private addRecord(): void {
    const { key } = this.encoder;
    if (!this.addIfFits()) throw this.tooLarge(key.bytes, 0, key.length);
  }

  /** The same; `false` if the record does not fit into a block of its own. */
  private addIfFits(): boolean {
    const { key, value, valueType } = this.encoder;
    const { block } = this;
    const shared = this.sharedWithLast(key.bytes, 0, key.length, -1);
    if (!block.add(shared, key.bytes, key.length, valueType, value.bytes, value.length)) {
      if (!this.startNextBlock()) return false;
      if (!block.add(0, key.bytes, key.length, valueType, value.bytes, value.length)) return false;
    }
    this.lastKey.remember(key.bytes, 0, key.length, shared);
    return true;
  }

  private sharedWithLast(keys: Uint8Array, start: number, length: number, known: number): number {
    const shared = this.lastKey.sharedWith(keys, start, length, known);
    if (shared >= 0) return shared;
    const expected = 'expected records in the order of their keys, and each key once';
    throw invalid(this.keyName(keys, start, length), expected);
  }

  /** Ends a block that is full and begins the next one; `false` if the block is empty. */
  private startNextBlock(): boolean {
    const { type, recordCount } = this.block;
    if (recordCount === 0) return false;
    this.flushBlock();
    this.startBlock(type);
    return true;
  }

  /** Begins a record in this block or the next one; returns how much of its key is left out. */
  private beginRecord(
    shared: number,
    keys: Uint8Array,
    start: number,
    length: number,
    valueType: number,
    valueLength: number,
  ): number {
    let prefix = this.block.begin(shared, length, valueType, valueLength);
    if (prefix >= 0) return prefix;
    if (this.startNextBlock()) prefix = this.block.begin(0, length, valueType, valueLength);
    if (prefix < 0) throw this.tooLarge(keys, start, length);
    return prefix;
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

  /** Encodes what a ref's value says of its update index; all refs of a transaction say the same. */
  private setDelta(updateIndex: number): void {
    this.deltaOf = updateIndex;
    this.deltaLength = writeVarint(this.delta, 0, updateIndex - this.header.minUpdateIndex);
  }

  /** Begins a section, or a level of an index: its keys may start anywhere. */
  private startSection(type: BlockType): void {
    this.startBlock(type);
    this.lastKey.forget();
  }

  private startBlock(type: BlockType): void {
    this.block.reset(type, this.output.offset === 0 ? headerSize(this.header.version) : 0);
  }

  private flushBlock(): void {
    const { block } = this;
    if (block.recordCount === 0) return;
    const bytes = block.finish(this.compression);
    if (this.output.offset === 0) writeHeader(bytes, this.header);
    this.index.push({
      lastKey: this.lastKey.copy(),
      offset: this.output.offset,
    });
    const isPadded = this.aligned && block.type !== LOG_BLOCK;
    this.output.write(bytes, isPadded ? this.blockSize - bytes.length : 0);
  }

  private finishRefs(): void {
    this.footer.refIndexOffset = this.finishSection();
    // A table so small that its refs have no index is scanned as fast as its object section would be.
    if (this.footer.refIndexOffset > 0 && this.objects !== undefined)
      this.writeObjects(this.objects);
  }

  private writeObjects(objects: ObjectIndex): void {
    objects.finish();
    const prefixLength = objects.prefixLength();
    // The footer has five bits for it. Not even SHA-256 ids need more, unless they are made up.
    if (prefixLength > MAX_OBJECT_ID_LENGTH) return;
    this.footer.objectIdLength = prefixLength;
    const start = this.output.offset;
    this.startSection(OBJECT_BLOCK);
    for (const { oid, blocks } of objects.entries()) {
      this.footer.objectOffset = start;
      const prefix = oid.subarray(0, prefixLength);
      this.encoder.object(prefix, blocks);
      if (this.addIfFits()) continue;
      this.encoder.object(prefix, []);
      this.addRecord();
    }
    this.footer.objectIndexOffset = this.finishSection();
  }

  /** Writes the last block and the index levels; returns the offset of the last level, 0 for none. */
  private finishSection(): number {
    if (this.block.type === LOG_BLOCK)
      this.footer.logOffset = this.index[0]?.offset ?? this.output.offset;
    this.flushBlock();
    let indexOffset = 0;
    while (this.index.length > this.indexThreshold) {
      indexOffset = this.output.offset;
      const level = this.index;
      this.index = [];
      this.startSection(INDEX_BLOCK);
      for (const { lastKey, offset } of level) {
        this.encoder.index(lastKey, offset);
        this.addRecord();
      }
      this.flushBlock();
      if (this.index.length >= level.length) {
        const message = `a block size of ${this.blockSize} bytes is too small to index these keys`;
        throw new RefError('RECORD_TOO_LARGE', message);
      }
    }
    this.index = [];
    return indexOffset;
  }
}

function invalid(name: string, expected: string): RefError {
  return new RefError('INVALID_ARGUMENT', `'${name}': ${expected}`, { ref: name });
}
