// Files of objects, read at once.

import type { FileReading } from '../storage/file-system.ts';
import { ioError } from '../storage/io-error.ts';

/** The whole file; `undefined` if there is none. Throws `IO`. */
export function readFile(fs: FileReading, path: string): Uint8Array | undefined {
  return withFile(fs, path, (descriptor) => {
    const bytes = new Uint8Array(fs.statOpen(descriptor).size);
    let filled = 0;
    for (let count = -1; filled < bytes.length && count !== 0; filled += count) {
      count = fs.read(descriptor, bytes.subarray(filled), filled);
    }
    return bytes.subarray(0, filled);
  });
}

/** The file's first bytes, `length` at most. */
export function readStart(fs: FileReading, path: string, length: number): Uint8Array | undefined {
  return withFile(fs, path, (descriptor) => {
    const bytes = new Uint8Array(length);
    return bytes.subarray(0, fs.read(descriptor, bytes, 0));
  });
}

/** The names in a folder; none if there is no such folder. Throws `IO`. */
export function listFolder(fs: FileReading, path: string): string[] {
  return unlessAbsent(path, () => fs.list(path)) ?? [];
}

function withFile<T>(
  fs: FileReading,
  path: string,
  read: (descriptor: number) => T,
): T | undefined {
  return unlessAbsent(path, () => {
    const descriptor = fs.open(path);
    try {
      return read(descriptor);
    } finally {
      fs.close(descriptor);
    }
  });
}

function unlessAbsent<T>(path: string, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw ioError('read', path, error);
  }
}
