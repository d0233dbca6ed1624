// `packed-refs` version 1: lines of text, in byte order of their names.
//
//   # pack-refs with: peeled fully-peeled sorted
//   d670460b4b4aece5915caf5c68d12f560a9fe3e4 refs/heads/main
//   0ac3…                                    refs/tags/v1.0
//   ^c1b2…                                   what the tag above comes down to
//
// A record is found by halves, in the bytes as they are; nothing is parsed but what is asked for.

import { isHex, type ObjectFormat, oidSize } from '../../../format/object-format.ts';
import { Scratch } from '../../../format/scratch.ts';
import { decodeText } from '../../../format/text.ts';
import { type ByteSource, readRange } from '../byte-source.ts';
import type { PackedRecords, PackedRef } from '../packed-ref.ts';
import { type CheckedLines, LineCursor } from './cursor.ts';
import { unexpectedLine } from './errors.ts';
import { peels, readHeader } from './header.ts';
import { findRecord, locateRecord, type RecordLines, startOfRecord } from './search.ts';
import { sortedLines } from './sorting.ts';

const LF = 0x0a;
const CARET = 0x5e;

export class LineRecords implements PackedRecords {
  readonly version = 1;
  readonly lines: CheckedLines;
  readonly #name = new Scratch();

  /** Looks at the header and the last line, if there are any. Throws `CORRUPT_REF`. */
  constructor(path: string, source: ByteSource, objectFormat: ObjectFormat) {
    const header = readHeader(path, source);
    const nameOffset = 2 * oidSize(objectFormat) + 1;
    let lines: RecordLines = { source, start: header.end, end: source.size, nameOffset };
    checkEnd(path, lines);
    if (!header.isSorted) {
      lines = sortedLines(path, lines);
      checkEnd(path, lines);
    }
    this.lines = { ...lines, path, peeling: header.peeling };
  }

  find(text: string): PackedRef | undefined {
    const name = this.#name.encode(text);
    const record = findRecord(this.lines, name);
    if (record < 0) return undefined;
    const { path, source, end, nameOffset } = this.lines;
    const digits = nameOffset - 1;
    const lineEnd = record + nameOffset + name.length + 1;
    // Nothing else of the line is looked at, as in Git; nor does a peeled line that is none stand in the way.
    if (!isHexAt(source, record, digits)) throw unexpectedLine(path, source, record, end);
    const hasPeeled =
      lineEnd + digits + 2 <= end &&
      readRange(source, lineEnd, 1)[0] === CARET &&
      readRange(source, lineEnd + 1 + digits, 1)[0] === LF &&
      isHexAt(source, lineEnd + 1, digits);
    return {
      name: text,
      oid: hexAt(source, record, digits),
      peeled: hasPeeled ? hexAt(source, lineEnd + 1, digits) : undefined,
      isPeeled: hasPeeled || peels(this.lines.peeling, text),
      hasBadName: false,
    };
  }

  from(name: string): LineCursor {
    const { lines } = this;
    const isFirst = name === '';
    return new LineCursor(
      lines,
      isFirst ? lines.start : locateRecord(lines, this.#name.encode(name)),
    );
  }
}

/** The last line has to have an end and room for a name: then no search reads beyond the file. */
function checkEnd(path: string, { source, start, end, nameOffset }: RecordLines): void {
  if (start === end) return;
  const last = startOfRecord(source, start, end - 1);
  if (readRange(source, end - 1, 1)[0] !== LF || end - last <= nameOffset) {
    throw unexpectedLine(path, source, last, end);
  }
}

function isHexAt(source: ByteSource, at: number, digits: number): boolean {
  return isHex(readRange(source, at, digits), 0, digits);
}

function hexAt(source: ByteSource, at: number, digits: number): string {
  return decodeText(readRange(source, at, digits)).toLowerCase();
}
