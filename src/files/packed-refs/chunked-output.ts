// A new file as it is put together, in chunks that are worth a system call. What is copied from the old file is
// read into the chunk in which it leaves. There are two chunks: one is filled while the other is being written.

import { Scratch } from '../../format/scratch.ts';
import { type ByteSource, MemorySource } from './byte-source.ts';

/** What is handed to the file system at a time, bytes. */
const CHUNK_SIZE = 1 << 20;

/** How much is gathered before it is moved on, bytes. */
const GATHERED_SIZE = 1 << 16;

/** Its generators give the chunks that become full, each of which may be used until the one after the next is asked for. */
export class ChunkedOutput {
  /** Where records are appended, until `drain` moves them on. */
  readonly gathered = new Scratch();
  /** What was moved on so far, bytes. */
  #moved = 0;
  #chunk: Uint8Array;
  #filled = 0;
  /** The chunk that was taken last but one, to be filled next. */
  #spare: Uint8Array | undefined;

  /** `expectedSize`: how long the file will be at most, bytes, if it is short: then it is a single small chunk. */
  constructor(expectedSize: number) {
    this.#chunk = new Uint8Array(Math.min(expectedSize, CHUNK_SIZE));
  }

  /** What was appended so far, bytes. */
  get size(): number {
    return this.#moved + this.gathered.length;
  }

  /** Whether it is time to drain. */
  get isFull(): boolean {
    return this.gathered.length >= GATHERED_SIZE;
  }

  /** Moves on what was gathered. */
  *drain(): Generator<Uint8Array> {
    const { bytes, length } = this.gathered;
    this.gathered.length = 0;
    yield* this.#move(new MemorySource(bytes), 0, length);
  }

  /** Appends bytes of `source`. */
  *copy(source: ByteSource, from: number, end: number): Generator<Uint8Array> {
    yield* this.drain();
    yield* this.#move(source, from, end);
  }

  /** Gives the rest. */
  *end(): Generator<Uint8Array> {
    yield* this.drain();
    yield this.#take();
  }

  *#move(source: ByteSource, from: number, end: number): Generator<Uint8Array> {
    for (let at = from; at < end; ) {
      if (this.#filled === this.#chunk.length) yield this.#take();
      const length = Math.min(end - at, this.#chunk.length - this.#filled);
      source.copy(at, this.#chunk.subarray(this.#filled, this.#filled + length));
      this.#filled += length;
      this.#moved += length;
      at += length;
    }
  }

  #take(): Uint8Array {
    const taken = this.#chunk.subarray(0, this.#filled);
    const next = this.#spare ?? new Uint8Array(CHUNK_SIZE);
    this.#spare = this.#chunk;
    this.#chunk = next;
    this.#filled = 0;
    return taken;
  }
}
