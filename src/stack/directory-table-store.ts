// A stack in a folder, as Git keeps it:
//
//   reftable/tables.list               the names of the tables, oldest first; replaced, never changed
//   reftable/tables.list.lock          there while somebody writes
//   reftable/0x…-0x…-XXXXXXXX.ref      the tables; never changed
//   reftable/….temp.XXXXXX             what is being written, or was when its writer died
//
// spec/locking.md tells the order of a commit, spec/durability.md why each fsync.

import { RefError } from '../errors.ts';
import type { FileStatus, FileSystem } from '../storage/file-system.ts';
import { ioError } from '../storage/io-error.ts';
import type { TableSource } from '../table/table-source.ts';
import { openFileSource, readExactly } from './file-source.ts';
import { StackLock } from './stack-lock.ts';
import type { StoreLock, TableList, TableStore } from './table-store.ts';
import { formatTablesList, MAX_LIST_SIZE, parseTablesList } from './tables-list.ts';

interface DirectoryTableStoreOptions {
  /** Exact permission bits of every file made here. Default: 0o666 less the umask. */
  fileMode?: number | undefined;
  /** Whether what is written is forced to the disk. Default true. */
  fsync?: boolean | undefined;
}

/**
 * One version of `tables.list`. The list is only ever replaced, so its inode tells versions apart, but
 * only while the old file is there: a free inode number goes to the next new file. The open descriptor
 * keeps it from being free.
 */
interface ListVersion {
  readonly status: FileStatus;
  /** `undefined` once the version is trusted no more. */
  descriptor: number | undefined;
}

/** A reading of `tables.list`; without an identity where there was no such file. */
interface FileList extends TableList {
  readonly identity: ListVersion | undefined;
}

/** The folder `<gitDir>/reftable`. */
export class DirectoryTableStore implements TableStore {
  readonly location: string;
  readonly #fs: FileSystem;
  readonly #listPath: string;
  readonly #fileMode: number | undefined;
  readonly #fsync: boolean;
  #lock: StackLock | undefined;

  constructor(fs: FileSystem, directory: string, options: DirectoryTableStoreOptions = {}) {
    this.location = directory;
    this.#fs = fs;
    this.#listPath = this.#pathOf('tables.list');
    this.#fileMode = options.fileMode;
    this.#fsync = options.fsync ?? true;
  }

