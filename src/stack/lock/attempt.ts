// One attempt at a lock file, without waiting. proper-lockfile creates the file, and removes it also when the
// process exits or is ended by a signal that can be caught.

import { ioError } from '../../storage/io-error.ts';
import type { LockFile } from './lock-file.ts';

/** Removes the lock file again. */
export type Unlock = () => Promise<void>;

/**
 * The age at which proper-lockfile would look after its lock, ms: twice the longest delay of a timer. Age
 * never proves death: a live Git that writes a million refs holds the lock for ten seconds.
 */
const NEVER_STALE = 2 * (2 ** 31 - 1);

/** Locks that could not be removed when they were given back, by their path: nobody else may remove them. */
const stuck = new Map<string, LockFile>();

/** Creates the file; `undefined` if there is one. Throws `IO`. */
export async function attemptLock(file: LockFile): Promise<Unlock | undefined> {
  removeStuck(file.path);
  // Loaded at the first lock: a process that only reads should not pay for it.
  const { default: lockfile } = await import('proper-lockfile');
  const options = {
    lockfilePath: file.path,
    fs: file,
    realpath: false,
    // Its own retries go on after errors that no waiting mends, and overshoot the time.
    retries: 0,
    stale: NEVER_STALE,
    onCompromised: () => {},
  };
  try {
    const unlock = await lockfile.lock(file.path, options);
    return () => unlock().catch((error) => remember(file, error));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ELOCKED') return undefined;
    throw ioError('create', file.path, cause);
  }
}

/** proper-lockfile forgets a lock that it failed to remove; it would then stay for as long as we live. */
function remember(file: LockFile, error: unknown): void {
  if (!process.listeners('exit').includes(removeAllStuck)) process.once('exit', removeAllStuck);
  stuck.set(file.path, file);
  removeStuck(file.path);
  if (stuck.has(file.path)) throw error;
}

function removeStuck(path: string): void {
  try {
    stuck.get(path)?.rmdirSync();
    stuck.delete(path);
  } catch {
    // The next one who wants the lock tries again.
  }
}

function removeAllStuck(): void {
  for (const path of stuck.keys()) removeStuck(path);
}
