// Where an answer goes, and the buffer in which its lines are gathered: one that is used again for each piece,
// so that an answer of any length takes no more memory than one piece.

import { viewOf } from '../format/bytes.ts';
import { LONGEST_LINE } from './pkt-line.ts';

/** Takes an answer piece by piece. */
export interface Output {
  /**
   * Takes the bytes; the next piece is handed over when it is done with them. A rejection, or an error that is
   * thrown, ends the answer.
   */
  write(bytes: Uint8Array): void | Promise<void>;
  /** Whether it keeps the bytes that it was given: then each piece gets a buffer of its own. Default false. */
  readonly keepsBytes?: boolean | undefined;
}

/** What a pipe holds, bytes. */
const PIECE_SIZE = 64 * 1024;
/** From here on the piece is handed over: nearly all lines are shorter than what is left. */
const FULL = PIECE_SIZE - 1024;
/** Room for two more lines of any length. */
const BUFFER_SIZE = FULL + 2 * LONGEST_LINE;

export class PieceWriter {
  /** Lines are written here, behind what is `filled`: two of any length have room as long as it is not `isFull`. */
  bytes = new Uint8Array(BUFFER_SIZE);
  view = viewOf(this.bytes);
  filled = 0;
  readonly #output: Output;

  constructor(output: Output) {
    this.#output = output;
  }

  get isFull(): boolean {
    return this.filled >= FULL;
  }

  /** Adds a line, or lines, that were put together elsewhere. */
  async add(lines: Uint8Array): Promise<void> {
    if (this.filled + lines.length > BUFFER_SIZE) await this.flush();
    this.bytes.set(lines, this.filled);
    this.filled += lines.length;
    if (this.isFull) await this.flush();
  }

  /** Hands over what was gathered. */
  async flush(): Promise<void> {
    if (this.filled === 0) return;
    const piece = this.bytes.subarray(0, this.filled);
    this.filled = 0;
    const written = this.#output.write(piece);
    if (written !== undefined) await written;
    if (this.#output.keepsBytes !== true) return;
    this.bytes = new Uint8Array(BUFFER_SIZE);
    this.view = viewOf(this.bytes);
  }
}