  readList(): TableList {
    let version: ListVersion;
    try {
      version = this.#openVersion(this.#listPath);
    } catch (error) {
      if (isNotFound(error)) return { names: [], identity: undefined };
      throw ioError('open', this.#listPath, error);
    }
    const list: FileList = { names: [], identity: version };
    try {
      // One byte more than a list may have is enough to refuse it.
      const size = Math.min(version.status.size, MAX_LIST_SIZE + 1);
      const bytes = readExactly(this.#fs, this.#listPath, version.descriptor!, 0, size);
      return { ...list, names: parseTablesList(bytes, this.#listPath) };
    } catch (error) {
      this.releaseList(list);
      throw ioError('read', this.#listPath, error);
    }
  }

  isCurrent(list: TableList): boolean {
    let status: FileStatus | undefined;
    try {
      status = this.#fs.stat(this.#listPath);
    } catch (error) {
      throw ioError('look at', this.#listPath, error);
    }
    const version = (list as FileList).identity;
    if (!version || !status) return version === status;
    return version.descriptor !== undefined && isSameFile(version.status, status);
  }

  releaseList(list: TableList): void {
    const version = (list as FileList).identity;
    if (version?.descriptor === undefined) return;
    this.#fs.close(version.descriptor);
    version.descriptor = undefined;
  }

  open(name: string): TableSource {
    const path = this.#pathOf(name);
    try {
      return openFileSource(this.#fs, path);
    } catch (error) {
      if (!isNotFound(error)) throw ioError('read', path, error);
      const remedy = 'restore the file, or fetch the refs again from where they came';
      const message = `${path}: the table is named in tables.list but is not there; ${remedy}`;
      throw new RefError('MISSING_TABLE', message, { file: path, cause: error });
    }
  }

  async put(name: string, chunks: readonly Uint8Array[]): Promise<void> {
    const path = this.#pathOf(name);
    const temporary = temporaryName(path.replace(/\.ref$/, ''));
    try {
      await this.#writeFile(temporary, chunks);
      try {
        this.#fs.rename(temporary, path);
      } catch (error) {
        this.#removeQuietly(temporary);
        throw error;
      }
    } catch (error) {
      throw ioError('write', path, error);
    }
  }

  remove(name: string): void {
    const path = this.#pathOf(name);
    try {
      this.#fs.unlink(path);
    } catch (error) {
      if (!isNotFound(error)) throw ioError('remove', path, error);
    }
  }

  async lock(timeout: number): Promise<StoreLock> {
    const mode = this.#fileMode;
    const lock = await StackLock.acquire(this.#fs, this.#listPath, { timeout, mode });
    if (mode !== undefined) {
      try {
        await this.#fs.setMode(lock.path, mode);
      } catch (error) {
        await lock.release();
        throw ioError('set the mode of', lock.path, error);
      }
    }
    this.#lock = lock;
    return lock;
  }

  async swapList(expected: TableList, names: readonly string[]): Promise<TableList> {
    try {
      const list = await this.#replaceList(expected, names);
      try {
        // This makes the renames of the tables last, too: they are in the same folder.
        if (this.#fsync) await this.#fs.syncDirectory(this.location);
      } catch (error) {
        await this.#takeBack(list, expected as FileList);
        throw error;
      }
      return list;
    } catch (error) {
      throw ioError('write', this.#listPath, error);
    }
  }

  /** Publishes a list in the place of `current`. */
  async #replaceList(current: TableList, names: readonly string[]): Promise<FileList> {
    const temporary = temporaryName(this.#listPath);
    await this.#writeFile(temporary, [formatTablesList(names)]);
    let version: ListVersion | undefined;
    try {
      // Looked at before it is published, so that it is the file that was written here.
      version = this.#openVersion(temporary);
      this.#checkStillOurs(current);
      this.#fs.rename(temporary, this.#listPath);
      return { names, identity: version };
    } catch (error) {
      if (version) this.releaseList({ names, identity: version });
      this.#removeQuietly(temporary);
      throw error;
    }
  }

  /** Puts back the list that was there before `list`, whose durability nobody can promise. */
  async #takeBack(list: FileList, before: FileList): Promise<void> {
    try {
      if (before.identity) this.releaseList(await this.#replaceList(list, before.names));
      else this.#fs.unlink(this.#listPath);
    } catch {
      // The disk fails again; the error that led here is the one to tell.
    } finally {
      this.releaseList(list);
    }
  }

  /** Somebody may have removed the lock by hand, or the process may be about to exit. */
  #checkStillOurs(current: TableList): void {
    if (this.#lock?.held && this.isCurrent(current)) return;
    const message = `${this.#listPath}: somebody removed the lock while it was held; nothing was changed`;
    throw new RefError('LOCKED', message, { file: this.#listPath });
  }

  /** Writes a new file to the end and the disk, or leaves none. */
  async #writeFile(path: string, chunks: readonly Uint8Array[]): Promise<void> {
    const file = await this.#fs.create(path, this.#fileMode);
    try {
      try {
        await file.write(chunks);
        if (this.#fileMode !== undefined) await this.#fs.setMode(path, this.#fileMode);
        if (this.#fsync) await file.sync();
      } finally {
        await file.close();
      }
    } catch (error) {
      this.#removeQuietly(path);
      throw error;
    }
  }

  /** For what is in the way of telling an error: failing to remove it must not hide that error. */
  #removeQuietly(path: string): void {
    try {
      this.#fs.unlink(path);
    } catch {
      // Left to the next cleaning.
    }
  }

  #openVersion(path: string): ListVersion {
    const descriptor = this.#fs.open(path);
    try {
      return { descriptor, status: this.#fs.statOpen(descriptor) };
    } catch (error) {
      this.#fs.close(descriptor);
      throw error;
    }
  }

  #pathOf(name: string): string {
    return `${this.location}/${name}`;
  }
}

/** Six random characters, as `mkstemp` appends them. */
function temporaryName(path: string): string {
  const random = Math.floor(Math.random() * 36 ** 6);
  return `${path}.temp.${random.toString(36).padStart(6, '0')}`;
}

/** Whether two looks at the list saw the same version. Some systems have no inode numbers: never trusted. */
function isSameFile(a: FileStatus, b: FileStatus): boolean {
  return (
    a.inode !== 0n &&
    a.inode === b.inode &&
    a.device === b.device &&
    a.size === b.size &&
    a.modified === b.modified
  );
}

function isNotFound(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
