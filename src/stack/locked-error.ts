// What to say when a lock cannot be had: whose it seems to be, how old it is, what to do about it.

import { RefError } from '../errors.ts';
import type { FileSystem } from '../storage/file-system.ts';

/** Larger than the one line of a `~pid.lock` file. */
const PID_FILE_SIZE = 64;

/** `LOCKED`: another transaction of this very process had the lock for as long as we may wait. */
export function lockedByThisProcess(path: string): RefError {
  const why = 'Another transaction of this process holds the lock.';
  return new RefError('LOCKED', `${refusal(path)} ${why}`, { file: path });
}

/** `LOCKED`: the lock file was there for as long as we may wait. */
export function lockedError(fs: FileSystem, path: string, cause: unknown): RefError {
  const message = `${refusal(path)} ${isFolder(fs, path) ? FOLDER : describe(fs, path)}`;
  return new RefError('LOCKED', message, { file: path, cause });
}

const FOLDER = 'It is a folder, which neither Git nor reftable makes; remove it by hand.';

function refusal(path: string): string {
  return `Unable to create '${path}': File exists.`;
}

function describe(fs: FileSystem, path: string): string {
  const age = ageOf(fs, path);
  if (age === undefined) return 'It was released just now; try again.';
  const pid = pidOf(fs, path);
  const who = pid === undefined ? 'Another process' : `Process ${pid}`;
  const state = `${who} has been writing here for ${age}, or crashed and left the file`;
  return `${state}; if it crashed, remove the file by hand.`;
}

/** How long ago the file was made, for people; `undefined` if it is gone. */
function ageOf(fs: FileSystem, path: string): string | undefined {
  const modified = quietly(() => fs.stat(path))?.modified;
  if (modified === undefined) return undefined;
  const seconds = Math.max(0, Date.now() - Number(modified / 1_000_000n)) / 1000;
  return seconds < 120 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds / 60)} min`;
}

/** The process that Git noted beside its lock where `core.lockfilePid` is set. */
function pidOf(fs: FileSystem, path: string): number | undefined {
  return quietly(() => {
    const descriptor = fs.open(path.replace(/\.lock$/, '~pid.lock'));
    try {
      const bytes = Buffer.alloc(PID_FILE_SIZE);
      const text = bytes.toString('latin1', 0, fs.read(descriptor, bytes, 0));
      const pid = /^pid (\d+)$/m.exec(text)?.[1];
      return pid === undefined ? undefined : Number(pid);
    } finally {
      fs.close(descriptor);
    }
  });
}

function isFolder(fs: FileSystem, path: string): boolean {
  return quietly(() => fs.list(path)) !== undefined;
}

/** What is only said to explain an error must not fail in its place. */
function quietly<T>(question: () => T): T | undefined {
  try {
    return question();
  } catch {
    return undefined;
  }
}
