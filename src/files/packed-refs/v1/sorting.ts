// Files that do not say that they are sorted. Most are all the same, and stay where they are; the others are
// sorted in memory, as by Git. Records of one name keep their order.

import { RefError } from '../../../errors.ts';
import { MemorySource, readRange } from '../byte-source.ts';
import { unexpectedLine } from './errors.ts';
import type { RecordLines } from './search.ts';

const LF = 0x0a;
const CARET = 0x5e;

/** Sorting takes memory for the file twice, bytes. */
const MAX_UNSORTED_SIZE = 2 ** 31 - 1;

/** How much is looked at at a time, bytes: a record has to fit in, and the one before it. */
const WINDOW_SIZE = 1 << 21;

/**
 * The same records in byte order of their names. Throws `CORRUPT_REF` for a line that is too short for a name,
 * and for a file that would have to be sorted but is too large for that.
 */
export function sortedLines(path: string, lines: RecordLines): RecordLines {
  if (isSorted(path, lines)) return lines;
  const { source, start, end, nameOffset } = lines;
  const size = end - start;
  if (size > MAX_UNSORTED_SIZE) {
    const message = `${path}: expected records in order, for they are too many to sort`;
    throw new RefError('CORRUPT_REF', message, { file: path });
  }
  const bytes = new Uint8Array(size);
  source.copy(start, bytes);
  return { source: new MemorySource(inOrder(bytes, nameOffset)), start: 0, end: size, nameOffset };
}

/** Whether each name comes after the one before it. Looks at every line, sorted or not. */
function isSorted(path: string, lines: RecordLines): boolean {
  const { source, start, end, nameOffset } = lines;
  let isAscending = true;
  /** Where the record before the next one begins, and where that one does. */
  let last = start;
  let next = start;
  while (next < end) {
    const bytes = readRange(source, last, Math.min(WINDOW_SIZE, end - last));
    const isRest = last + bytes.length === end;
    let before = 0;
    let at = next - last;
    for (;;) {
      const recordEnd = endOfRecord(bytes, at, nameOffset, isRest);
      if (recordEnd < 0) break;
      isAscending &&= at === before || compareNames(bytes, before, at, nameOffset) < 0;
      before = at;
      at = recordEnd;
    }
    if (last + at === next) throw unexpectedLine(path, source, next, end);
    next = last + at;
    last += before;
  }
  return isAscending;
}

/** The bytes of the records, in order. */
function inOrder(bytes: Uint8Array, nameOffset: number): Uint8Array {
  const starts: number[] = [];
  for (let at = 0; at < bytes.length; at = endOfRecord(bytes, at, nameOffset, true))
    starts.push(at);
  starts.sort((a, b) => compareNames(bytes, a, b, nameOffset));
  const sorted = new Uint8Array(bytes.length);
  let filled = 0;
  for (const start of starts) {
    const record = bytes.subarray(start, endOfRecord(bytes, start, nameOffset, true));
    sorted.set(record, filled);
    filled += record.length;
  }
  return sorted;
}

/**
 * Where the record ends that begins at `at`, its peeled line included. -1 if that is beyond `bytes`, which are followed
 * by others unless they are the rest, and for a line that is too short for a name.
 */
function endOfRecord(bytes: Uint8Array, at: number, nameOffset: number, isRest: boolean): number {
  const end = bytes.indexOf(LF, at) + 1;
  if (end <= at + nameOffset + 1) return -1;
  if (end === bytes.length) return isRest ? end : -1;
  if (bytes[end] !== CARET) return end;
  return bytes.indexOf(LF, end) + 1 || -1;
}

/** Orders the names of the records at `a` and `b`, as bytes. */
function compareNames(bytes: Uint8Array, a: number, b: number, nameOffset: number): number {
  for (let i = nameOffset; ; i++) {
    const x = bytes[a + i]!;
    const y = bytes[b + i]!;
    if (x === LF || y === LF) return (y === LF ? 1 : 0) - (x === LF ? 1 : 0);
    if (x !== y) return x - y;
  }
}
