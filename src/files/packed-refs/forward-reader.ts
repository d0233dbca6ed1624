// Reading a file forwards: what is near the start as it lies in a page, and the further it goes the more at a time.

import type { ByteSource } from './byte-source.ts';

/** What is read at first behind the first page, and at most at a time, bytes. */
const FIRST_WINDOW = 1 << 12;
export const LONGEST_WINDOW = 1 << 20;

export class ForwardReader {
  bytes: Uint8Array = new Uint8Array(0);
  /** Where `bytes` stand in the file. */
  #start = 0;
  #windowSize = FIRST_WINDOW;
  readonly #source: ByteSource;
  readonly #end: number;

  /** Nothing from `end` on is read. */
  constructor(source: ByteSource, end: number) {
    this.#source = source;
    this.#end = end;
  }

  /** Sees to it that `bytes` have the `length` bytes at `offset` in the file, and gives where. They lie before the end. */
  seek(offset: number, length: number): number {
    const index = offset - this.#start;
    if (index >= 0 && index + length <= this.bytes.length) return index;
    const isFirst = this.bytes.length === 0;
    const page = this.#source.page(offset);
    const pageEnd = page.start + page.bytes.length;
    if (offset + length <= pageEnd && (isFirst || pageEnd >= this.#end)) {
      this.bytes = page.bytes;
      this.#start = page.start;
      return offset - page.start;
    }
    this.#windowSize = Math.min(2 * this.#windowSize, LONGEST_WINDOW);
    const size = Math.min(Math.max(this.#windowSize, length), this.#end - offset);
    this.bytes = new Uint8Array(size);
    this.#source.copy(offset, this.bytes);
    this.#start = offset;
    return 0;
  }
}
