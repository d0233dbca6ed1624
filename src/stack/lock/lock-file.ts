// Git's lock file, dressed as the `fs` that proper-lockfile works on. proper-lockfile locks by making a
// folder and trusts a lock for as long as the folder's time keeps moving; Git's lock is a file, which a
// user can remove by hand, and its age proves nothing. So:
//
//   mkdir            creates the file exclusively, with its owner's record in it
//   rmdir(Sync)      unlinks it
//   stat, utimes     remember a time in memory and cost no system call

import type { FileStatus, FileSystem } from '../../storage/file-system.ts';
import { thisMachine } from './machine.ts';
import type { Machine } from './owner.ts';
import { createOwned, readOwner } from './record.ts';

type Done<T = void> = (error: unknown, result?: T) => void;

/** A time that is never too long ago: the last one that a `Date` can hold. */
const END_OF_TIME = new Date(8.64e15);

interface LockFileOptions {
  /** Permission bits, less the umask. */
  mode?: number | undefined;
  /**
   * How the file is known as ours again: by its descriptor, held open so that no other file gets its inode
   * number, for one system call; or by the token in it, for three, which suits many locks at a time.
   */
  knownBy: 'descriptor' | 'token';
  machine?: Machine;
}

/** What tells the file that was created from one that came after it. */
type Created =
  | { descriptor: number; status: FileStatus }
  | { descriptor?: undefined; token: string };

export class LockFile {
  readonly fs: FileSystem;
  readonly path: string;
  readonly #options: LockFileOptions;
  #created: Created | undefined;
  #modified = END_OF_TIME;

  constructor(fs: FileSystem, path: string, options: LockFileOptions) {
    this.fs = fs;
    this.path = path;
    this.#options = options;
  }

  /** Whether this object created the file and has not removed it yet. */
  get exists(): boolean {
    return this.#created !== undefined;
  }

  /** Whether it is still the file at the path: somebody may have removed it by hand, and locked anew. */
  isOurs(): boolean {
    const created = this.#created;
    if (created === undefined) return false;
    if (created.descriptor === undefined) {
      const owner = readOwner(this.fs, this.path);
      return typeof owner !== 'string' && owner.token === created.token;
    }
    const { inode, device } = created.status;
    const status = this.fs.stat(this.path);
    return status !== undefined && status.inode === inode && status.device === device;
  }

  // Every callback is called before the method returns. So proper-lockfile knows of the file in the same
  // turn of the event loop that created it, and no exit handler can run in between.

  mkdir(_path: string, done: Done): void {
    try {
      this.#create();
    } catch (error) {
      done(error);
      return;
    }
    done(null);
  }

  rmdir(_path: string, done: Done): void {
    try {
      this.rmdirSync();
    } catch (error) {
      done(error);
      return;
    }
    done(null);
  }

  /** What proper-lockfile calls when the process exits. A lock that somebody else took stays. */
  rmdirSync(): void {
    const created = this.#created;
    if (created === undefined) return;
    if (this.isOurs()) this.fs.unlink(this.path);
    this.#created = undefined;
    if (created.descriptor !== undefined) this.fs.close(created.descriptor);
  }

  stat(_path: string, done: Done<{ mtime: Date }>): void {
    done(null, { mtime: this.#modified });
  }

  utimes(_path: string, _accessed: Date, modified: Date, done: Done): void {
    this.#modified = modified;
    done(null);
  }

  #create(): void {
    const { mode, knownBy, machine = thisMachine } = this.#options;
    const owner = { ...machine.self(), token: machine.newToken() };
    const descriptor = createOwned(this.fs, this.path, owner, mode);
    let isOpen = true;
    try {
      if (knownBy === 'descriptor') {
        this.#created = { descriptor, status: this.fs.statOpen(descriptor) };
      } else {
        isOpen = false;
        this.fs.close(descriptor);
        this.#created = { token: owner.token };
      }
    } catch (error) {
      if (isOpen) this.fs.close(descriptor);
      this.fs.unlink(this.path);
      throw error;
    }
  }
}
