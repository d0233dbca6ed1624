// The file `packed-refs` as it was opened. It is only ever replaced, so its inode tells versions apart, but only
// while the old file is there: a free inode number goes to the next new file. The open descriptor keeps it from
// being free.

import type { FileReading, FileStatus } from '../../storage/file-system.ts';
import { systemReason } from '../../storage/io-error.ts';
import { cannotRead } from './byte-source.ts';

export class OpenFile {
  readonly path: string;
  readonly descriptor: number;
  readonly status: FileStatus;
  readonly #fs: FileReading;
  #users = 1;

  private constructor(fs: FileReading, path: string, descriptor: number, status: FileStatus) {
    this.#fs = fs;
    this.path = path;
    this.descriptor = descriptor;
    this.status = status;
  }

  /** Has one user: who opened it. `undefined` if there is no such file. Throws `IO`. */
  static open(fs: FileReading, path: string): OpenFile | undefined {
    let descriptor: number;
    try {
      descriptor = fs.open(path);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw cannotRead(path, systemReason(cause), cause);
    }
    try {
      return new OpenFile(fs, path, descriptor, fs.statOpen(descriptor));
    } catch (cause) {
      fs.close(descriptor);
      throw cannotRead(path, systemReason(cause), cause);
    }
  }

  get isOpen(): boolean {
    return this.#users > 0;
  }

  /** Whether it is the file at the path still, and unchanged. */
  isCurrent(): boolean {
    const now = this.#fs.stat(this.path);
    const { device, inode, size, modified } = this.status;
    return (
      now !== undefined &&
      now.inode === inode &&
      now.device === device &&
      now.size === size &&
      now.modified === modified
    );
  }

  retain(): void {
    this.#users++;
  }

  release(): void {
    if (--this.#users === 0) this.#fs.closeLater(this.descriptor);
  }
}
