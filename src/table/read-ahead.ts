// Reads for somebody who walks a table from one block to the next: the further the walk, the more is read
// at a time.

import type { TableSource } from './table-source.ts';

/** Bytes that the first read takes at least, and that a later one takes at most. */
const FIRST_READ = 1 << 12;
const LONGEST_READ = 1 << 16;

export class ReadAhead {
  private readonly source: TableSource;
  /** What was read last, and where it stands in the table. */
  private window: Uint8Array = new Uint8Array(0);
  private windowOffset = 0;
  private readLength = FIRST_READ;

  constructor(source: TableSource) {
    this.source = source;
  }

  /** The bytes `[offset, offset + length)`; `end` is where reading ahead has to stop. */
  read(offset: number, length: number, end: number): Uint8Array {
    const start = offset - this.windowOffset;
    if (start < 0 || start + length > this.window.length) {
      const ahead = Math.min(Math.max(length, this.readLength), end - offset);
      this.window = this.source.read(offset, Math.max(length, ahead));
      this.windowOffset = offset;
      this.readLength = Math.min(2 * this.readLength, LONGEST_READ);
      return this.window.subarray(0, length);
    }
    return this.window.subarray(start, start + length);
  }
}
