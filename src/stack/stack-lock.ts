// The writers' lock of a stack: Git's own lock file, `tables.list.lock`, created exclusively, so that Git,
// JGit and we exclude each other. spec/locking.md tells the protocol.
//
// Inside the process a queue orders those who want the same lock, and only its head touches the file.
// proper-lockfile creates the file, and removes it also when the process exits or is killed by a signal
// that can be caught. Waiting is done here, not by proper-lockfile's `retries`: those go on after errors
// that no waiting mends, keep every refusal in memory, and do not stop at the end of the time.

import { resolve } from 'node:path';
import type { FileSystem } from '../storage/file-system.ts';
import { ioError } from '../storage/io-error.ts';
import { LockFile } from './lock-file.ts';
import { enterQueue, leaveQueue } from './lock-queue.ts';
import { lockedByThisProcess, lockedError } from './locked-error.ts';
import type { StoreLock } from './table-store.ts';

/** The first pause between two tries, and the longest, ms. Most holders are gone within a few. */
const FIRST_PAUSE = 1;
const LONGEST_PAUSE = 20;
const PAUSE_GROWTH = 1.5;

/**
 * The age at which proper-lockfile would look after its lock, ms: twice the longest delay of a timer. Age
 * never proves death: a live Git that writes a million refs holds the lock for ten seconds.
 */
const NEVER_STALE = 2 * (2 ** 31 - 1);

interface StackLockOptions {
  /** How long to wait, ms. 0: one try; -1: for ever. */
  timeout: number;
  /** Permission bits of the lock file, less the umask. */
  mode?: number | undefined;
}

/** The lock, held from the moment that `acquire` returns it until `release`, or the end of the process. */
export class StackLock implements StoreLock {
  readonly #file: LockFile;
  readonly #unlock: () => Promise<void>;

  private constructor(file: LockFile, unlock: () => Promise<void>) {
    this.#file = file;
    this.#unlock = unlock;
  }

  /**
   * Takes the lock that stands for `target` (`…/tables.list`), `target` with `.lock` appended. Throws
   * `LOCKED` when somebody else kept it for as long as we may wait, `IO` when the file cannot be made.
   */
  static async acquire(
    fs: FileSystem,
    target: string,
    options: StackLockOptions,
  ): Promise<StackLock> {
    const path = resolve(`${target}.lock`);
    const deadline = options.timeout < 0 ? Infinity : performance.now() + options.timeout;
    if (!(await enterQueue(path, options.timeout))) throw lockedByThisProcess(path);
    try {
      const file = new LockFile(fs, path, options.mode);
      return new StackLock(file, await acquireFile(file, deadline));
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

/** Tries until the file is ours or the time is up; the first try is at once, the last one at the end. */
async function acquireFile(file: LockFile, deadline: number): Promise<() => Promise<void>> {
  // Loaded at the first lock: a process that only reads should not pay for it.
  const { default: lockfile } = await import('proper-lockfile');
  const options = {
    lockfilePath: file.path,
    fs: file,
    realpath: false,
    retries: 0,
    stale: NEVER_STALE,
    onCompromised: () => {},
  };
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * PAUSE_GROWTH, LONGEST_PAUSE)) {
    try {
      return await lockfile.lock(file.path, options);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ELOCKED') {
        throw ioError('create', file.path, cause);
      }
      const left = deadline - performance.now();
      if (left <= 0) throw lockedError(file.fs, file.path, cause);
      const jittered = pause * (0.5 + Math.random() / 2);
      await new Promise((wake) => setTimeout(wake, Math.min(jittered, left)));
    }
  }
}
