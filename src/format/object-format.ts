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

let hexDigits: Uint32Array | undefined;

/** For each two byte values their four hex digits as they lie in memory; made when first needed. */
function hexDigitTable(): Uint32Array {
  if (hexDigits !== undefined) return hexDigits;
  const digits = new Uint8Array(4 << 16);
  for (let pair = 0; pair < 1 << 16; pair++) {
    const hex = HEX_PAIRS[pair >> 8]! + HEX_PAIRS[pair & 0xff]!;
    for (let i = 0; i < 4; i++) digits[4 * pair + i] = hex.charCodeAt(i);
  }
  hexDigits = new Uint32Array(digits.buffer);
  return hexDigits;
}

/** The hex of many object ids as one text: made at once, it costs a fraction of as many short ones. */
export class HexText {
  private readonly oidLength: number;
  private readonly digits: Uint32Array;
  private readonly table = hexDigitTable();

  /** For `count` object ids of `oidLength` bytes; where none is put, the text holds NULs. */
  constructor(count: number, oidLength: number) {
    this.oidLength = oidLength;
    this.digits = new Uint32Array((count * oidLength) / 2);
  }

  /** Puts the hex of the object id at `at` in `bytes` where that of number `i` belongs. */
  put(i: number, bytes: Uint8Array, at: number): void {
    const { digits, table, oidLength } = this;
    let to = (i * oidLength) / 2;
    for (let from = at; from < at + oidLength; from += 2) {
      digits[to++] = table[(bytes[from]! << 8) | bytes[from + 1]!]!;
    }
  }

  toString(): string {
    return hexDecoder.decode(this.digits);
  }
}
