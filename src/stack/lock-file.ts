// Git's lock file, dressed as the `fs` that proper-lockfile works on. proper-lockfile locks by making a
// folder and trusts a lock for as long as the folder's time keeps moving; Git's lock is a file, which a
// user can remove by hand, and its age proves nothing. So:
//
//   mkdir            creates the file exclusively
//   rmdir(Sync)      unlinks it
//   stat, utimes     remember a time in memory and cost no system call

import type { FileStatus, FileSystem } from '../storage/file-system.ts';

type Done<T = void> = (error: unknown, result?: T) => void;

/** A time that is never too long ago: the last one that a `Date` can hold. */
const END_OF_TIME = new Date(8.64e15);

export class LockFile {
  readonly fs: FileSystem;
  readonly path: string;
  readonly #mode: number | undefined;
  /** The file that was created; open, so that no other file gets its inode number meanwhile. */
  #created: { descriptor: number; status: FileStatus } | undefined;
  #modified = END_OF_TIME;

  constructor(fs: FileSystem, path: string, mode: number | undefined) {
    this.fs = fs;
    this.path = path;
    this.#mode = mode;
  }

  /** Whether this object created the file and has not removed it yet. */
  get exists(): boolean {
    return this.#created !== undefined;
  }

  /** Whether it is still the file at the path: somebody may have removed it by hand, and locked anew. */
  isOurs(): boolean {
    if (this.#created === undefined) return false;
    const { inode, device } = this.#created.status;
    const status = this.fs.stat(this.path);
    return status !== undefined && status.inode === inode && status.device === device;
  }

  // Every callback is called before the method returns. So proper-lockfile knows of the file in the same
  // turn of the event loop that created it, and no exit handler can run in between.

  mkdir(_path: string, done: Done): void {
    let descriptor: number;
    try {
      descriptor = this.fs.createEmpty(this.path, this.#mode);
    } catch (error) {
      done(error);
      return;
    }
    try {
      this.#created = { descriptor, status: this.fs.statOpen(descriptor) };
    } catch (error) {
      this.fs.close(descriptor);
      this.fs.unlink(this.path);
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
    if (this.#created === undefined) return;
    if (this.isOurs()) this.fs.unlink(this.path);
    const { descriptor } = this.#created;
    this.#created = undefined;
    this.fs.close(descriptor);
  }

  stat(_path: string, done: Done<{ mtime: Date }>): void {
    done(null, { mtime: this.#modified });
  }

  utimes(_path: string, _accessed: Date, modified: Date, done: Done): void {
    this.#modified = modified;
    done(null);
  }
}
