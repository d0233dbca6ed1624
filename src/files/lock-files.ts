// The lock files of one transaction or edit: Git's own, NAME.lock beside each file that is to change, made exclusively.
// They hold what the file is to hold, and become it by a rename; those that do not are removed.
//
// Locks are taken without waiting, in the midst of planning. Where somebody else has one, planning ends with
// `LockTaken`, the lock is waited for with those before it held, as Git does, and planning begins anew.

import { monotonicNow } from '../clock.ts';
import { RefError } from '../errors.ts';
import { ioError, systemReason } from '../storage/io-error.ts';
import type { RefFileSystem } from '../storage/ref-file-system.ts';
import { forgetLock, guardLocks, rememberLock } from './lock-guard.ts';

/** The first pause between two tries, and the longest, ms. */
const FIRST_PAUSE = 1;
const LONGEST_PAUSE = 20;

const ADVICE =
  '\n\nAnother git process seems to be running in this repository, or the lock file may be stale';

/** A lock that somebody else has, and that was not waited for yet. */
export class LockTaken extends Error {
  /** The file that it is for. */
  readonly path: string;

  constructor(path: string) {
    super(`${path}.lock is taken`);
    this.path = path;
  }
}

export class LockFiles {
  readonly #files: RefFileSystem;
  /** Permission bits, exactly; `undefined`: as the umask has it. */
  readonly #mode: number | undefined;
  /** The files whose locks are held. */
  readonly #held = new Set<string>();
  /** Those whose locks were waited for in vain. */
  readonly #givenUp = new Set<string>();

  private constructor(files: RefFileSystem, mode: number | undefined) {
    this.#files = files;
    this.#mode = mode;
  }

  static async open(files: RefFileSystem, mode: number | undefined): Promise<LockFiles> {
    await guardLocks();
    return new LockFiles(files, mode);
  }

  holds(path: string): boolean {
    return this.#held.has(path);
  }

  /** Takes the lock of a file. Throws `LockTaken`; `LOCKED` where that was waited for; what Node does for other reasons. */
  take(path: string): void {
    if (this.#held.has(path)) return;
    const lock = `${path}.lock`;
    try {
      this.#files.create(lock);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (this.#givenUp.has(path)) throw lockedError(lock);
      throw new LockTaken(path);
    }
    this.#held.add(path);
    rememberLock(this.#files, lock);
    if (this.#mode !== undefined) this.#files.setMode(lock, this.#mode);
  }

  /** Waits up to `timeout` ms (0: one more try, -1: for ever) until the lock is ours. If it is not, the next try fails. */
  async waitFor(path: string, timeout: number): Promise<void> {
    const deadline = timeout < 0 ? Infinity : monotonicNow() + timeout;
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      const left = deadline - monotonicNow();
      if (left <= 0) break;
      const jittered = pause * (0.5 + Math.random() / 2);
      await new Promise((wake) => setTimeout(wake, Math.min(jittered, left)));
      if (this.#isTaken(path)) return;
    }
    this.#givenUp.add(path);
  }

  /** The same, from the first try on. Throws `LOCKED`, `IO`. */
  async takeWithin(path: string, timeout: number): Promise<void> {
    for (;;) {
      try {
        this.take(path);
        return;
      } catch (error) {
        if (!(error instanceof LockTaken)) throw ioError('create', `${path}.lock`, error);
        await this.waitFor(path, timeout);
      }
    }
  }

  /** Puts what the file is to hold into its lock. Throws `IO`. */
  async write(path: string, bytes: Uint8Array, sync: boolean): Promise<void> {
    try {
      await this.#files.write(`${path}.lock`, bytes, sync);
    } catch (error) {
      throw ioError('write', `${path}.lock`, error);
    }
  }

  /** Makes the lock the file. Throws what Node does. */
  commit(path: string): void {
    this.#files.rename(`${path}.lock`, path);
    this.#forget(path);
  }

  release(path: string): void {
    if (!this.#held.has(path)) return;
    this.#forget(path);
    try {
      this.#files.unlink(`${path}.lock`);
    } catch {
      // Somebody has removed it by hand.
    }
  }

  releaseAll(): void {
    for (const path of [...this.#held]) this.release(path);
  }

  #isTaken(path: string): boolean {
    try {
      this.take(path);
      return true;
    } catch {
      // Other reasons than that it is taken are found again by the next try.
      return false;
    }
  }

  #forget(path: string): void {
    this.#held.delete(path);
    forgetLock(`${path}.lock`);
  }
}

function lockedError(lock: string): RefError {
  const message = `Unable to create '${lock}': File exists.${ADVICE}`;
  return new RefError('LOCKED', message, { file: lock });
}

/** What Git says of a lock that cannot be made for another reason. */
export function unableToLock(path: string, cause: unknown): RefError {
  const file = `${path}.lock`;
  const message = `Unable to create '${file}': ${systemReason(cause)}`;
  return new RefError('IO', message, { file, cause });
}
