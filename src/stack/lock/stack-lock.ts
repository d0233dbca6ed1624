// The writers' lock of a stack: Git's own lock file, `tables.list.lock`, created exclusively, so that Git,
// JGit and we exclude each other. spec/locking.md tells the protocol.
//
// Inside the process a queue orders those who want the same lock, and only its head touches the file.

import { resolve } from 'node:path';
import { monotonicNow } from '../../clock.ts';
import type { FileStatus, FileSystem } from '../../storage/file-system.ts';
import { ioError } from '../../storage/io-error.ts';
import type { StoreLock } from '../table-store.ts';
import { attemptLock, type Unlock } from './attempt.ts';
import { breakDeadLock } from './breaking.ts';
import { LockFile } from './lock-file.ts';
import { lockedByThisProcess, lockedError } from './locked-error.ts';
import { thisMachine } from './machine.ts';
import type { Machine } from './owner.ts';
import { enterQueue, leaveQueue } from './queue.ts';

/** The first pause between two tries, and the longest, ms. Most holders are gone within a few. */
const FIRST_PAUSE = 1;
const LONGEST_PAUSE = 20;
const PAUSE_GROWTH = 2;

interface StackLockOptions {
  /** How long to wait, ms. 0: one try; -1: for ever. */
  timeout: number;
  /** Permission bits of the lock file, less the umask. */
  mode?: number | undefined;
  /** Who takes the lock, and who is asked whether others live. Default: this process and its machine. */
  machine?: Machine | undefined;
}

/** The lock, held from the moment that `acquire` returns it until `release`, or the end of the process. */
export class StackLock implements StoreLock {
  readonly #file: LockFile;
  readonly #unlock: Unlock;

  private constructor(file: LockFile, unlock: Unlock) {
    this.#file = file;
    this.#unlock = unlock;
  }

  /**
   * Takes the lock that stands for `target` (`…/tables.list`), `target` with `.lock` appended. A lock whose
   * owner is proven dead is in nobody's way. Throws `LOCKED` when somebody else kept it for as long as we may
   * wait, `IO` when the file cannot be made.
   */
  static async acquire(
    fs: FileSystem,
    target: string,
    { timeout, mode, machine = thisMachine }: StackLockOptions,
  ): Promise<StackLock> {
    const path = resolve(`${target}.lock`);
    const deadline = timeout < 0 ? Infinity : monotonicNow() + timeout;
    if (!(await enterQueue(path, timeout))) throw lockedByThisProcess(path);
    try {
      const file = new LockFile(fs, path, { mode, knownBy: 'descriptor', machine });
      return new StackLock(file, await acquireFile(file, machine, deadline));
    } catch (error) {
      leaveQueue(path);
      throw error;
    }
  }

  /** The lock file. */
  get path(): string {
    return this.#file.path;
  }

  /** Whether the lock file is still there for us: an exit handler may have removed it at any moment. */
  get held(): boolean {
    return this.#file.isOurs();
  }

  /** Gives the lock back; throws `IO` where its file cannot be removed. A second call does nothing. */
  async release(): Promise<void> {
    if (!this.#file.exists) return;
    try {
      await this.#unlock();
    } catch (cause) {
      throw ioError('remove', this.#file.path, cause);
    } finally {
      leaveQueue(this.#file.path);
    }
  }
}

/**
 * Tries until the file is ours or the time is up; the first try is at once, the last one at the end. In
 * between the file is only looked at, and tried for where it is gone or its owner proven dead.
 */
async function acquireFile(file: LockFile, machine: Machine, deadline: number): Promise<Unlock> {
  const { fs, path } = file;
  let unlock = await attemptLock(file);
  let before: FileStatus | undefined;
  for (let pause = FIRST_PAUSE; unlock === undefined; pause = nextPause(pause)) {
    const left = deadline - monotonicNow();
    const found = lookAt(fs, path);
    // While the lock changes hands its owners live: to ask whether they do would cost more than all else.
    const mayBeDead = left <= 0 || isSameFile(found, before);
    before = found;
    if (found === undefined || (mayBeDead && breakDeadLock(fs, path, machine))) {
      unlock = await attemptLock(file);
      if (unlock !== undefined) break;
    }
    if (left <= 0) throw lockedError(fs, path, machine);
    const jittered = pause * (0.5 + Math.random() / 2);
    await new Promise((wake) => setTimeout(wake, Math.min(jittered, left)));
  }
  return unlock;
}

function nextPause(pause: number): number {
  return Math.min(pause * PAUSE_GROWTH, LONGEST_PAUSE);
}

function lookAt(fs: FileSystem, path: string): FileStatus | undefined {
  try {
    return fs.stat(path);
  } catch (cause) {
    throw ioError('look at', path, cause);
  }
}

function isSameFile(a: FileStatus | undefined, b: FileStatus | undefined): boolean {
  return a?.inode === b?.inode && a?.modified === b?.modified;
}
