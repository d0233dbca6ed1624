// Standard input, record by record, as it comes: a program at the other end may wait for the answer to
// one before it sends the next.

import { decodeText } from '../format/text.ts';
import { readSome, readSomeLater } from './descriptors.ts';

/** How much is asked for at a time, bytes; a pipe gives up to 64 KiB. */
const READ_SIZE = 256 * 1024;

export class RecordReader {
  readonly #terminator: number;
  #buffer = new Uint8Array(READ_SIZE);
  /** The next record starts here; what was read ends there. */
  #at = 0;
  #filled = 0;

  /** `terminator` is the byte that ends a record: a line feed or NUL. */
  constructor(terminator: number) {
    this.#terminator = terminator;
  }

  /**
   * Gives `take` what was read and not used yet, to use as much of it as it likes: it returns where in the
   * bytes the next record starts. Reads on only if nothing was left; `false` at the end of the input.
   */
  skim(take: (bytes: Uint8Array, start: number, end: number) => number): boolean {
    if (this.#at === this.#filled && !this.#fill()) return false;
    this.#at = take(this.#buffer, this.#at, this.#filled);
    return true;
  }

  /** The next record with its terminator, which only the last may lack; `undefined` at the end. */
  next(): string | undefined {
    let searched = this.#at;
    for (;;) {
      const end = this.#buffer.subarray(0, this.#filled).indexOf(this.#terminator, searched);
      if (end >= 0) return this.#take(end + 1);
      const unsearched = this.#filled - this.#at;
      if (!this.#fill()) break;
      searched = this.#at + unsearched;
    }
    return this.#at === this.#filled ? undefined : this.#take(this.#filled);
  }

  /** As `next`, but the event loop turns while the record is waited for. */
  async nextLater(): Promise<string | undefined> {
    while (this.#buffer.subarray(this.#at, this.#filled).indexOf(this.#terminator) < 0) {
      this.#makeRoom();
      const count = await readSomeLater(0, this.#buffer, this.#filled);
      this.#filled += count;
      if (count === 0) return this.#at === this.#filled ? undefined : this.#take(this.#filled);
    }
    return this.next();
  }

  #take(end: number): string {
    const record = decodeText(this.#buffer, this.#at, end);
    this.#at = end;
    return record;
  }

  /** Reads more behind what is there; `false` at the end of the input. */
  #fill(): boolean {
    this.#makeRoom();
    const count = readSome(0, this.#buffer, this.#filled);
    this.#filled += count;
    return count > 0;
  }

  #makeRoom(): void {
    if (this.#at > 0) {
      this.#buffer.copyWithin(0, this.#at, this.#filled);
      this.#filled -= this.#at;
      this.#at = 0;
    }
    if (this.#filled === this.#buffer.length) {
      const larger = new Uint8Array(2 * this.#buffer.length);
      larger.set(this.#buffer);
      this.#buffer = larger;
    }
  }
}
