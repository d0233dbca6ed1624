// The file `packed-refs` and the lock that its writers take, which is Git's:
//
//   packed-refs          replaced, never changed
//   packed-refs.lock     there while somebody writes, or must know what is packed
//   packed-refs.new      what it is replaced by, while that is being written

import type { FileSystem } from '../../storage/file-system.ts';
import type { PackedRefsFormat } from './format.ts';
import type { LockedPackedRefs } from './locked-packed-refs.ts';
import { PackedRefs } from './packed-refs.ts';

export interface PackedRefsOptions extends PackedRefsFormat {
  /** How long to wait for the lock, ms; 0: one try, -1: for ever. Default 1000, Git's `core.packedRefsTimeout`. */
  lockTimeout?: number | undefined;
  /** Whether what is written is forced to the disk. Default true. */
  fsync?: boolean | undefined;
  /** Exact permission bits of the file. Default: 0o666 less the umask. */
  fileMode?: number | undefined;
}

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
    const { LockedPackedRefs } = await import('./locked-packed-refs.ts');
    return LockedPackedRefs.take(this.#fs, this.path, this.#options, {
      // Whatever the old file's identity: a new one may look the same where its time is coarse.
      locked: () => {
        const refs = this.#reopen();
        this.#isLocked = true;
        return refs;
      },
      replaced: () => this.close(),
      unlocked: () => {
        this.#isLocked = false;
      },
    });
  }

  /** Lets go of the file. What was retained, and iterators that are under way, go on. */
  close(): void {
    this.#refs?.release();
    this.#refs = undefined;
  }

  #reopen(): PackedRefs {
    const refs = PackedRefs.open(this.#fs, this.path, this.#options);
    this.close();
    this.#refs = refs;
    return refs;
  }
}
