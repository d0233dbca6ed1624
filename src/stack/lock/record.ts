// Lock files that say whose they are: made, with the owner's record in them from their first moment, and read.

import type { FileSystem } from '../../storage/file-system.ts';
import { formatOwner, type LockOwner, MAX_RECORD_SIZE, parseOwner } from './owner.ts';

/** How often the temporary file may be cleaned away under us. */
const MAX_TRIES = 10;

/**
 * Makes a file that must not exist (`EEXIST`) and that holds the owner's record; returns its descriptor.
 * The record is written to a file of another name first, which then gets this one, too. Where a file cannot
 * have two names the record comes just after the file. Throws what the file system throws.
 */
export function createOwned(fs: FileSystem, path: string, owner: LockOwner, mode?: number): number {
  const temporary = `${path}.temp.${owner.token.slice(0, 6)}`;
  const record = formatOwner(owner);
  for (let tries = 1; ; tries++) {
    const descriptor = createWith(fs, temporary, record, mode);
    try {
      fs.link(temporary, path);
      return descriptor;
    } catch (error) {
      fs.close(descriptor);
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') throw error;
      if (code !== 'ENOENT' || tries === MAX_TRIES) return createWith(fs, path, record, mode);
    } finally {
      removeQuietly(fs, temporary);
    }
  }
}

/**
 * Whose file it is; `nobody` if it does not say, as Git's. Throws what the file system throws where it cannot
 * be read.
 */
export function readOwner(fs: FileSystem, path: string): LockOwner | 'nobody' | 'gone' {
  let descriptor: number;
  try {
    descriptor = fs.open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'gone';
    throw error;
  }
  try {
    const bytes = new Uint8Array(MAX_RECORD_SIZE);
    const size = fs.read(descriptor, bytes, 0);
    return parseOwner(bytes.subarray(0, size)) ?? 'nobody';
  } finally {
    fs.close(descriptor);
  }
}

/** For what is left to the next cleaning if it cannot be removed now. */
export function removeQuietly(fs: FileSystem, path: string): void {
  try {
    fs.unlink(path);
  } catch {
    // See above.
  }
}

function createWith(
  fs: FileSystem,
  path: string,
  bytes: Uint8Array,
  mode: number | undefined,
): number {
  const descriptor = fs.createEmpty(path, mode);
  try {
    fs.append(descriptor, bytes);
    return descriptor;
  } catch (error) {
    fs.close(descriptor);
    removeQuietly(fs, path);
    throw error;
  }
}
