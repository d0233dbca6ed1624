// Standard input, record by record, as it comes: a program at the other end may wait for the answer to
// one before it sends the next.

import { isAscii } from 'node:buffer';
import { decodeText } from '../format/text.ts';
import { readSome } from './descriptors.ts';

/** How much is asked for at a time, bytes; a pipe gives up to 64 KiB. */
const READ_SIZE = 256 * 1024;

export class RecordReader {
  readonly #terminator: string;
  #buffer = Buffer.allocUnsafe(READ_SIZE);
  /** How many bytes at the start of the buffer belong to a record whose end has not been read yet. */
  #kept = 0;
  /** Whole records, decoded, and where the next one starts. */
  #text = '';
  #at = 0;
  #ended = false;

  /** `terminator` is one character: a line feed or NUL. */
  constructor(terminator: string) {
    this.#terminator = terminator;
  }

  /** The next record with its terminator, which only the last may lack; `undefined` at the end. */
  next(): string | undefined {
    while (this.#at === this.#text.length) {
      if (this.#ended) return undefined;
      this.#fill();
    }
    const start = this.#at;
    const end = this.#text.indexOf(this.#terminator, start);
    this.#at = end === -1 ? this.#text.length : end + 1;
    return this.#text.slice(start, this.#at);
  }

  /** Reads until the buffer holds the end of a record, and decodes the whole records in it. */
  #fill(): void {
    for (;;) {
      if (this.#kept === this.#buffer.length) this.#grow();
      const start = this.#kept;
      const count = readSome(0, this.#buffer, start);
      const filled = start + count;
      if (count === 0) {
        this.#ended = true;
        this.#take(filled, filled);
        return;
      }
      const last = this.#buffer.subarray(start, filled).lastIndexOf(this.#terminator);
      if (last !== -1) {
        this.#take(start + last + 1, filled);
        return;
      }
      this.#kept = filled;
    }
  }

  /** Decodes the first `length` bytes and keeps the rest, up to `filled`. */
  #take(length: number, filled: number): void {
    const bytes = this.#buffer.subarray(0, length);
    this.#text = isAscii(bytes) ? bytes.latin1Slice() : decodeText(bytes);
    this.#at = 0;
    this.#buffer.copyWithin(0, length, filled);
    this.#kept = filled - length;
  }

  #grow(): void {
    const larger = Buffer.allocUnsafe(2 * this.#buffer.length);
    this.#buffer.copy(larger);
    this.#buffer = larger;
  }
}
