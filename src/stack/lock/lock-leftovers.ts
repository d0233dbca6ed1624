// What dead processes leave beside lock files: temporary files, and rights to break locks that are gone.

import type { FileSystem } from '../../storage/file-system.ts';
import { lockOf, stackFileKind } from '../stack-files.ts';
import { breakFile } from './breaking.ts';
import { readOwner } from './record.ts';

/**
 * Removes the leftovers among the `names` in a folder, which were listed just now. Locks stay, and what may still
 * serve to break one. Throws what the file system throws.
 */
export function removeLockLeftovers(
  fs: FileSystem,
  directory: string,
  names: readonly string[],
): void {
  for (const name of names) {
    const path = `${directory}/${name}`;
    const kind = stackFileKind(name);
    const isVoid = kind === 'break file' && givesNoRight(fs, path, `${directory}/${lockOf(name)}`);
    // A process whose temporary file goes makes it again.
    if (isVoid || kind === 'temporary lock') removeIfThere(fs, path);
  }
}

/** Whether a break file gives no right any more; what cannot be read may be in use. */
function givesNoRight(fs: FileSystem, path: string, lock: string): boolean {
  try {
    return !breakFilesInUse(fs, lock).has(path);
  } catch {
    return false;
  }
}

/** The break files that count for the lock as it is now, if they are there: all others never will again. */
function breakFilesInUse(fs: FileSystem, lock: string): Set<string> {
  const inUse = new Set<string>();
  for (let owner = readOwner(fs, lock); typeof owner !== 'string'; ) {
    const path = breakFile(lock, owner.token);
    if (inUse.has(path)) break;
    inUse.add(path);
    owner = readOwner(fs, path);
  }
  return inUse;
}

/** Somebody else may be cleaning, or be done with its file. */
function removeIfThere(fs: FileSystem, path: string): void {
  try {
    fs.unlink(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
