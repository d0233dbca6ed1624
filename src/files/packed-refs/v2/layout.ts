// `packed-refs` version 2, as it was proposed on Git's list in November 2022: a header, chunks of which a table at the
// end tells, and a hash of all before it, or zeros. Numbers are big-endian.
//
//   'PREF'  2(4)  hash id(4)
//   REFS    a ref: name, or what follows its prefix; NUL; object id; peeled object id if there is one
//   ROFF    a ref: where its record ends in REFS(8), with the top bit where it has a peeled object id
//   PFXD    a prefix: text, NUL
//   PFXO    a prefix: where its text ends in PFXD(4), the number of refs up to and with its last one(4)
//   0(4) where the last chunk ends(8), then of each chunk, the last one first: id(4), where it begins(8)
//   hash(20 or 32)
//
// The first two chunks have to be there, and both or none of the others; without those, names are whole.

import { readUint32, readUint64 } from '../../../format/bytes.ts';
import { HASH_IDS, type ObjectFormat, oidSize } from '../../../format/object-format.ts';
import { type ByteSource, readRange } from '../byte-source.ts';
import { badBytes } from './errors.ts';

export const SIGNATURE = 0x50524546; // 'PREF'
export const VERSION = 2;
export const REFS = 0x52454653;
export const ROFF = 0x524f4646;
export const PFXD = 0x50465844;
export const PFXO = 0x5046584f;

export const HEADER_SIZE = 12;
/** Of an entry of the table of contents. */
export const ENTRY_SIZE = 12;
/** Of what ROFF says of a ref, and PFXO of a prefix. */
export const ROW_SIZE = 8;

/** More than a file of any version may have: each of Git's formats has a few. */
const MAX_CHUNKS = 256;

/** A part of the file, bytes from its start. */
export interface Chunk {
  readonly start: number;
  readonly end: number;
}

export interface Layout {
  readonly refs: Chunk;
  readonly offsets: Chunk;
  /** Where the file has prefixes. */
  readonly prefixes: { readonly texts: Chunk; readonly offsets: Chunk } | undefined;
}

/** Whether a file that is not empty is of version 2. */
export function hasSignature(source: ByteSource): boolean {
  return source.size >= 4 && readUint32(readRange(source, 0, 4), 0) === SIGNATURE;
}

/** Reads where everything is. Throws `CORRUPT_REF`. */
export function readLayout(path: string, source: ByteSource, objectFormat: ObjectFormat): Layout {
  const least = HEADER_SIZE + ENTRY_SIZE + oidSize(objectFormat);
  if (source.size < least) {
    throw badBytes(path, source.size, `at least ${least} bytes`, 'the end of the file');
  }
  const header = readRange(source, 0, HEADER_SIZE);
  expectNumber(path, 4, 'version', VERSION, readUint32(header, 4));
  expectNumber(path, 8, 'hash id', HASH_IDS[objectFormat], readUint32(header, 8));

  const tableEnd = source.size - oidSize(objectFormat);
  const chunks = readTable(path, source, tableEnd);
  const required = (id: number): Chunk => {
    const chunk = chunks.get(id);
    if (chunk === undefined) throw badBytes(path, tableEnd, `a chunk ${shown(id)}`, 'none');
    return chunk;
  };
  const rows = (id: number): Chunk => {
    const chunk = required(id);
    const size = chunk.end - chunk.start;
    if (size % ROW_SIZE === 0) return chunk;
    throw badBytes(path, chunk.start, `rows of ${ROW_SIZE} bytes in ${shown(id)}`, `${size} bytes`);
  };
  const hasPrefixes = chunks.has(PFXD) || chunks.has(PFXO);
  return {
    refs: required(REFS),
    offsets: rows(ROFF),
    prefixes: hasPrefixes ? { texts: required(PFXD), offsets: rows(PFXO) } : undefined,
  };
}

/** The chunks by their ids, read from the table's end at `tableEnd` on backwards. */
function readTable(path: string, source: ByteSource, tableEnd: number): Map<number, Chunk> {
  const chunks = new Map<number, Chunk>();
  let id = 0;
  let start = HEADER_SIZE;
  for (let at = tableEnd - ENTRY_SIZE; at >= HEADER_SIZE; at -= ENTRY_SIZE) {
    const entry = readRange(source, at, ENTRY_SIZE);
    const offset = readUint64(entry, 4);
    if (offset === undefined || offset < start || offset > at) {
      const expected = `the offset of a chunk from ${start} to ${at}`;
      throw badBytes(path, at + 4, expected, `${offset ?? '2^53 or more'}`);
    }
    if (id !== 0) chunks.set(id, { start, end: offset });
    id = readUint32(entry, 0);
    start = offset;
    if (id === 0) return chunks;
    if (chunks.has(id)) throw badBytes(path, at, `${shown(id)} once`, 'a second one');
    if (chunks.size === MAX_CHUNKS)
      throw badBytes(path, at, `${MAX_CHUNKS} chunks at most`, 'more');
  }
  throw badBytes(path, HEADER_SIZE, 'the end of the table of contents', 'the header');
}

function expectNumber(
  path: string,
  at: number,
  what: string,
  expected: number,
  found: number,
): void {
  const hex = (value: number) => `0x${value.toString(16)}`;
  if (found !== expected) throw badBytes(path, at, `${what} ${hex(expected)}`, hex(found));
}

/** The four letters of a chunk's id. */
function shown(id: number): string {
  return String.fromCharCode(id >>> 24, (id >>> 16) & 0xff, (id >>> 8) & 0xff, id & 0xff);
}
