// Walks the records of one section of a table in the order of their keys.

import type { ReftableFormatError } from '../errors.ts';
import type { Block } from '../format/block.ts';
import { compareRanges, readReversedUint64 } from '../format/bytes.ts';
import { RecordBatch } from '../format/record-batch.ts';
import {
  LOG_KEY_SUFFIX,
  type LogRecord,
  REF_OID,
  type RefRecord,
  readLogEntry,
  readRef,
} from '../format/records.ts';
import type { ReadAhead } from './read-ahead.ts';
import type { Table } from './table.ts';

export class TableCursor {
  readonly table: Table;
  /** The records around the current one. */
  readonly batch: RecordBatch;
  /** The current record's number in `batch`. */
  index = 0;

  private readonly section: 'refs' | 'logs';
  private block: Block | undefined;
  private ahead: ReadAhead | undefined;
  /** The prefix that was asked for last, and up to which record of the batch all keys have it. */
  private prefix: Uint8Array | undefined;
  private prefixedEnd = 0;

  constructor(table: Table, section: 'refs' | 'logs') {
    this.table = table;
    this.section = section;
    this.batch = new RecordBatch(table.oidLength);
  }

  /** Moves to the first record; `false` if there is none. */
  seekFirst(): boolean {
    return this.enter(this.table.firstBlock(this.section));
  }

  /** Moves to the first record whose key is at least `key`; `false` if there is none. */
  seek(key: Uint8Array): boolean {
    this.block = this.table.seekBlock(this.section, key);
    this.prefixedEnd = 0;
    if (this.block === undefined) return false;
    this.index = this.batch.openAt(this.block, key);
    return this.index >= 0;
  }

  /** Moves to the next record; `false` if there is none. */
  next(): boolean {
    if (this.nextInBlock()) return true;
    return this.block !== undefined && this.enter(this.nextBlock(this.block));
  }

  /** Moves to the first record of the section's block at `offset`; `false` if there is none. */
  enterBlock(offset: number): boolean {
    this.block = this.table.blockAt(this.section, offset);
    this.index = 0;
    this.prefixedEnd = 0;
    this.batch.open(this.block);
    return this.batch.count > 0;
  }

  /** Moves to the next record in the same block; `false` if there is none. */
  nextInBlock(): boolean {
    if (++this.index < this.batch.count) return true;
    this.index = 0;
    this.prefixedEnd = 0;
    return this.batch.fill();
  }

  /** Whether the current key begins with `prefix`. */
  hasPrefix(prefix: Uint8Array): boolean {
    // Where the last key of a batch does, and one before it did, so do all between: no need to look.
    if (this.index < this.prefixedEnd && prefix === this.prefix) return true;
    if (!this.keyHasPrefix(this.index, prefix)) return false;
    const last = this.batch.count - 1;
    this.prefix = prefix;
    this.prefixedEnd = this.keyHasPrefix(last, prefix) ? last + 1 : 0;
    return true;
  }

  /** Before which record of the batch it is known that all keys begin with `prefix`, as the current one does. */
  endOfPrefix(prefix: Uint8Array): number {
    return prefix === this.prefix ? Math.max(this.prefixedEnd, this.index + 1) : this.index + 1;
  }

  /** The current key; valid until the cursor moves. */
  key(): Uint8Array {
    const { keys, keyStarts } = this.batch;
    return keys.subarray(keyStarts[this.index]!, keyStarts[this.index + 1]!);
  }

  /** The current ref. */
  ref(): RefRecord {
    const { batch, index, table } = this;
    const { reader } = batch;
    const name = batch.keyText(index);
    const type = batch.valueTypes[index]!;
    const at = batch.valueStarts[index]!;
    const delta = reader.bytes[at]!;
    if (type === REF_OID && delta < 0x80) {
      const updateIndex = table.minUpdateIndex + delta;
      return { name, updateIndex, oid: batch.oidHex(index), peeled: undefined, target: undefined };
    }
    reader.at = at;
    return readRef(reader, name, type, table.oidLength, table.minUpdateIndex);
  }

  /** The name of the current ref. */
  refName(): string {
    return this.batch.keyText(this.index);
  }

  /** The current log record, of the ref `name`. */
  log(name = this.logName()): LogRecord {
    const { batch, index } = this;
    const updateIndex = this.logUpdateIndex();
    batch.reader.at = batch.valueStarts[index]!;
    const entry = readLogEntry(batch.reader, batch.valueTypes[index]!, batch.oidLength);
    return { name, updateIndex, entry };
  }

  /** The update index in the current log record's key. */
  logUpdateIndex(): number {
    const updateIndex = readReversedUint64(this.batch.keys, this.logNameEnd() + 1);
    if (updateIndex === undefined) throw this.error('an update index below 2^53');
    return updateIndex;
  }

  /** The name in the current log record's key. */
  logName(): string {
    this.logNameEnd();
    return this.batch.keyText(this.index, LOG_KEY_SUFFIX);
  }

  /** An error at the current record. */
  error(expected: string, found?: string): ReftableFormatError {
    const { batch, index } = this;
    batch.reader.at = batch.valueStarts[index]!;
    return batch.reader.error(expected, found);
  }

  /** Where the NUL stands in the current log record's key. */
  private logNameEnd(): number {
    const { keys, keyStarts } = this.batch;
    const nul = keyStarts[this.index + 1]! - LOG_KEY_SUFFIX;
    if (nul <= keyStarts[this.index]! || keys[nul] !== 0) {
      throw this.error('a log key of a name, NUL and eight bytes');
    }
    return nul;
  }

  private keyHasPrefix(i: number, prefix: Uint8Array): boolean {
    const { keys, keyStarts } = this.batch;
    const start = keyStarts[i]!;
    const end = Math.min(keyStarts[i + 1]!, start + prefix.length);
    return compareRanges(keys, start, end, prefix, 0, prefix.length) === 0;
  }

  private nextBlock(block: Block): Block | undefined {
    this.ahead ??= this.table.readAhead();
    return this.table.nextBlock(block, this.ahead);
  }

  private enter(first: Block | undefined): boolean {
    this.index = 0;
    this.prefixedEnd = 0;
    for (let block = first; block !== undefined; block = this.nextBlock(block)) {
      this.block = block;
      this.batch.open(block);
      if (this.batch.count > 0) return true;
    }
    this.block = undefined;
    return false;
  }
}
