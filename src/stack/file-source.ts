// The bytes of a table that is a file.

import { RefError, ReftableFormatError } from '../errors.ts';
import type { FileReading } from '../storage/file-system.ts';
import { ioError } from '../storage/io-error.ts';
import { bufferSource, type TableSource } from '../table/table-source.ts';

/**
 * Up to this size, bytes, a table is read whole and its descriptor closed at once: one read instead of
 * three or more, and a stack of many small tables holds no descriptors.
 */
export const READ_WHOLE_SIZE = 64 * 1024;

/** Opens a table's file. Throws what the file system throws, `CORRUPT_TABLE` where bytes are missing. */
export function openFileSource(fs: FileReading, path: string): TableSource {
  const descriptor = fs.open(path);
  let bytes: Uint8Array;
  try {
    const { size } = fs.statOpen(descriptor);
    if (size > READ_WHOLE_SIZE) return new FileSource(fs, path, descriptor, size);
    bytes = readExactly(fs, path, descriptor, 0, size);
  } catch (error) {
    fs.close(descriptor);
    throw error;
  }
  fs.close(descriptor);
  return bufferSource(path, bytes);
}

/** The `length` bytes at `offset`; a file that ends before is damaged. */
export function readExactly(
  fs: FileReading,
  path: string,
  descriptor: number,
  offset: number,
  length: number,
): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let filled = 0, count: number; filled < length; filled += count) {
    count = fs.read(descriptor, bytes.subarray(filled), offset + filled);
    if (count === 0) {
      const expected = `${length - filled} more bytes`;
      throw new ReftableFormatError(path, offset + filled, expected, 'the end of the file');
    }
  }
  return bytes;
}

class FileSource implements TableSource {
  readonly name: string;
  readonly size: number;
  readonly #fs: FileReading;
  #descriptor: number | undefined;

  constructor(fs: FileReading, path: string, descriptor: number, size: number) {
    this.name = path;
    this.size = size;
    this.#fs = fs;
    this.#descriptor = descriptor;
  }

  read(offset: number, length: number): Uint8Array {
    const descriptor = this.#descriptor;
    // Once closed, the number may already be some other file's descriptor.
    if (descriptor === undefined) {
      throw new RefError('CLOSED', `${this.name}: the table is closed`, { file: this.name });
    }
    try {
      return readExactly(this.#fs, this.name, descriptor, offset, length);
    } catch (error) {
      throw ioError('read', this.name, error);
    }
  }

  close(): void {
    if (this.#descriptor === undefined) return;
    this.#fs.closeLater(this.#descriptor);
    this.#descriptor = undefined;
  }
}
