// What to say when a lock cannot be had: whose it seems to be, how old it is, what to do about it.

import { RefError } from '../../errors.ts';
import type { FileSystem } from '../../storage/file-system.ts';
import { inspectLock, type LockInspection } from './inspection.ts';
import { thisMachine } from './machine.ts';
import type { LockOwner, Machine, Verdict } from './owner.ts';

/** `LOCKED`: another transaction of this very process had the lock for as long as we may wait. */
export function lockedByThisProcess(path: string): RefError {
  const why = 'Another transaction of this process holds the lock.';
  return new RefError('LOCKED', `${refusal(path)} ${why}`, { file: path });
}

/** `LOCKED`: the lock file was there for as long as we may wait. */
export function lockedError(
  fs: FileSystem,
  path: string,
  machine: Machine = thisMachine,
): RefError {
  const description = describe(inspectLock(fs, path, machine));
  return new RefError('LOCKED', `${refusal(path)} ${description}`, { file: path });
}

function refusal(path: string): string {
  return `Unable to create '${path}': File exists.`;
}

function describe(lock: LockInspection | undefined): string {
  if (lock === undefined) return 'It was released just now; try again.';
  if (lock.isFolder)
    return 'It is a folder, which neither Git nor reftable makes; remove it by hand.';
  const age = forPeople(lock.age);
  if (lock.owner !== undefined) return describeOwned(lock.owner, lock.verdict, age);
  const who = lock.gitPid === undefined ? 'Another process' : `Process ${lock.gitPid}`;
  return `${who} ${writesOrCrashed(age)}; ${BY_HAND}`;
}

function describeOwned({ pid, host }: LockOwner, verdict: Verdict, age: string): string {
  const who = `Process ${pid} of host ${host}`;
  switch (verdict) {
    case 'alive':
      return `${who} has been writing here for ${age}, and is alive.`;
    case 'dead':
      return `${who} died and left the file ${age} ago, but it cannot be removed; remove it by hand.`;
    case 'elsewhere':
      return `${who} ${writesOrCrashed(age)}; it is not of this host, container and boot; ${BY_HAND}`;
    case 'unknown':
      return `${who} ${writesOrCrashed(age)}; whether it is alive cannot be told; ${BY_HAND}`;
  }
}

const BY_HAND = 'if it crashed, remove the file by hand.';

function writesOrCrashed(age: string): string {
  return `has been writing here for ${age}, or crashed and left the file`;
}

/** Milliseconds as words. */
function forPeople(age: number): string {
  const seconds = age / 1000;
  return seconds < 120 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds / 60)} min`;
}
