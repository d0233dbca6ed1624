// Object ids: the two hash functions that Git knows, and their ids between bytes and hex.

export type ObjectFormat = 'sha1' | 'sha256';

/** The length of an object id, bytes. */
export function oidSize(format: ObjectFormat): number {
  return format === 'sha1' ? 20 : 32;
}

/** The id that names a hash function in the header of a version 2 table. */
export const HASH_IDS: Readonly<Record<ObjectFormat, number>> = {
  sha1: 0x73686131, // 'sha1'
  sha256: 0x73323536, // 's256'
};

/** Two lower-case hex digits for each byte value. */
const HEX_PAIRS: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
);

const NO_DIGIT = 0xff;
/** The value of each hex digit by its character code. */
const HEX_VALUES = new Uint8Array(256).fill(NO_DIGIT);
for (let value = 0; value < 16; value++) {
  HEX_VALUES[value.toString(16).charCodeAt(0)] = value;
  HEX_VALUES[value.toString(16).toUpperCase().charCodeAt(0)] = value;
}

/** The hex of `length` bytes at `at`. */
export function readHex(bytes: Uint8Array, at: number, length: number): string {
  let hex = '';
  for (let i = at; i < at + length; i++) hex += HEX_PAIRS[bytes[i]!]!;
  return hex;
}

/** Writes the object id `hex`, which must be one (`isOid`), at `at`. */
export function writeOid(bytes: Uint8Array, at: number, hex: string): void {
  for (let i = 0; i < hex.length; i += 2) {
    const high = HEX_VALUES[hex.charCodeAt(i) & 0xff]!;
    bytes[at + (i >> 1)] = (high << 4) | HEX_VALUES[hex.charCodeAt(i + 1) & 0xff]!;
  }
}

/**
 * Reads the hex of `length` bytes that stands, as ASCII, at `from` in `hex`, and writes the bytes at `at`;
 * `false` if something else stands there.
 */
export function parseOid(
  bytes: Uint8Array,
  at: number,
  hex: Uint8Array,
  from: number,
  length: number,
): boolean {
  let bad = 0;
  for (let i = 0; i < length; i++) {
    const high = HEX_VALUES[hex[from + 2 * i]!]!;
    const low = HEX_VALUES[hex[from + 2 * i + 1]!]!;
    bad |= high | low;
    bytes[at + i] = (high << 4) | low;
  }
  return (bad & 0xf0) === 0;
}

/** Whether `count` hex digits stand, as ASCII, at `at`. */
export function isHex(bytes: Uint8Array, at: number, count: number): boolean {
  let bad = 0;
  for (let i = at; i < at + count; i++) bad |= HEX_VALUES[bytes[i]!]!;
  return (bad & 0xf0) === 0;
}

/** Whether `hex` is an object id of the format: the right number of hex digits. */
export function isOid(hex: string, format: ObjectFormat): boolean {
  if (hex.length !== 2 * oidSize(format)) return false;
  for (let i = 0; i < hex.length; i++) {
    const code = hex.charCodeAt(i);
    if (code >= 128 || HEX_VALUES[code] === NO_DIGIT) return false;
  }
  return true;
}

/** The object id that stands for "none". */
export function zeroOid(format: ObjectFormat): string {
  return '0'.repeat(2 * oidSize(format));
}

const hexDecoder = new TextDecoder();
/** For each byte value its two hex digits as they lie in memory. */
const HEX_DIGITS = new Uint16Array(256);
new Uint8Array(HEX_DIGITS.buffer).set(new TextEncoder().encode(HEX_PAIRS.join('')));
/** Used again by each call. */
let digits = new Uint16Array(1 << 12);

/**
 * The hex of `count` object ids of `oidLength` bytes as one text, where that of number `i` ends at
 * `ends[i]` in `bytes`. Made at once they cost a fraction of as many short texts.
 */
export function readManyHex(
  bytes: Uint8Array,
  ends: Int32Array,
  count: number,
  oidLength: number,
): string {
  if (digits.length < count * oidLength) digits = new Uint16Array(2 * count * oidLength);
  const into = digits;
  let to = 0;
  for (let i = 0; i < count; i++) {
    const start = Math.max(ends[i]! - oidLength, 0);
    // Four bytes a turn: both lengths of object ids are multiples of it.
    for (let at = start; at < start + oidLength; at += 4) {
      into[to] = HEX_DIGITS[bytes[at]!]!;
      into[to + 1] = HEX_DIGITS[bytes[at + 1]!]!;
      into[to + 2] = HEX_DIGITS[bytes[at + 2]!]!;
      into[to + 3] = HEX_DIGITS[bytes[at + 3]!]!;
      to += 4;
    }
  }
  return hexDecoder.decode(into.subarray(0, to));
}
