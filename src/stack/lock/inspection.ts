// What can be known of a lock file without taking it: its age, its owner, and whether that owner is dead.

import type { FileSystem } from '../../storage/file-system.ts';
import { pidFileOf } from '../stack-files.ts';
import { thisMachine } from './machine.ts';
import { judge, type LockOwner, type Machine, type Verdict } from './owner.ts';
import { readOwner } from './record.ts';

/** Larger than the one line of a `~pid.lock` file. */
const PID_FILE_SIZE = 64;

export interface LockInspection {
  path: string;
  /** How long ago the file was made, ms. */
  age: number;
  /** `undefined` if it does not say: it is Git's, or cannot be read. */
  owner: LockOwner | undefined;
  verdict: Verdict;
  /** The process that Git noted beside a lock of its own, where `core.lockfilePid` is set. */
  gitPid: number | undefined;
  /** Whether it is a folder, which neither Git nor this library makes. */
  isFolder: boolean;
}

/** Reads and judges a lock file; `undefined` if it is gone. Throws nothing: what cannot be read is not known. */
export function inspectLock(
  fs: FileSystem,
  path: string,
  machine: Machine = thisMachine,
): LockInspection | undefined {
  const modified = quietly(() => fs.stat(path))?.modified;
  if (modified === undefined) return undefined;
  const found = quietly(() => readOwner(fs, path));
  if (found === 'gone') return undefined;
  const owner = found === 'nobody' ? undefined : found;
  return {
    path,
    age: Math.max(0, Date.now() - Number(modified / 1_000_000n)),
    owner,
    verdict: owner === undefined ? 'unknown' : judge(owner, machine),
    gitPid: owner === undefined ? gitPidOf(fs, path) : undefined,
    isFolder: quietly(() => fs.list(path)) !== undefined,
  };
}

function gitPidOf(fs: FileSystem, path: string): number | undefined {
  return quietly(() => {
    const descriptor = fs.open(pidFileOf(path));
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

function quietly<T>(question: () => T): T | undefined {
  try {
    return question();
  } catch {
    return undefined;
  }
}
