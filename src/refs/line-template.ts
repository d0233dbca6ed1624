// The lines of refs that have the same object id, as bytes: they differ in their names alone, so what stands
// around those is put together once for all of them.

import { copyBytes, viewOf } from '../format/bytes.ts';
import { encodeText } from '../format/text.ts';

/** Bytes as they are, or what is known of the ref. */
export type LinePart = Uint8Array | 'oid' | 'type' | 'name';

const HIGH_DIGITS = new Uint8Array(256);
const LOW_DIGITS = new Uint8Array(256);
for (let byte = 0; byte < 256; byte++) {
  const digits = encodeText(byte.toString(16).padStart(2, '0'));
  HIGH_DIGITS[byte] = digits[0]!;
  LOW_DIGITS[byte] = digits[1]!;
}

export class LineTemplate {
  readonly #parts: readonly LinePart[];
  readonly #oidLength: number;
  /** What stands around the names, one piece behind the other. */
  readonly #pieces: Uint8Array;
  readonly #piecesView: DataView;
  /** Where in `#pieces` the names come. */
  readonly #namesAt: Int32Array;
  #length = 0;

  constructor(parts: readonly LinePart[], oidLength: number) {
    this.#parts = parts;
    this.#oidLength = oidLength;
    this.#namesAt = new Int32Array(parts.filter((part) => part === 'name').length);
    let length = 0;
    // No type has more letters than an object id has digits.
    for (const part of parts) length += typeof part === 'string' ? 2 * oidLength : part.length;
    this.#pieces = new Uint8Array(length);
    this.#piecesView = viewOf(this.#pieces);
  }

  /** Sets what is the same in the lines that come next: the object id at `oidAt` and the object's type. */
  set(bytes: Uint8Array, oidAt: number, type: Uint8Array): void {
    let at = 0;
    let names = 0;
    for (const part of this.#parts) {
      if (part === 'name') {
        this.#namesAt[names++] = at;
      } else if (part === 'oid') {
        this.#writeHex(bytes, oidAt, at);
        at += 2 * this.#oidLength;
      } else {
        const piece = part === 'type' ? type : part;
        for (let i = 0; i < piece.length; i++) this.#pieces[at + i] = piece[i]!;
        at += piece.length;
      }
    }
    this.#length = at;
  }

  /** How long the line of a name of so many bytes is. */
  lineLength(nameLength: number): number {
    return this.#length + this.#namesAt.length * nameLength;
  }

  /** Writes the line of the name `keys[start, end)`; returns where it ends. */
  write(keys: DataView, start: number, end: number, to: DataView, toAt: number): number {
    const pieces = this.#piecesView;
    const namesAt = this.#namesAt;
    let at = toAt;
    let piece = 0;
    for (let i = 0; i < namesAt.length; i++) {
      at = copyBytes(pieces, piece, namesAt[i]!, to, at);
      at = copyBytes(keys, start, end, to, at);
      piece = namesAt[i]!;
    }
    return copyBytes(pieces, piece, this.#length, to, at);
  }

  #writeHex(from: Uint8Array, start: number, toAt: number): void {
    const to = this.#pieces;
    for (let i = 0; i < this.#oidLength; i++) {
      const byte = from[start + i]!;
      to[toAt + 2 * i] = HIGH_DIGITS[byte]!;
      to[toAt + 2 * i + 1] = LOW_DIGITS[byte]!;
    }
  }
}
