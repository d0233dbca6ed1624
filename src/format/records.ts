// The values of the four kinds of records: what stands behind a record's key (see `block-writer.ts`).
//
//   ref     key: the name                        value type
//             update index - the table's min(varint), then
//               nothing                               0  tombstone: the ref is deleted
//               object id                             1
//               object id, peeled object id           2
//               length(varint), target                3  symref
//   object  key: an object id's first bytes      value type: how many offsets, 0: a varint tells
//             offsets of ref blocks(varint), each but the first less the one before; none at all
//             means that there were too many to list
//   log     key: the name, NUL, 2^64-1 - update index(8): the newest entry comes first
//             nothing                                 0  tombstone: the entry is deleted
//             old id, new id, name, email(each length(varint) and bytes),
//             seconds(varint), time zone(2), message  1
//   index   key: the last key in a block         value type 0
//             the block's offset(varint)
//
// The time zone is a signed number that Git writes as its digits are read, +0530 as 530 and -0800 as
// -800, although the format's document says minutes.

import { type BlockType, INDEX_BLOCK, LOG_BLOCK, OBJECT_BLOCK, REF_BLOCK } from './block.ts';
import type { ByteReader } from './byte-reader.ts';
import { readUint16 } from './bytes.ts';
import { readHex } from './object-format.ts';
import { decodeText } from './text.ts';

export const TOMBSTONE = 0;
export const REF_OID = 1;
export const REF_PEELED = 2;
export const REF_SYMREF = 3;
export const LOG_ENTRY = 1;

/** The bytes that a log key has behind the name. */
export const LOG_KEY_SUFFIX = 9;

/** A ref as a table holds it; a tombstone has neither `oid` nor `target`. */
export interface RefRecord {
  name: string;
  updateIndex: number;
  /** Hex. */
  oid?: string | undefined;
  /** Hex. */
  peeled?: string | undefined;
  target?: string | undefined;
}

/** A reflog entry as a table holds it; a tombstone has no `entry`. */
export interface LogRecord {
  name: string;
  updateIndex: number;
  entry?: LogEntry | undefined;
}

export interface LogEntry {
  /** Hex. */
  oldOid: string;
  /** Hex. */
  newOid: string;
  committerName: string;
  email: string;
  /** Seconds since the epoch. */
  time: number;
  /** As it is stored: the number that `±hhmm` reads as, -32768..32767. */
  timezone: number;
  /** As it is stored: with its final newline. */
  message: string;
}

/** Steps over a value. `reader` stands behind the key. */
export function skipValue(
  reader: ByteReader,
  blockType: BlockType,
  valueType: number,
  oidLength: number,
): void {
  if (blockType === REF_BLOCK) {
    reader.varint('an update index');
    if (valueType === REF_OID) reader.skip(oidLength, 'an object id');
    else if (valueType === REF_PEELED) reader.skip(2 * oidLength, 'two object ids');
    else if (valueType === REF_SYMREF) reader.skip(reader.varint('a length'), 'a symref target');
    else if (valueType !== TOMBSTONE) throw reader.error('a ref value type 0 to 3', `${valueType}`);
  } else if (blockType === LOG_BLOCK) {
    if (valueType === TOMBSTONE) return;
    if (valueType !== LOG_ENTRY) throw reader.error('a log value type 0 or 1', `${valueType}`);
    reader.skip(2 * oidLength, 'two object ids');
    reader.skip(reader.varint('a length'), 'a name');
    reader.skip(reader.varint('a length'), 'an e-mail address');
    reader.varint('a time');
    reader.skip(2, 'a time zone');
    reader.skip(reader.varint('a length'), 'a message');
  } else if (blockType === OBJECT_BLOCK) {
    let count = valueType === 0 ? reader.varint('a count') : valueType;
    for (; count > 0; count--) reader.varint('an offset');
  } else if (blockType === INDEX_BLOCK) {
    if (valueType !== 0) throw reader.error('an index value type 0', `${valueType}`);
    reader.varint('an offset');
  }
}

/** Decodes a ref's value; `minUpdateIndex` is the table's. */
export function readRef(
  reader: ByteReader,
  name: string,
  valueType: number,
  oidLength: number,
  minUpdateIndex: number,
): RefRecord {
  const { bytes } = reader;
  const updateIndex = minUpdateIndex + reader.varint('an update index');
  if (updateIndex > Number.MAX_SAFE_INTEGER) throw reader.error('an update index below 2^53');
  switch (valueType) {
    case TOMBSTONE:
      return { name, updateIndex, oid: undefined, peeled: undefined, target: undefined };
    case REF_OID: {
      const oid = readHex(bytes, reader.skip(oidLength, 'an object id'), oidLength);
      return { name, updateIndex, oid, peeled: undefined, target: undefined };
    }
    case REF_PEELED: {
      const oid = readHex(bytes, reader.skip(oidLength, 'an object id'), oidLength);
      const peeled = readHex(bytes, reader.skip(oidLength, 'an object id'), oidLength);
      return { name, updateIndex, oid, peeled, target: undefined };
    }
    case REF_SYMREF: {
      const target = readString(reader, 'a symref target');
      return { name, updateIndex, oid: undefined, peeled: undefined, target };
    }
    default:
      throw reader.error('a ref value type 0 to 3', `${valueType}`);
  }
}

/** Decodes a log entry's value; `undefined` for a tombstone. */
export function readLogEntry(
  reader: ByteReader,
  valueType: number,
  oidLength: number,
): LogEntry | undefined {
  if (valueType === TOMBSTONE) return undefined;
  if (valueType !== LOG_ENTRY) throw reader.error('a log value type 0 or 1', `${valueType}`);
  const oids = reader.skip(2 * oidLength, 'two object ids');
  return {
    oldOid: readHex(reader.bytes, oids, oidLength),
    newOid: readHex(reader.bytes, oids + oidLength, oidLength),
    committerName: readString(reader, 'a name'),
    email: readString(reader, 'an e-mail address'),
    time: reader.varint('a time'),
    timezone: (readUint16(reader.bytes, reader.skip(2, 'a time zone')) << 16) >> 16,
    message: readString(reader, 'a message'),
  };
}

/**
 * Decodes an object record's value into the offsets of the ref blocks that hold the object id;
 * `undefined` where there were too many to list.
 */
export function readBlockOffsets(reader: ByteReader, valueType: number): number[] | undefined {
  const count = valueType === 0 ? reader.varint('a count') : valueType;
  if (count === 0) return undefined;
  if (count > reader.end - reader.at) {
    throw reader.error(`at most ${reader.end - reader.at} offsets`, `${count}`);
  }
  const offsets: number[] = [];
  let offset = 0;
  for (let i = 0; i < count; i++) {
    const step = reader.varint('an offset');
    offset += step;
    // Ref blocks come before object blocks. One that came twice would be scanned twice.
    if (offset >= reader.origin || (i > 0 && step === 0)) {
      throw reader.error(`ascending offsets before byte ${reader.origin}`, `${offset}`);
    }
    offsets.push(offset);
  }
  return offsets;
}

function readString(reader: ByteReader, what: string): string {
  const length = reader.varint('a length');
  const start = reader.skip(length, what);
  return decodeText(reader.bytes, start, start + length);
}
