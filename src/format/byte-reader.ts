// A position in a stretch of a table's bytes, for decoding what is not trusted: every step is checked
// against the end, and an error names the file and the byte.

import { ReftableFormatError } from '../errors.ts';

export class ByteReader {
  bytes: Uint8Array = new Uint8Array(0);
  /** The position of the next byte in `bytes`. */
  at = 0;
  /** Where the readable stretch ends in `bytes`. */
  end = 0;
  /** For messages. */
  file = '';
  /** The offset in the file of `bytes[0]`. */
  origin = 0;

  /** Reads a variable-length integer (see `varint.ts`). */
  varint(what: string): number {
    const { bytes, end } = this;
    if (this.at >= end) throw this.error(what, 'the end');
    let byte = bytes[this.at++]!;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    do {
      if (this.at >= end) throw this.error(what, 'the end');
      byte = bytes[this.at++]!;
      value = (value + 1) * 0x80 + (byte & 0x7f);
    } while (byte >= 0x80 && value <= Number.MAX_SAFE_INTEGER);
    if (value > Number.MAX_SAFE_INTEGER) throw this.error(`${what} below 2^53`);
    return value;
  }

  /** Steps over `length` bytes and returns where they began. */
  skip(length: number, what: string): number {
    const start = this.at;
    if (length > this.end - start) {
      throw this.error(`${what} of ${length} bytes`, `${this.end - start} bytes`);
    }
    this.at = start + length;
    return start;
  }

  error(expected: string, found?: string): ReftableFormatError {
    return new ReftableFormatError(this.file, this.origin + this.at, expected, found);
  }
}
