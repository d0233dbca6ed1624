// The lock of one table, `NAME.ref.lock`: while it is there, nobody compacts the table. Git makes it empty; ours
// says whose it is. A compaction may hold hundreds, so they keep no descriptor open.

import { resolve } from 'node:path';
import type { FileSystem } from '../../storage/file-system.ts';
import { ioError } from '../../storage/io-error.ts';
import type { StoreLock } from '../table-store.ts';
import { attemptLock, type Unlock } from './attempt.ts';
import { breakDeadLock } from './breaking.ts';
import { LockFile } from './lock-file.ts';
import { thisMachine } from './machine.ts';
import type { Machine } from './owner.ts';

/** Held from the moment that `tryAcquire` returns it until `release`, or the end of the process. */
export class TableLock implements StoreLock {
  readonly #file: LockFile;
  readonly #unlock: Unlock;

  private constructor(file: LockFile, unlock: Unlock) {
    this.#file = file;
    this.#unlock = unlock;
  }

  /**
   * Takes the lock that the file `path` is, at once or not at all: `undefined` if somebody has it who is not
   * proven dead. `mode` is its permission bits, less the umask; `machine` says who lives. Throws `IO`.
   */
  static async tryAcquire(
    fs: FileSystem,
    path: string,
    mode?: number | undefined,
    machine: Machine = thisMachine,
  ): Promise<TableLock | undefined> {
    const file = new LockFile(fs, resolve(path), { mode, knownBy: 'token', machine });
    let unlock = await attemptLock(file);
    if (unlock === undefined && breakDeadLock(fs, file.path, machine)) {
      unlock = await attemptLock(file);
    }
    return unlock && new TableLock(file, unlock);
  }

  /** Gives the lock back; throws `IO` where its file cannot be removed. A second call does nothing. */
  async release(): Promise<void> {
    if (!this.#file.exists) return;
    try {
      await this.#unlock();
    } catch (cause) {
      throw ioError('remove', this.#file.path, cause);
    }
  }
}
