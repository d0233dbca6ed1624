// Files that do not say that they are sorted. Most are all the same, and stay where they are; the others are
// sorted in memory, as by Git. Records of one name keep their order.

import { RefError } from '../../../errors.ts';
import { indexOfByte, MemorySource } from '../byte-source.ts';
import { unexpectedLine } from './errors.ts';
import type { RecordLines } from './search.ts';

const LF = 0x0a;
const CARET = 0x5e;

/** Sorting takes memory for the file twice, bytes. */
const MAX_UNSORTED_SIZE = 2 ** 31 - 1;

/**
 * The same records in byte order of their names. Throws `CORRUPT_REF` for a line that is too short for a name,
 * and for a file that would have to be sorted but is too large for that.
 */
export function sortedLines(path: string, lines: RecordLines): RecordLines {
  const { source, start, end } = lines;
  if (isSorted(path, lines)) return lines;
  const size = end - start;
  if (size > MAX_UNSORTED_SIZE) {
    const message = `${path}: expected records in order, for they are too many to sort`;
    throw new RefError('CORRUPT_REF', message, { file: path });
  }
  const bytes = new Uint8Array(size);
  source.copy(start, bytes);
  const unsorted = { ...lines, source: new MemorySource(bytes), start: 0, end: size };
  return { ...unsorted, source: new MemorySource(inOrder(path, unsorted, bytes)) };
}

/** Whether each name comes after the one before it. Looks at every line, sorted or not. */
function isSorted(path: string, lines: RecordLines): boolean {
  let last = -1;
  let isAscending = true;
  for (const record of recordStarts(path, lines)) {
    isAscending &&= last < 0 || compareNames(lines, last, record) < 0;
    last = record;
  }
  return isAscending;
}

/** The bytes of the records, all of which are in memory, in order. */
function inOrder(path: string, lines: RecordLines, bytes: Uint8Array): Uint8Array {
  const starts = [...recordStarts(path, lines)];
  const ends = new Map(starts.map((start, i) => [start, starts[i + 1] ?? lines.end]));
  starts.sort((a, b) => compareNames(lines, a, b));
  const sorted = new Uint8Array(bytes.length);
  let at = 0;
  for (const start of starts) {
    const record = bytes.subarray(start, ends.get(start));
    sorted.set(record, at);
    at += record.length;
  }
  return sorted;
}

function* recordStarts(path: string, lines: RecordLines): Generator<number> {
  const { source, end, nameOffset } = lines;
  for (let record = lines.start; record < end; ) {
    const lineEnd = indexOfByte(source, LF, record, end);
    if (lineEnd - record <= nameOffset) throw unexpectedLine(path, source, record, end);
    yield record;
    record = lineEnd + 1;
    if (record === end) return;
    const { bytes, start } = source.page(record);
    if (bytes[record - start] === CARET) record = indexOfByte(source, LF, record, end) + 1;
  }
}

/** Orders two records by their names, as bytes. */
function compareNames(lines: RecordLines, a: number, b: number): number {
  const { source, nameOffset } = lines;
  let atA = a + nameOffset;
  let atB = b + nameOffset;
  let pageA = source.page(atA);
  let pageB = source.page(atB);
  for (; ; atA++, atB++) {
    if (atA - pageA.start === pageA.bytes.length) pageA = source.page(atA);
    if (atB - pageB.start === pageB.bytes.length) pageB = source.page(atB);
    const x = pageA.bytes[atA - pageA.start]!;
    const y = pageB.bytes[atB - pageB.start]!;
    if (x === LF || y === LF) return (y === LF ? 1 : 0) - (x === LF ? 1 : 0);
    if (x !== y) return x - y;
  }
}
