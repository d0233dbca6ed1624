// Encodes the keys and values of records (see `records.ts`) into two buffers that are used again for
// every record.

import { writeReversedUint64, writeUint16 } from './bytes.ts';
import {
  LOG_ENTRY,
  LOG_KEY_SUFFIX,
  type LogEntry,
  REF_OID,
  REF_PEELED,
  REF_SYMREF,
  type RefRecord,
  TOMBSTONE,
} from './records.ts';
import { Scratch } from './scratch.ts';

/** What a log entry says besides its object ids: the same for all entries of a transaction. */
export type LogTail = Omit<LogEntry, 'oldOid' | 'newOid'>;

/** Encodes what stands behind the object ids of a log entry. */
export function encodeLogTail(tail: LogTail): Uint8Array {
  const encoder = new RecordEncoder();
  encoder.logTail(tail);
  return encoder.value.bytes.slice(0, encoder.value.length);
}

/** What stands behind the name in a log record's key: NUL, and 2^64-1 - `updateIndex`. */
export function logKeySuffix(updateIndex: number): Uint8Array {
  const suffix = new Uint8Array(LOG_KEY_SUFFIX);
  writeReversedUint64(suffix, 1, updateIndex);
  return suffix;
}

export class RecordEncoder {
  readonly key = new Scratch();
  readonly value = new Scratch();
  valueType = 0;

  ref(record: RefRecord, minUpdateIndex: number): void {
    const { key, value } = this;
    key.length = 0;
    key.text(record.name);
    value.length = 0;
    value.varint(record.updateIndex - minUpdateIndex);
    if (record.target !== undefined) {
      this.valueType = REF_SYMREF;
      value.string(record.target);
    } else if (record.oid === undefined) {
      this.valueType = TOMBSTONE;
    } else {
      this.valueType = record.peeled === undefined ? REF_OID : REF_PEELED;
      value.oid(record.oid);
      if (record.peeled !== undefined) value.oid(record.peeled);
    }
  }

  log(name: string, updateIndex: number, entry: LogEntry | undefined): void {
    const { key, value } = this;
    key.length = 0;
    key.text(name);
    key.append(logKeySuffix(updateIndex));
    value.length = 0;
    this.valueType = entry === undefined ? TOMBSTONE : LOG_ENTRY;
    if (entry === undefined) return;
    value.oid(entry.oldOid);
    value.oid(entry.newOid);
    this.logTail(entry);
  }

  /** What stands behind the object ids of a log entry. */
  logTail(entry: LogTail): void {
    const { value } = this;
    value.string(entry.committerName);
    value.string(entry.email);
    value.varint(entry.time);
    value.reserve(2);
    writeUint16(value.bytes, value.length, entry.timezone & 0xffff);
    value.length += 2;
    value.string(entry.message);
  }

  /** The value of an object record. `offsets` ascend; none at all stands for "too many to list". */
  blockOffsets(offsets: readonly number[]): void {
    const { value } = this;
    value.length = 0;
    this.valueType = offsets.length < 8 ? offsets.length : 0;
    if (this.valueType === 0) value.varint(offsets.length);
    let last = 0;
    for (const offset of offsets) {
      value.varint(offset - last);
      last = offset;
    }
  }
}
