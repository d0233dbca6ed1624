// The chunk ROFF as it grows: rows of its own, and stretches of another file's, which are read again only when they
// are written, so that rewriting takes no memory for them.

import { writeUint64 } from '../../../format/bytes.ts';
import { MemorySource } from '../byte-source.ts';
import type { ChunkedOutput } from '../chunked-output.ts';
import { ROW_SIZE } from './layout.ts';
import type { Rows } from './rows.ts';

/** How much of another file's is read at a time, bytes; whole rows. */
const PIECE_SIZE = 1 << 16;

const FIRST_CAPACITY = 16;

/** Rows of another file, and what is added to them. */
interface CopiedRows {
  readonly rows: Rows;
  readonly from: number;
  readonly end: number;
  readonly delta: number;
}

export class OffsetColumn {
  /** How many rows there are. */
  count = 0;
  readonly #parts: (OwnRows | CopiedRows)[] = [];

  /** A record ends at `end`, bytes from the start of REFS. */
  add(end: number, hasPeeled: boolean): void {
    let own = this.#parts.at(-1);
    if (!(own instanceof OwnRows)) {
      own = new OwnRows();
      this.#parts.push(own);
    }
    own.add(end, hasPeeled);
    this.count++;
  }

  /** The records `[from, end)` of another file were copied, and end `delta` bytes further in REFS than there. */
  copy(rows: Rows, from: number, end: number, delta: number): void {
    this.#parts.push({ rows, from, end, delta });
    this.count += end - from;
  }

  *write(output: ChunkedOutput): Generator<Uint8Array> {
    for (const part of this.#parts) {
      if (part instanceof OwnRows) {
        const bytes = part.bytes();
        yield* output.copy(new MemorySource(bytes), 0, bytes.length);
      } else {
        yield* writeCopied(part, output);
      }
    }
  }
}

class OwnRows {
  #bytes = new Uint8Array(FIRST_CAPACITY * ROW_SIZE);
  #filled = 0;

  add(end: number, hasPeeled: boolean): void {
    if (this.#filled === this.#bytes.length) {
      const bytes = new Uint8Array(2 * this.#filled);
      bytes.set(this.#bytes);
      this.#bytes = bytes;
    }
    writeUint64(this.#bytes, this.#filled, end);
    if (hasPeeled) this.#bytes[this.#filled]! |= 0x80;
    this.#filled += ROW_SIZE;
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#filled);
  }
}

function* writeCopied(
  { rows, from, end, delta }: CopiedRows,
  output: ChunkedOutput,
): Generator<Uint8Array> {
  const { source, offsets, refs } = rows;
  const last = offsets.start + end * ROW_SIZE;
  let at = offsets.start + from * ROW_SIZE;
  if (delta === 0) return yield* output.copy(source, at, last);
  const piece = new Uint8Array(Math.min(PIECE_SIZE, last - at));
  while (at < last) {
    const read = piece.subarray(0, Math.min(piece.length, last - at));
    source.copy(at, read);
    for (let i = 0; i < read.length; i += ROW_SIZE) {
      const recordEnd = rows.endIn(read, i, at + i) - refs.start;
      const flag = read[i]! & 0x80;
      writeUint64(read, i, recordEnd + delta);
      read[i]! |= flag;
    }
    yield* output.copy(new MemorySource(read), 0, read.length);
    at += read.length;
  }
}
