// A new file of a stack. It is written under a temporary name and gets its own when it is complete and on the
// disk, so that half of one is never read.

import type { FileSystem, WritableFile } from '../storage/file-system.ts';
import { Breather } from './breather.ts';

export interface TemporaryFileOptions {
  /** Exact permission bits; `undefined`: 0o666 less the umask. */
  mode: number | undefined;
  /** Whether `finish` forces it to the disk. */
  fsync: boolean;
  /** Gives numbers in [0, 1) for the names. Default: `Math.random`. */
  random?: (() => number) | undefined;
}

export class TemporaryFile {
  readonly path: string;
  readonly #fs: FileSystem;
  readonly #file: WritableFile;
  readonly #fsync: boolean;
  #finished: Promise<void> | undefined;
  #isClosed = false;

  private constructor(fs: FileSystem, path: string, file: WritableFile, fsync: boolean) {
    this.path = path;
    this.#fs = fs;
    this.#file = file;
    this.#fsync = fsync;
  }

  /**
   * Writes what is to be `path` one day. `pieces` is asked for the next chunks when those before are written,
   * with the event loop free in between. What fails, be it `pieces`, leaves no file.
   */
  static async write(
    fs: FileSystem,
    path: string,
    pieces: Iterable<readonly Uint8Array[]>,
    { mode, fsync, random = Math.random }: TemporaryFileOptions,
  ): Promise<TemporaryFile> {
    const temporary = temporaryName(path, random);
    const file = new TemporaryFile(fs, temporary, await fs.create(temporary, mode), fsync);
    const breather = new Breather();
    try {
      for (const chunks of pieces) {
        if (chunks.length > 0) await file.#file.write(chunks);
        await breather.breathe();
      }
      if (mode !== undefined) await fs.setMode(temporary, mode);
      return file;
    } catch (error) {
      file.discard();
      throw error;
    }
  }

  /** Forces the file to the disk and closes it; the first call does. */
  finish(): Promise<void> {
    this.#finished ??= this.sync().finally(() => this.#close());
    return this.#finished;
  }

  /** Forces the file to the disk. */
  async sync(): Promise<void> {
    if (this.#fsync) await this.#file.sync();
  }

  /** Gives the file's descriptor, which is the caller's to close from now on. */
  detach(): number {
    this.#isClosed = true;
    return this.#file.descriptor;
  }

  /** Gives the file, which must be finished, its name. */
  rename(to: string): void {
    this.#fs.rename(this.path, to);
  }

  /** Removes the file, unless it has its name. Never throws. */
  discard(): void {
    // A sync that is under way closes the file when it is done.
    if (this.#finished === undefined) this.#close().catch(() => {});
    try {
      this.#fs.unlink(this.path);
    } catch {
      // Renamed; or left to the next cleaning.
    }
  }

  async #close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#file.close();
  }
}

/** Six random characters, as `mkstemp` appends them. */
function temporaryName(path: string, random: () => number): string {
  const number = Math.floor(random() * 36 ** 6);
  return `${path.replace(/\.ref$/, '')}.temp.${number.toString(36).padStart(6, '0')}`;
}
