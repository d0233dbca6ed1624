// What writers that died leave in the folder of a stack: files that were never finished, and locks.

import type { FileSystem } from '../storage/file-system.ts';
import { breakDeadLock } from './lock/breaking.ts';
import { removeLockLeftovers } from './lock/lock-leftovers.ts';
import type { Machine } from './lock/owner.ts';
import { stackFileKind } from './stack-files.ts';

/**
 * Removes leftovers that are in nobody's way to become a table: who writes a list or appends a table holds the
 * writers' lock, which is ours here; who compacts, the locks of the tables that it merges. Throws what the
 * file system throws.
 */
export function removeLeftovers(
  fs: FileSystem,
  directory: string,
  names: readonly string[],
  machine: Machine,
): void {
  const path = (name: string) => `${directory}/${name}`;
  const tableLocks = names.filter((name) => stackFileKind(name) === 'table lock');
  const isLocked = (name: string) => !breakDeadLock(fs, path(name), machine);
  const isCompacting = tableLocks.filter(isLocked).length > 0;
  for (const name of names) {
    const kind = stackFileKind(name);
    const isUnused = kind === 'temporary list' || (kind === 'temporary table' && !isCompacting);
    if (isUnused) fs.unlink(path(name));
  }
  removeLockLeftovers(fs, directory, names);
}
