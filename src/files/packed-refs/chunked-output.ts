// A new file as it is put together, in chunks that are worth a system call. What is copied from the old file is
// read into the chunk in which it leaves. There are two chunks: one is filled while the other is being written.

import { type ByteSource, MemorySource } from './byte-source.ts';

/** What is handed to the file system at a time, bytes. */
const CHUNK_SIZE = 1 << 20;

export class ChunkedOutput {
  /** What was appended so far, bytes. */
  size = 0;
  #chunk: Uint8Array;
  #filled = 0;
  /** The chunk that was taken last but one, to be filled next. */
  #spare: Uint8Array | undefined;

  /** `expectedSize`: how long the file will about be, bytes. A short one is a single small chunk. */
  constructor(expectedSize: number) {
    this.#chunk = new Uint8Array(Math.min(Math.max(expectedSize, 1), CHUNK_SIZE));
  }

  /** Appends bytes of `source`, and gives the chunks that become full on the way, as `take` does. */
  *copy(source: ByteSource, from: number, end: number): Generator<Uint8Array> {
    for (let at = from; at < end; ) {
      const length = Math.min(end - at, this.#chunk.length - this.#filled);
      source.copy(at, this.#chunk.subarray(this.#filled, this.#filled + length));
      this.#filled += length;
      this.size += length;
      at += length;
      if (this.#filled === this.#chunk.length) yield this.take();
    }
  }

  /** Appends bytes, and gives the chunks that become full on the way. */
  *write(bytes: Uint8Array): Generator<Uint8Array> {
    if (bytes.length > this.#chunk.length - this.#filled) {
      yield* this.copy(new MemorySource(bytes), 0, bytes.length);
    } else {
      this.#chunk.set(bytes, this.#filled);
      this.#filled += bytes.length;
      this.size += bytes.length;
    }
  }

  /** What was appended since the last call. It may be used until the call after the next. */
  take(): Uint8Array {
    const taken = this.#chunk.subarray(0, this.#filled);
    const next = this.#spare ?? new Uint8Array(CHUNK_SIZE);
    this.#spare = this.#chunk;
    this.#chunk = next;
    this.#filled = 0;
    return taken;
  }
}
