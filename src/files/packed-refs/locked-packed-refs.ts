// `packed-refs` while its lock is held: what is packed does not change but by us.

import { dirname } from 'node:path';
import type { FileSystem, OpenDirectory, WritableFile } from '../../storage/file-system.ts';
import { ioError } from '../../storage/io-error.ts';
import type { PackedRefEdit } from './edit.ts';
import type { PackedRefs } from './packed-refs.ts';

/** What a lock on the file does with it. */
export interface PackedRefsWriting {
  readonly fs: FileSystem;
  readonly path: string;
  readonly fsync: boolean;
  /** Exact permission bits; `undefined`: 0o666 less the umask. */
  readonly fileMode: number | undefined;
  /** The chunks of the file that `refs` become by the edits; one may be used until the next but one is asked for. */
  rewrite(refs: PackedRefs, edits: readonly PackedRefEdit[]): Iterable<Uint8Array>;
  /** The file was replaced. */
  replaced(): void;
  unlock(): Promise<void>;
}

export class LockedPackedRefs {
  /** What was packed when the lock was taken. */
  readonly refs: PackedRefs;
  readonly #writing: PackedRefsWriting;
  readonly #newPath: string;
  #isWritten = false;

  constructor(refs: PackedRefs, writing: PackedRefsWriting) {
    this.refs = refs;
    this.#writing = writing;
    this.#newPath = `${writing.path}.new`;
  }

  /**
   * Writes what the refs will be to `packed-refs.new`, and forces it to the disk. The edits are in byte order of their
   * names, each name once; the removal of a ref that is not there is none. Throws `IO`.
   */
  async write(edits: readonly PackedRefEdit[]): Promise<void> {
    const { fs, fsync, fileMode, rewrite } = this.#writing;
    const file = await this.#create();
    try {
      await writeAll(file, rewrite(this.refs, edits));
      if (fileMode !== undefined) await fs.setMode(this.#newPath, fileMode);
      if (fsync) await file.sync();
    } catch (cause) {
      throw ioError('write', this.#newPath, cause);
    } finally {
      await file.close();
    }
  }

  /** Gives what was written the name of `packed-refs`, and makes that survive a power loss. Throws `IO`. */
  async commit(): Promise<void> {
    const { fs, path, fsync } = this.#writing;
    let folder: OpenDirectory | undefined;
    try {
      folder = fsync ? await fs.openDirectory(dirname(path)) : undefined;
      fs.rename(this.#newPath, path);
      this.#isWritten = false;
      this.#writing.replaced();
      await folder?.sync();
    } catch (cause) {
      throw ioError('replace', path, cause);
    } finally {
      await folder?.close();
    }
  }

  /** Gives the lock back; what was written and not committed is gone. Throws `IO`. */
  async release(): Promise<void> {
    this.refs.release();
    try {
      if (this.#isWritten) this.#writing.fs.unlink(this.#newPath);
      this.#isWritten = false;
    } catch (cause) {
      throw ioError('remove', this.#newPath, cause);
    } finally {
      await this.#writing.unlock();
    }
  }

  /** Who takes the lock after a writer that died finds the file that it left. */
  async #create(): Promise<WritableFile> {
    const { fs, fileMode } = this.#writing;
    const create = () => fs.create(this.#newPath, fileMode);
    try {
      const file = await create().catch((error) => {
        if (error.code !== 'EEXIST') throw error;
        fs.unlink(this.#newPath);
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
