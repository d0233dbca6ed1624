// Finding a record in `packed-refs` version 1 by halves, without knowing where lines begin. Nothing but the line's
// end is looked at of what is no name, as in Git: a line that is broken is a step of the search like any other.

import type { ByteSource } from '../byte-source.ts';

const LF = 0x0a;
const CARET = 0x5e;

/** The first step of a search from a known place, bytes: a few records. */
const FIRST_STEP = 1 << 8;

/** The records of a file: lines, sorted by their names, the last one ended. */
export interface RecordLines {
  readonly source: ByteSource;
  /** Where the records begin and end in it. */
  readonly start: number;
  readonly end: number;
  /** How far behind the start of its record a name begins: behind an object id and a blank. */
  readonly nameOffset: number;
}

/** Where a record of that name begins; -1 if there is none. Of several, the one that Git finds. */
export function findRecord(lines: RecordLines, name: Uint8Array): number {
  const record = locateRecord(lines, name);
  return record < lines.end && compareName(lines, record, name) === 0 ? record : -1;
}

/** The same, or where such a record would begin. The steps are Git's, for a file that is not in order after all. */
export function locateRecord(lines: RecordLines, name: Uint8Array): number {
  let { start: low, end: high } = lines;
  while (low !== high) {
    const middle = low + Math.floor((high - low) / 2);
    const record = startOfRecord(lines.source, low, middle);
    const order = compareName(lines, record, name);
    if (order === 0) return record;
    if (order < 0) low = endOfRecord(lines.source, middle, high);
    else high = record;
  }
  return low;
}

/**
 * Where the first record begins whose name is at least `name`, or the records end. It is looked for from
 * `from` on, where a record begins: the nearer it is, the sooner it is found.
 */
export function seekRecord(lines: RecordLines, name: Uint8Array, from: number): number {
  const { source, end } = lines;
  let low = from;
  let high = end;
  for (let step = FIRST_STEP; low + step < end; step *= 2) {
    const record = startOfRecord(source, low, low + step);
    if (compareName(lines, record, name) >= 0) {
      high = record;
      break;
    }
    low = endOfRecord(source, low + step, end);
  }
  while (low !== high) {
    const middle = low + Math.floor((high - low) / 2);
    const record = startOfRecord(source, low, middle);
    if (compareName(lines, record, name) < 0) low = endOfRecord(source, middle, high);
    else high = record;
  }
  return low;
}

/** The record's name before (negative), at or after `name`. */
export function compareName(lines: RecordLines, record: number, name: Uint8Array): number {
  let at = record + lines.nameOffset;
  for (let i = 0; ; ) {
    const { bytes, start } = lines.source.page(at);
    for (let local = at - start; local < bytes.length; local++, i++) {
      const byte = bytes[local]!;
      if (byte === LF) return i === name.length ? 0 : -1;
      if (i === name.length) return 1;
      if (byte !== name[i]) return byte - name[i]!;
    }
    at = start + bytes.length;
  }
}

/** Where the record begins that holds the byte at `at`, which is not before `low`. */
export function startOfRecord(source: ByteSource, low: number, at: number): number {
  let { bytes, start } = source.page(at);
  let byte = bytes[at - start]!;
  let record = at;
  for (; record > low; record--) {
    if (record === start) ({ bytes, start } = source.page(record - 1));
    const before = bytes[record - 1 - start]!;
    if (before === LF && byte !== CARET) break;
    byte = before;
  }
  return record;
}

/** Where the record after that one begins, or `end`. A peeled line belongs to the record before it. */
export function endOfRecord(source: ByteSource, at: number, end: number): number {
  let { bytes, start } = source.page(at);
  let before = bytes[at - start]!;
  let record = at + 1;
  for (; record < end; record++) {
    if (record - start === bytes.length) ({ bytes, start } = source.page(record));
    const byte = bytes[record - start]!;
    if (before === LF && byte !== CARET) break;
    before = byte;
  }
  return record;
}
