// Removes the lock files that this process has when it ends, be it by a signal. proper-lockfile knows when that is: it
// is given one lock, of no file, for as long as the process lives, whose removal is that of all.

import type { RefFileSystem } from '../storage/ref-file-system.ts';

/** Lock files that are there, by their paths. */
const locks = new Map<string, RefFileSystem>();

type Done<T = void> = (error: unknown, result?: T) => void;

/** Twice the longest delay of a timer, ms: proper-lockfile must not look after a lock that is none. */
const NEVER_STALE = 2 * (2 ** 31 - 1);
/** A time that is never too long ago: the last one that a `Date` can hold. */
const END_OF_TIME = new Date(8.64e15);

let guarding: Promise<void> | undefined;

/** Has to be waited for before the first lock is made. */
export function guardLocks(): Promise<void> {
  guarding ??= guard();
  return guarding;
}

export function rememberLock(files: RefFileSystem, path: string): void {
  locks.set(path, files);
}

export function forgetLock(path: string): void {
  locks.delete(path);
}

async function guard(): Promise<void> {
  const { default: lockfile } = await import('proper-lockfile');
  const fs = {
    mkdir: (_path: string, done: Done) => done(null),
    rmdir: (_path: string, done: Done) => done(null),
    rmdirSync: removeAll,
    stat: (_path: string, done: Done<{ mtime: Date }>) => done(null, { mtime: END_OF_TIME }),
    utimes: (_path: string, _accessed: Date, _modified: Date, done: Done) => done(null),
  };
  await lockfile.lock('loose refs', {
    lockfilePath: 'loose refs',
    fs,
    realpath: false,
    retries: 0,
    stale: NEVER_STALE,
    onCompromised: () => {},
  });
}

function removeAll(): void {
  for (const [path, files] of locks) {
    try {
      files.unlink(path);
    } catch {
      // It is another process's matter now.
    }
  }
  locks.clear();
}
