// Comparing byte strings, and the big-endian integers of the format.

/** Orders byte strings as `memcmp` does, a prefix before what it begins. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return compareRanges(a, 0, a.length, b, 0, b.length);
}

/** Orders `a[aStart, aEnd)` and `b[bStart, bEnd)`. */
export function compareRanges(
  a: Uint8Array,
  aStart: number,
  aEnd: number,
  b: Uint8Array,
  bStart: number,
  bEnd: number,
): number {
  const length = Math.min(aEnd - aStart, bEnd - bStart);
  for (let i = 0; i < length; i++) {
    const difference = a[aStart + i]! - b[bStart + i]!;
    if (difference !== 0) return difference;
  }
  return aEnd - aStart - (bEnd - bStart);
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Copies `from[start, end)`, and returns where the copy ends: for so few bytes that a call of `set` is slow. */
export function copyBytes(
  from: DataView,
  start: number,
  end: number,
  to: DataView,
  toAt: number,
): number {
  let at = toAt;
  let i = start;
  for (; i + 4 <= end; i += 4) {
    to.setInt32(at, from.getInt32(i, true), true);
    at += 4;
  }
  for (; i < end; i++) to.setUint8(at++, from.getUint8(i));
  return at;
}

export function readUint16(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 8) | bytes[at + 1]!;
}

export function readUint24(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;
}

export function readUint32(bytes: Uint8Array, at: number): number {
  return bytes[at]! * 0x1000000 + readUint24(bytes, at + 1);
}

/** `undefined` where the value is beyond 2^53-1, which a JavaScript number cannot hold exactly. */
export function readUint64(bytes: Uint8Array, at: number): number | undefined {
  const high = readUint32(bytes, at);
  return high > 0x1fffff ? undefined : high * 0x100000000 + readUint32(bytes, at + 4);
}

export function writeUint16(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 8;
  bytes[at + 1] = value;
}

export function writeUint24(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 16;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value;
}

export function writeUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  writeUint24(bytes, at + 1, value & 0xffffff);
}

/** `value` is at most 2^53-1. */
export function writeUint64(bytes: Uint8Array, at: number, value: number): void {
  writeUint32(bytes, at, Math.floor(value / 0x100000000));
  writeUint32(bytes, at + 4, value >>> 0);
}

/** `undefined` where 2^64-1 less the number there is beyond 2^53-1. */
export function readReversedUint64(bytes: Uint8Array, at: number): number | undefined {
  const high = 0xffffffff - readUint32(bytes, at);
  return high > 0x1fffff ? undefined : high * 0x100000000 + 0xffffffff - readUint32(bytes, at + 4);
}

/** Writes 2^64-1 less `value`, so that greater values sort first. */
export function writeReversedUint64(bytes: Uint8Array, at: number, value: number): void {
  writeUint32(bytes, at, 0xffffffff - Math.floor(value / 0x100000000));
  writeUint32(bytes, at + 4, 0xffffffff - (value >>> 0));
}
