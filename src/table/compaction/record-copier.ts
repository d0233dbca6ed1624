// Passes refs and log records from tables into a new one as bytes: no name, object id or message is
// decoded.

import { LOG_ENTRY, REF_OID, REF_PEELED, TOMBSTONE } from '../../format/records.ts';
import { MAX_VARINT_LENGTH, writeVarint } from '../../format/varint.ts';
import type { ObjectIndex } from '../object-index.ts';
import type { TableBuilder } from '../table-builder.ts';
import type { TableCursor } from '../table-cursor.ts';

/** Which log entries to leave out: what is true of either makes an entry expired. */
export interface LogExpiry {
  /** Entries with a smaller update index; 0 for none. */
  minUpdateIndex?: number | undefined;
  /** Entries with an earlier time, seconds since the epoch; 0 for none. */
  minTime?: number | undefined;
}

export interface CopyRules {
  /** Tombstones are left out: no older table is there in which they would hide a record. */
  dropTombstones: boolean;
  expiry?: LogExpiry | undefined;
}

export class RecordCopier {
  private readonly builder: TableBuilder;
  private readonly objects: ObjectIndex | undefined;
  private readonly dropTombstones: boolean;
  private readonly minUpdateIndex: number;
  private readonly minTime: number;
  private readonly delta = new Uint8Array(MAX_VARINT_LENGTH);

  /** Notes in `objects` which object ids the refs hold. */
  constructor(builder: TableBuilder, objects: ObjectIndex | undefined, rules: CopyRules) {
    this.builder = builder;
    this.objects = objects;
    this.dropTombstones = rules.dropTombstones;
    this.minUpdateIndex = rules.expiry?.minUpdateIndex ?? 0;
    this.minTime = rules.expiry?.minTime ?? 0;
  }

  /**
   * Adds the ref at the cursor, or leaves it out; returns whether it was added. `shared` is how many bytes
   * its name has in common with that of the ref added last, -1 where that is not known.
   * Throws `ReftableFormatError`, `RECORD_TOO_LARGE`.
   */
  ref(cursor: TableCursor, shared: number): boolean {
    const { builder, delta } = this;
    const { batch, index, table } = cursor;
    const valueType = batch.valueTypes[index]!;
    if (valueType === TOMBSTONE && this.dropTombstones) return false;
    const { reader } = batch;
    reader.at = batch.valueStarts[index]!;
    const updateIndex = table.minUpdateIndex + reader.varint('an update index');
    const { minUpdateIndex, maxUpdateIndex } = builder.header;
    if (updateIndex < minUpdateIndex || updateIndex > maxUpdateIndex) {
      const expected = `an update index ${minUpdateIndex} to ${maxUpdateIndex}`;
      throw cursor.error(expected, `${updateIndex}`);
    }
    // The update index is stored less the table's smallest one, and that may have changed.
    const deltaLength = writeVarint(delta, 0, updateIndex - minUpdateIndex);
    const rest = reader.at;
    const end = batch.valueEnds[index]!;
    this.beginRecord(cursor, shared, valueType, deltaLength + end - rest);
    builder.block.put(delta, 0, deltaLength);
    builder.block.put(reader.bytes, rest, end);
    if (this.objects !== undefined && (valueType === REF_OID || valueType === REF_PEELED)) {
      for (let at = rest; at < end; at += builder.oidLength) {
        this.objects.add(reader.bytes, at, builder.offset);
      }
    }
    return true;
  }

  /** The same for the log record at the cursor. */
  log(cursor: TableCursor, shared: number): boolean {
    const { batch, index } = cursor;
    const valueType = batch.valueTypes[index]!;
    const updateIndex = cursor.logUpdateIndex();
    if (valueType === TOMBSTONE && this.dropTombstones) return false;
    if (valueType === LOG_ENTRY && this.isExpired(cursor, updateIndex)) return false;
    const start = batch.valueStarts[index]!;
    const end = batch.valueEnds[index]!;
    this.beginRecord(cursor, shared, valueType, end - start);
    this.builder.block.put(batch.reader.bytes, start, end);
    return true;
  }

  /** Begins a record with the cursor's key; its value is to follow. */
  private beginRecord(
    cursor: TableCursor,
    known: number,
    valueType: number,
    valueLength: number,
  ): void {
    const { builder } = this;
    const { keys, keyStarts } = cursor.batch;
    const start = keyStarts[cursor.index]!;
    const end = keyStarts[cursor.index + 1]!;
    const shared = builder.lastKey.sharedWith(keys, start, end - start, known);
    if (shared < 0) throw cursor.error('a key that comes after the one before it');
    const prefix = builder.beginRecord(shared, keys, start, end - start, valueType, valueLength);
    builder.block.put(keys, start + prefix, end);
  }

  private isExpired(cursor: TableCursor, updateIndex: number): boolean {
    if (updateIndex < this.minUpdateIndex) return true;
    if (this.minTime <= 0) return false;
    const { reader, valueStarts, oidLength } = cursor.batch;
    reader.at = valueStarts[cursor.index]!;
    reader.skip(2 * oidLength, 'two object ids');
    reader.skip(reader.varint('a length'), 'a name');
    reader.skip(reader.varint('a length'), 'an e-mail address');
    return reader.varint('a time') < this.minTime;
  }
}
