// Names and messages between bytes and strings. Git's names are bytes, nearly always UTF-8; a string that
// came from bytes which are not carries each offending byte 0x80..0xFF as the lone surrogate
// U+DC80..U+DCFF, so that every name survives reading and writing unchanged.

import { compareBytes } from './bytes.ts';

const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** The text of `bytes[start, end)`. Never fails: bytes that are not UTF-8 become U+DC80..U+DCFF. */
export function decodeText(bytes: Uint8Array, start = 0, end = bytes.length): string {
  const view = bytes.subarray(start, end);
  try {
    return strictDecoder.decode(view);
  } catch {
    return decodeMixed(view);
  }
}

/** The bytes of a text; the inverse of `decodeText`. Other lone surrogates become U+FFFD. */
export function encodeText(text: string): Uint8Array {
  return /[\udc80-\udcff]/.test(text) ? encodeMixed(text) : encoder.encode(text);
}

/**
 * Orders texts by their bytes, as the format and Git do. JavaScript's `<` compares UTF-16 units, which
 * puts U+1F600 before U+FF5E; their bytes stand the other way round.
 */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // ASCII comes before all else, and up to U+D7FF units stand as their bytes do.
    if (x < 0x80 || y < 0x80 || (x < 0xd800 && y < 0xd800)) return x - y;
    return compareBytes(encodeText(a), encodeText(b));
  }
  return a.length - b.length;
}

/** Decodes the longest well-formed stretches, and what lies between them byte by byte. */
function decodeMixed(bytes: Uint8Array): string {
  let text = '';
  let wellFormed = 0;
  let i = 0;
  while (i < bytes.length) {
    const length = sequenceLength(bytes, i);
    if (length > 0) {
      i += length;
      continue;
    }
    if (i > wellFormed) text += strictDecoder.decode(bytes.subarray(wellFormed, i));
    text += String.fromCharCode(0xdc00 + bytes[i]!);
    wellFormed = ++i;
  }
  return text + strictDecoder.decode(bytes.subarray(wellFormed));
}

/** The length of the well-formed UTF-8 sequence at `at`, 0 if there is none (Unicode, table 3-7). */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return 1;
  const length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  const second = bytes[at + 1]!;
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let i = 2; i < length; i++) {
    if ((bytes[at + i]! & 0xc0) !== 0x80) return 0;
  }
  return length;
}

function encodeMixed(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3);
  let length = 0;
  for (let i = 0; i < text.length; ) {
    const point = text.codePointAt(i)!;
    const units = point > 0xffff ? 2 : 1;
    if (point >= 0xdc80 && point <= 0xdcff) {
      bytes[length++] = point - 0xdc00;
    } else {
      length += encoder.encodeInto(text.slice(i, i + units), bytes.subarray(length)).written;
    }
    i += units;
  }
  return bytes.slice(0, length);
}
