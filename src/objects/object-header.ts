// The header of an object, which is hashed and stored in front of its content:
//
//   type SP size-in-decimal NUL

import type { ObjectHeader, ObjectType } from './object-source.ts';

/** The longest header, bytes: a type, a space, a size of 64 bits, NUL. */
const MAX_HEADER_SIZE = 32;

const HEADER = /^(blob|commit|tag|tree) (0|[1-9][0-9]{0,15})$/;

/** A header, and how many bytes it takes. */
export interface ParsedHeader extends ObjectHeader {
  readonly length: number;
}

/** Parses the header at the start of `bytes`; `undefined` if none stands there. */
export function parseHeader(bytes: Uint8Array): ParsedHeader | undefined {
  const end = bytes.subarray(0, MAX_HEADER_SIZE).indexOf(0);
  if (end === -1) return undefined;
  const match = HEADER.exec(String.fromCharCode(...bytes.subarray(0, end)));
  if (match === null) return undefined;
  return { type: match[1] as ObjectType, size: Number(match[2]), length: end + 1 };
}
