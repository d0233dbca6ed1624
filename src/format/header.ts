// A table's header and footer.
//
//   header    'REFT'  version(1)  block size(3)  min update index(8)  max update index(8)
//             version 2 only: hash id(4)
//   footer    the header again, then
//             ref index offset(8)
//             object section offset << 5 | object id length(8)   object index offset(8)
//             log section offset(8)   log index offset(8)
//             CRC-32 of all the above(4)
//
// Offsets are bytes from the start of the file; 0 where there is no such section (the log section of a
// table without refs starts at 0 too). The block size is 0 where blocks are not aligned.

import { ReftableFormatError } from '../errors.ts';
import {
  readUint24,
  readUint32,
  readUint64,
  writeUint24,
  writeUint32,
  writeUint64,
} from './bytes.ts';
import { crc32 } from './crc32.ts';
import { HASH_IDS, type ObjectFormat, oidSize, readHex } from './object-format.ts';

const MAGIC = 0x52454654; // 'REFT'

export interface TableHeader {
  version: 1 | 2;
  objectFormat: ObjectFormat;
  /** Bytes that aligned blocks start apart; 0 where they are not aligned. */
  blockSize: number;
  minUpdateIndex: number;
  maxUpdateIndex: number;
}

export interface TableFooter {
  refIndexOffset: number;
  objectOffset: number;
  /** How many bytes of an object id the object section's keys have; 0 where it has none. */
  objectIdLength: number;
  objectIndexOffset: number;
  logOffset: number;
  logIndexOffset: number;
}

export function headerSize(version: 1 | 2): number {
  return version === 1 ? 24 : 28;
}

export function footerSize(version: 1 | 2): number {
  return headerSize(version) + 5 * 8 + 4;
}

/** The version that Git writes for a hash function. */
export function versionFor(format: ObjectFormat): 1 | 2 {
  return format === 'sha1' ? 1 : 2;
}

export function writeHeader(bytes: Uint8Array, header: TableHeader): void {
  writeUint32(bytes, 0, MAGIC);
  bytes[4] = header.version;
  writeUint24(bytes, 5, header.blockSize);
  writeUint64(bytes, 8, header.minUpdateIndex);
  writeUint64(bytes, 16, header.maxUpdateIndex);
  if (header.version === 2) writeUint32(bytes, 24, HASH_IDS[header.objectFormat]);
}

export function encodeFooter(header: TableHeader, footer: TableFooter): Uint8Array {
  const bytes = new Uint8Array(footerSize(header.version));
  writeHeader(bytes, header);
  const at = headerSize(header.version);
  writeUint64(bytes, at, footer.refIndexOffset);
  writeUint64(bytes, at + 8, footer.objectOffset * 32 + footer.objectIdLength);
  writeUint64(bytes, at + 16, footer.objectIndexOffset);
  writeUint64(bytes, at + 24, footer.logOffset);
  writeUint64(bytes, at + 32, footer.logIndexOffset);
  writeUint32(bytes, at + 40, crc32(bytes, 0, at + 40));
  return bytes;
}

/**
 * Reads a header. `bytes` holds the start of the file, `file` names it.
 * Throws `ReftableFormatError`.
 */
export function decodeHeader(bytes: Uint8Array, file: string): TableHeader {
  const bad = (offset: number, expected: string, found?: string) =>
    new ReftableFormatError(file, offset, expected, found);
  if (bytes.length < 5) throw bad(bytes.length, 'a table header', 'the end of the file');
  if (readUint32(bytes, 0) !== MAGIC) throw bad(0, "the magic 'REFT'", `0x${readHex(bytes, 0, 4)}`);
  const version = bytes[4]!;
  if (version !== 1 && version !== 2) throw bad(4, 'version 1 or 2', String(version));
  if (bytes.length < headerSize(version)) {
    throw bad(bytes.length, `a header of ${headerSize(version)} bytes`, 'the end of the file');
  }
  const objectFormat = version === 1 ? 'sha1' : hashFunction(readUint32(bytes, 24));
  if (objectFormat === undefined) {
    throw bad(24, "the hash id 'sha1' or 's256'", `0x${readHex(bytes, 24, 4)}`);
  }
  const minUpdateIndex = readUint64(bytes, 8);
  if (minUpdateIndex === undefined) throw bad(8, 'an update index below 2^53');
  const maxUpdateIndex = readUint64(bytes, 16);
  if (maxUpdateIndex === undefined) throw bad(16, 'an update index below 2^53');
  return { version, objectFormat, blockSize: readUint24(bytes, 5), minUpdateIndex, maxUpdateIndex };
}

/**
 * Reads the footer that belongs to `header`. `bytes` is the footer, `offset` its place in the file and
 * so the end of the blocks, into which every offset has to point.
 * Throws `ReftableFormatError`.
 */
export function decodeFooter(
  bytes: Uint8Array,
  header: TableHeader,
  headerBytes: Uint8Array,
  file: string,
  offset: number,
): TableFooter {
  const bad = (at: number, expected: string, found?: string) =>
    new ReftableFormatError(file, offset + at, expected, found);
  const fields = headerSize(header.version);
  for (let i = 0; i < fields; i++) {
    if (bytes[i] !== headerBytes[i]) throw bad(i, 'a footer that begins with the header');
  }
  const crc = crc32(bytes, 0, fields + 40);
  if (readUint32(bytes, fields + 40) !== crc) {
    throw bad(fields + 40, `the CRC-32 ${crc.toString(16)}`, readHex(bytes, fields + 40, 4));
  }
  const sectionOffset = (at: number, what: string): number => {
    const value = readUint64(bytes, fields + at);
    if (value === undefined || value >= offset) {
      throw bad(fields + at, `${what} before byte ${offset}`, String(value ?? 'one beyond 2^53'));
    }
    return value;
  };
  const packed = readUint64(bytes, fields + 8) ?? Number.MAX_SAFE_INTEGER;
  const objectOffset = Math.floor(packed / 32);
  const objectIdLength = packed % 32;
  if (objectOffset >= offset) {
    throw bad(fields + 8, `an object section before byte ${offset}`, String(objectOffset));
  }
  const oidLength = oidSize(header.objectFormat);
  if (objectOffset > 0 && (objectIdLength === 0 || objectIdLength > oidLength)) {
    throw bad(fields + 15, `an object id length of 1 to ${oidLength}`, String(objectIdLength));
  }
  return {
    refIndexOffset: sectionOffset(0, 'a ref index'),
    objectOffset,
    objectIdLength,
    objectIndexOffset: sectionOffset(16, 'an object index'),
    logOffset: sectionOffset(24, 'a log section'),
    logIndexOffset: sectionOffset(32, 'a log index'),
  };
}

function hashFunction(id: number): ObjectFormat | undefined {
  if (id === HASH_IDS.sha1) return 'sha1';
  return id === HASH_IDS.sha256 ? 'sha256' : undefined;
}
