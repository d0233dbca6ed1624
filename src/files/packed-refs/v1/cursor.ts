// Walks the records of `packed-refs` version 1, and checks each as Git does when it lists refs:
//
//   object id(40 or 64 hex digits) blank name LF
//   ^ peeled object id LF                            behind an annotated tag

import { isHex, parseOid } from '../../../format/object-format.ts';
import { decodeText } from '../../../format/text.ts';
import { plainRefNameEnd } from '../../../refs/ref-name.ts';
import { isBadName } from '../bad-name.ts';
import type { PackedRef, RecordCursor } from '../packed-ref.ts';
import { unexpectedLine } from './errors.ts';
import { type Peeling, peels } from './header.ts';
import type { RecordLines } from './search.ts';

const LF = 0x0a;
const CARET = 0x5e;

/** What is read at first and at most at a time, bytes; a record that is longer than the latter is refused. */
const FIRST_WINDOW = 1 << 12;
const LONGEST_WINDOW = 1 << 20;

/** The file that a cursor walks. */
export interface CheckedLines extends RecordLines {
  /** For messages. */
  readonly path: string;
  readonly peeling: Peeling;
}

export class LineCursor implements RecordCursor {
  /** Up to where the records end, or a window of what stands there. */
  bytes: Uint8Array = new Uint8Array(0);
  nameStart = 0;
  nameEnd = 0;
  hasPeeled = false;
  hasBadName = false;
  /** Where the record stands in `bytes`, and where the one after it does. */
  #record = 0;
  #next = 0;
  /** The offset in the file of `bytes[0]`. */
  #origin: number;
  #windowSize = FIRST_WINDOW;
  readonly #lines: CheckedLines;
  readonly #digits: number;

  /** Stands before the record at `from`. */
  constructor(lines: CheckedLines, from: number) {
    this.#lines = lines;
    this.#digits = lines.nameOffset - 1;
    this.#origin = from;
  }

  next(): boolean {
    const { end } = this.#lines;
    while (this.#origin + this.#next < end) {
      if (this.#parse(this.#origin + this.bytes.length === end)) return true;
      this.#refill();
    }
    return false;
  }

  writeOid(into: Uint8Array, at: number): void {
    parseOid(into, at, this.bytes, this.#record, this.#digits / 2);
  }

  writePeeled(into: Uint8Array, at: number): void {
    parseOid(into, at, this.bytes, this.nameEnd + 2, this.#digits / 2);
  }

  ref(): PackedRef {
    const name = decodeText(this.bytes, this.nameStart, this.nameEnd);
    const { hasBadName } = this;
    const hasPeeled = this.hasPeeled && !hasBadName;
    const { peeling } = this.#lines;
    return {
      name,
      oid: hasBadName ? '0'.repeat(this.#digits) : this.#hexAt(this.#record),
      peeled: hasPeeled ? this.#hexAt(this.nameEnd + 2) : undefined,
      isPeeled: !hasBadName && (hasPeeled || peels(peeling, name)),
      hasBadName,
    };
  }

  /** Steps to the record behind the last one; `false` if the window ends inside of it. */
  #parse(isLast: boolean): boolean {
    const { bytes } = this;
    const digits = this.#digits;
    const record = this.#next;
    if (bytes.length - record < digits + 2) {
      if (isLast) throw this.#unexpected(record);
      return false;
    }
    if (!isHex(bytes, record, digits) || !isBlank(bytes[record + digits]!)) {
      throw this.#unexpected(record);
    }
    const nameStart = record + digits + 1;
    let nameEnd = plainRefNameEnd(bytes, nameStart, bytes.length);
    const isPlain = nameEnd >= 0 && bytes[nameEnd] === LF;
    if (!isPlain) nameEnd = bytes.indexOf(LF, nameStart);
    if (nameEnd < 0) {
      if (isLast) throw this.#unexpected(record);
      return false;
    }
    let next = nameEnd + 1;
    let hasPeeled = false;
    if (bytes.length - next < digits + 2 && !isLast) return false;
    const hasBadName = !isPlain && isBadName(this.#lines.path, bytes, nameStart, nameEnd);
    if (bytes[next] === CARET) {
      if (!isHex(bytes, next + 1, digits) || bytes[next + 1 + digits] !== LF) {
        throw this.#unexpected(next);
      }
      hasPeeled = true;
      next += digits + 2;
    }
    this.#record = record;
    this.nameStart = nameStart;
    this.nameEnd = nameEnd;
    this.hasPeeled = hasPeeled;
    this.hasBadName = hasBadName;
    this.#next = next;
    return true;
  }

  /** Reads on from the record behind the last one, more than there was of it. */
  #refill(): void {
    const { source, end } = this.#lines;
    const from = this.#origin + this.#next;
    const seen = this.bytes.length - this.#next;
    if (seen >= LONGEST_WINDOW) throw this.#unexpected(this.#next);
    this.#windowSize = Math.min(2 * Math.max(this.#windowSize, seen), LONGEST_WINDOW);
    const page = source.page(from);
    if (page.start + page.bytes.length >= end) {
      this.bytes = page.bytes.subarray(0, end - page.start);
      this.#origin = page.start;
    } else {
      this.bytes = new Uint8Array(Math.min(this.#windowSize, end - from));
      source.copy(from, this.bytes);
      this.#origin = from;
    }
    this.#next = from - this.#origin;
  }

  #unexpected(at: number): Error {
    const { path, source, end } = this.#lines;
    return unexpectedLine(path, source, this.#origin + at, end);
  }

  #hexAt(at: number): string {
    return decodeText(this.bytes, at, at + this.#digits).toLowerCase();
  }
}

/** What Git takes for white space. */
function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === LF || byte === 0x0d;
}
