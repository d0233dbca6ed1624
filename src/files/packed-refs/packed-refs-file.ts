// The file `packed-refs` and the lock that its writers take, which is Git's:
//
//   packed-refs          replaced, never changed
//   packed-refs.lock     there while somebody writes, or must know what is packed
//   packed-refs.new      what it is replaced by, while that is being written

import { dirname, resolve } from 'node:path';
import { StackLock } from '../../stack/lock/stack-lock.ts';
import type { FileSystem } from '../../storage/file-system.ts';
import type { PackedRefsFormat } from './format.ts';
import { LockedPackedRefs, type PackedRefsWriting } from './locked-packed-refs.ts';
import { PackedRefs } from './packed-refs.ts';
import { rewritePackedRefs } from './rewriting.ts';

export interface PackedRefsOptions extends PackedRefsFormat {
  /** How long to wait for the lock, ms; 0: one try, -1: for ever. Default 1000, Git's `core.packedRefsTimeout`. */
  lockTimeout?: number | undefined;
  /** Whether what is written is forced to the disk. Default true. */
  fsync?: boolean | undefined;
  /** Exact permission bits of the file. Default: 0o666 less the umask. */
  fileMode?: number | undefined;
}

const DEFAULT_LOCK_TIMEOUT = 1000;

/** So far Git follows symbolic links. */
const MAX_LINKS = 5;

export class PackedRefsFile {
  readonly path: string;
  readonly #fs: FileSystem;
  readonly #options: PackedRefsOptions;
  #refs: PackedRefs | undefined;
  #isLocked = false;

  /** Reads nothing yet. */
  constructor(fs: FileSystem, path: string, options: PackedRefsOptions) {
    this.#fs = fs;
    this.path = path;
    this.#options = options;
  }

  /**
   * The refs as they are now, for one system call where the file has not been replaced, for none while it is locked
   * here. They are this object's: `retain` them to keep them beyond the next question. Throws `CORRUPT_REF`, `IO`.
   */
  current(): PackedRefs {
    if (this.#refs !== undefined && (this.#isLocked || this.#refs.isCurrent())) return this.#refs;
    return this.#reopen();
  }

  /**
   * Takes the lock, and reads anew what is packed. Throws `LOCKED` where somebody else has it for too long, `IO`, and
   * what `current` throws.
   */
  async lock(): Promise<LockedPackedRefs> {
    const { lockTimeout: timeout = DEFAULT_LOCK_TIMEOUT, fileMode: mode } = this.#options;
    const path = followLinks(this.#fs, this.path);
    const lock = await StackLock.acquire(this.#fs, path, { timeout, mode });
    try {
      // Whatever the old file's identity: a new one may look the same where its time is coarse.
      const refs = this.#reopen().retain();
      this.#isLocked = true;
      return new LockedPackedRefs(refs, this.#writing(lock, path));
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Lets go of the file. What was retained, and iterators that are under way, go on. */
  close(): void {
    this.#refs?.release();
    this.#refs = undefined;
  }

  #writing(lock: StackLock, path: string): PackedRefsWriting {
    const { fsync = true, fileMode } = this.#options;
    return {
      fs: this.#fs,
      path,
      fsync,
      fileMode,
      rewrite: (refs, edits) => rewritePackedRefs(refs, edits, this.#options),
      replaced: () => this.close(),
      unlock: () => {
        this.#isLocked = false;
        return lock.release();
      },
    };
  }

  #reopen(): PackedRefs {
    const refs = PackedRefs.open(this.#fs, this.path, this.#options);
    this.close();
    this.#refs = refs;
    return refs;
  }
}

/** Where the file is that a link stands for: it is replaced there, and not the link. */
function followLinks(fs: FileSystem, path: string): string {
  let at = path;
  for (let depth = 0; depth < MAX_LINKS; depth++) {
    const target = fs.readLink(at);
    if (target === undefined) break;
    at = resolve(dirname(at), target);
  }
  return at;
}
