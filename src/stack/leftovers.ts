// What writers that died leave in the folder of a stack: files that were never finished, and locks.

import type { FileSystem } from '../storage/file-system.ts';
import { breakDeadLock } from './lock/breaking.ts';
import { removeLockLeftovers } from './lock/lock-leftovers.ts';

/** As Git and this library name what they write, until it is renamed. */
const TEMPORARY_TABLE = /^0x[0-9a-f]{12,16}-0x[0-9a-f]{12,16}-[0-9a-f]{8}(\.ref)?\.temp\.\w{6}$/;
const TEMPORARY_LIST = /^tables\.list\.temp\.\w{6}$/;
const TABLE_LOCK = /\.ref\.lock$/;

/**
 * Removes leftovers that are in nobody's way to become a table: who writes a list or appends a table holds the
 * writers' lock, which is ours here; who compacts, the locks of the tables that it merges. Throws what the
 * file system throws.
 */
export function removeLeftovers(fs: FileSystem, directory: string, names: readonly string[]): void {
  const path = (name: string) => `${directory}/${name}`;
  const tableLocks = names.filter((name) => TABLE_LOCK.test(name));
  const isCompacting = tableLocks.filter((name) => !breakDeadLock(fs, path(name))).length > 0;
  for (const name of names) {
    const isUnused = TEMPORARY_LIST.test(name) || (TEMPORARY_TABLE.test(name) && !isCompacting);
    if (isUnused) fs.unlink(path(name));
  }
  removeLockLeftovers(fs, directory, names);
}
