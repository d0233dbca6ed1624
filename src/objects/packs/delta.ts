// A delta, which makes one object's content out of another's, its base:
//
//   size of the base | size of the result | instructions
//
//   1sssoooo                 copy from the base: 1 to 4 bytes of offset (o: which), 1 to 3 of size (s); size 0 is 65536
//   0nnnnnnn, n > 0          n bytes of the delta itself
//
// Sizes are little-endian, seven bits a byte; the high bit says that another byte follows.

import { MAX_CONTENT_SIZE } from '../inflate.ts';

/** The result's size, bytes; `undefined` if `start` does not begin as a delta. */
export function deltaResultSize(start: Uint8Array): number | undefined {
  const base = readSize(start, 0);
  return base && readSize(start, base.end)?.size;
}

/** The result; `undefined` if that is no delta of this base. */
export function applyDelta(base: Uint8Array, delta: Uint8Array): Uint8Array | undefined {
  const baseSize = readSize(delta, 0);
  const resultSize = baseSize && readSize(delta, baseSize.end);
  if (baseSize?.size !== base.length || resultSize === undefined) return undefined;
  if (resultSize.size > MAX_CONTENT_SIZE) return undefined;
  const result = new Uint8Array(resultSize.size);
  let filled = 0;
  let at = resultSize.end;
  while (at < delta.length) {
    const instruction = delta[at++]!;
    let from = delta;
    let start = at;
    let length = instruction;
    if (instruction & 0x80) {
      from = base;
      start = 0;
      length = 0;
      for (let i = 0; i < 4; i++) if (instruction & (1 << i)) start += delta[at++]! * 256 ** i;
      for (let i = 0; i < 3; i++) if (instruction & (16 << i)) length += delta[at++]! * 256 ** i;
      if (length === 0) length = 0x10000;
    } else {
      at += length;
    }
    // Bytes beyond the end of the delta made the numbers NaN.
    const fits = start + length <= from.length && filled + length <= result.length;
    if (!fits || length === 0) return undefined;
    result.set(from.subarray(start, start + length), filled);
    filled += length;
  }
  return filled === result.length ? result : undefined;
}

function readSize(bytes: Uint8Array, start: number): { size: number; end: number } | undefined {
  let size = 0;
  let factor = 1;
  for (let at = start; at < bytes.length && factor <= 2 ** 49; at++) {
    size += (bytes[at]! & 0x7f) * factor;
    if (bytes[at]! < 0x80) return Number.isSafeInteger(size) ? { size, end: at + 1 } : undefined;
    factor *= 128;
  }
  return undefined;
}
