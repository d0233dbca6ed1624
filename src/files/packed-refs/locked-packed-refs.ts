// `packed-refs` while its lock is held: what is packed does not change but by us. It is loaded with the first lock,
// and with it all that only writing takes.

import { dirname, resolve } from 'node:path';
import { StackLock } from '../../stack/lock/stack-lock.ts';
import type { FileSystem, OpenDirectory, WritableFile } from '../../storage/file-system.ts';
import { ioError } from '../../storage/io-error.ts';
import type { PackedRefEdit } from './edit.ts';
import type { PackedRefs } from './packed-refs.ts';
import type { PackedRefsOptions } from './packed-refs-file.ts';
import { rewritePackedRefs } from './rewriting.ts';

const DEFAULT_LOCK_TIMEOUT = 1000;

/** So far Git follows symbolic links. */
const MAX_LINKS = 5;

/** What is told to who keeps the file open. */
export interface LockListener {
  /** The lock is held: gives what is packed now. */
  locked(): PackedRefs;
  /** The file was replaced. */
  replaced(): void;
  unlocked(): void;
}

export class LockedPackedRefs {
  /** What was packed when the lock was taken. */
  readonly refs: PackedRefs;
  readonly #fs: FileSystem;
  readonly #path: string;
  readonly #newPath: string;
  readonly #options: PackedRefsOptions;
  readonly #lock: StackLock;
  readonly #listener: LockListener;
  #isWritten = false;

  /** Throws `LOCKED`, `IO`, and what `listener` throws. */
  static async take(
    fs: FileSystem,
    path: string,
    options: PackedRefsOptions,
    listener: LockListener,
  ): Promise<LockedPackedRefs> {
    const { lockTimeout: timeout = DEFAULT_LOCK_TIMEOUT, fileMode: mode } = options;
    const target = followLinks(fs, path);
    const lock = await StackLock.acquire(fs, target, { timeout, mode });
    try {
      return new LockedPackedRefs(fs, target, options, lock, listener);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  private constructor(
    fs: FileSystem,
    path: string,
    options: PackedRefsOptions,
    lock: StackLock,
    listener: LockListener,
  ) {
    this.#fs = fs;
    this.#path = path;
    this.#newPath = `${path}.new`;
    this.#options = options;
    this.#lock = lock;
    this.#listener = listener;
    this.refs = listener.locked().retain();
  }

  /**
   * Writes what the refs will be to `packed-refs.new`, and forces it to the disk. The edits are in byte order of their
   * names, each name once; the removal of a ref that is not there is none. Throws `CORRUPT_REF`, `IO`.
   */
  async write(edits: readonly PackedRefEdit[]): Promise<void> {
    const { fsync = true, fileMode } = this.#options;
    const file = await this.#create();
    try {
      await writeAll(file, rewritePackedRefs(this.refs, edits, this.#options));
      if (fileMode !== undefined) await this.#fs.setMode(this.#newPath, fileMode);
      if (fsync) await file.sync();
    } catch (cause) {
      throw ioError('write', this.#newPath, cause);
    } finally {
      await file.close();
    }
  }

  /** Gives what was written the name of `packed-refs`, and makes that survive a power loss. Throws `IO`. */
  async commit(): Promise<void> {
    const { fsync = true } = this.#options;
    let folder: OpenDirectory | undefined;
    try {
      folder = fsync ? await this.#fs.openDirectory(dirname(this.#path)) : undefined;
      this.#fs.rename(this.#newPath, this.#path);
      this.#isWritten = false;
      this.#listener.replaced();
      await folder?.sync();
    } catch (cause) {
      throw ioError('replace', this.#path, cause);
    } finally {
      await folder?.close();
    }
  }

  /** Gives the lock back; what was written and not committed is gone. Throws `IO`. */
  async release(): Promise<void> {
    this.refs.release();
    try {
      if (this.#isWritten) this.#fs.unlink(this.#newPath);
      this.#isWritten = false;
    } catch (cause) {
      throw ioError('remove', this.#newPath, cause);
    } finally {
      this.#listener.unlocked();
      await this.#lock.release();
    }
  }

  /** Who takes the lock after a writer that died finds the file that it left. */
  async #create(): Promise<WritableFile> {
    const create = () => this.#fs.create(this.#newPath, this.#options.fileMode);
    try {
      const file = await create().catch((error) => {
        if (error.code !== 'EEXIST') throw error;
        this.#fs.unlink(this.#newPath);
        return create();
      });
      this.#isWritten = true;
      return file;
    } catch (cause) {
      throw ioError('create', this.#newPath, cause);
    }
  }
}

/** Writes each chunk while the next one is put together. */
async function writeAll(file: WritableFile, chunks: Iterable<Uint8Array>): Promise<void> {
  let written = Promise.resolve();
  try {
    for (const chunk of chunks) {
      await written;
      written = file.write([chunk]);
    }
  } finally {
    await written;
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
