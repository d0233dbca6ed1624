// The bytes of a table as they are written, in pieces that are worth a system call.

/** What is handed to the file system at a time, bytes: fewer, larger writes. */
const CHUNK_SIZE = 1 << 16;

export class TableOutput {
  /** Where the next block starts in the file, after the padding. */
  offset = 0;

  private readonly chunks: Uint8Array[] = [];
  private chunk = new Uint8Array(0);
  private chunkLength = 0;
  /** Zeros that are due before what is written next. */
  private padding = 0;

  /** Appends `bytes`, and `padding` zeros behind them if anything follows. */
  write(bytes: Uint8Array, padding: number): void {
    this.skip(this.padding);
    this.padding = padding;
    this.offset += bytes.length + padding;
    for (let from = 0; from < bytes.length; ) {
      if (this.chunkLength === this.chunk.length) this.nextChunk();
      const length = Math.min(bytes.length - from, this.chunk.length - this.chunkLength);
      this.chunk.set(bytes.subarray(from, from + length), this.chunkLength);
      this.chunkLength += length;
      from += length;
    }
  }

  /** What follows is not to be aligned. */
  dropPadding(): void {
    this.offset -= this.padding;
    this.padding = 0;
  }

  /** The pieces of 64 KiB that have become full since the last call. */
  takeFull(): Uint8Array[] {
    return this.chunks.splice(0);
  }

  /** All that was written since the last call, in pieces of 64 KiB. */
  takeAll(): Uint8Array[] {
    if (this.chunkLength > 0) this.chunks.push(this.chunk.subarray(0, this.chunkLength));
    this.chunk = new Uint8Array(0);
    this.chunkLength = 0;
    return this.takeFull();
  }

  /** A new chunk is full of zeros. */
  private skip(length: number): void {
    for (let rest = length; rest > 0; ) {
      if (this.chunkLength === this.chunk.length) this.nextChunk();
      const step = Math.min(rest, this.chunk.length - this.chunkLength);
      this.chunkLength += step;
      rest -= step;
    }
  }

  private nextChunk(): void {
    if (this.chunkLength > 0) this.chunks.push(this.chunk);
    this.chunk = new Uint8Array(CHUNK_SIZE);
    this.chunkLength = 0;
  }
}
