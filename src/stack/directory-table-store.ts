// A stack in a folder, as Git keeps it:
//
//   reftable/tables.list               the names of the tables, oldest first; replaced, never changed
//   reftable/tables.list.lock          there while somebody writes
//   reftable/0x…-0x…-XXXXXXXX.ref      the tables; never changed
//   reftable/0x…-0x…-XXXXXXXX.ref.lock  there while somebody compacts the table
//   reftable/….temp.XXXXXX             what is being written, or was when its writer died
//
// spec/locking.md tells the order of a commit, spec/durability.md why each fsync.

import { RefError } from '../errors.ts';
import type { FileStatus, FileSystem, OpenDirectory } from '../storage/file-system.ts';
import { ioError } from '../storage/io-error.ts';
import type { TableSource } from '../table/table-source.ts';
import { openFileSource, readExactly } from './file-source.ts';
import { removeLeftovers } from './leftovers.ts';
import { thisMachine } from './lock/machine.ts';
import type { Machine } from './lock/owner.ts';
import type { StackLock } from './lock/stack-lock.ts';
import type { StagedTable, StoreLock, TableList, TableStore } from './table-store.ts';
import { formatTablesList, isTableName, MAX_LIST_SIZE, parseTablesList } from './tables-list.ts';
import { TemporaryFile, type TemporaryFileOptions } from './temporary-file.ts';

interface DirectoryTableStoreOptions {
  /** Exact permission bits of every file made here. Default: 0o666 less the umask. */
  fileMode?: number | undefined;
  /** Whether what is written is forced to the disk. Default true. */
  fsync?: boolean | undefined;
  /** Who takes locks, and who is asked whether their owners live. Default: this process and its machine. */
  machine?: Machine | undefined;
  /** Gives numbers in [0, 1) for the names of temporary files. Default: `Math.random`. */
  random?: (() => number) | undefined;
}

const LIST_NAME = 'tables.list';

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
  readonly #fileOptions: TemporaryFileOptions;
  readonly #machine: Machine;
  #lock: StackLock | undefined;

  constructor(fs: FileSystem, directory: string, options: DirectoryTableStoreOptions = {}) {
    this.location = directory;
    this.#fs = fs;
    this.#listPath = this.#pathOf(LIST_NAME);
    const { fileMode, fsync = true, random } = options;
    this.#fileOptions = { mode: fileMode, fsync, random };
    this.#machine = options.machine ?? thisMachine;
  }

  readList(): TableList {
    let version: ListVersion;
    try {
      version = this.#versionOf(this.#fs.open(this.#listPath));
    } catch (error) {
      if (isNotFound(error)) return { names: [], isMissing: true, identity: undefined };
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

  watchList(persistent: boolean, changed: () => void): () => void {
    // The folder, not the file: a list is not written to, another takes its name.
    return this.#fs.watch(this.location, persistent, (name) => {
      if (name === undefined || name === LIST_NAME) changed();
    });
  }

  releaseList(list: TableList): void {
    const version = (list as FileList).identity;
    if (version?.descriptor === undefined) return;
    this.#fs.closeLater(version.descriptor);
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

  async stage(name: string, pieces: Iterable<readonly Uint8Array[]>): Promise<StagedTable> {
    return StagedFile.write(this.#fs, this.#pathOf(name), name, pieces, this.#fileOptions);
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
    const { StackLock } = await import('./lock/stack-lock.ts');
    const { mode } = this.#fileOptions;
    const machine = this.#machine;
    const lock = await StackLock.acquire(this.#fs, this.#listPath, { timeout, mode, machine });
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

  async lockTable(name: string): Promise<StoreLock | undefined> {
    const { TableLock } = await import('./lock/table-lock.ts');
    const path = `${this.#pathOf(name)}.lock`;
    return TableLock.tryAcquire(this.#fs, path, this.#fileOptions.mode, this.#machine);
  }

  isTableLocked(name: string): boolean {
    const path = `${this.#pathOf(name)}.lock`;
    try {
      return this.#fs.stat(path) !== undefined;
    } catch (error) {
      throw ioError('look at', path, error);
    }
  }

  tables(): string[] {
    return this.#names().filter(isTableName);
  }

  removeLeftovers(): void {
    removeLeftovers(this.#fs, this.location, this.#names(), this.#machine);
  }

  async swapList(
    expected: TableList,
    names: readonly string[],
    table?: StagedTable,
  ): Promise<TableList> {
    let folder: OpenDirectory | undefined;
    try {
      // Opened first: for want of a descriptor a commit must fail before it is visible.
      if (this.#fileOptions.fsync) folder = await this.#fs.openDirectory(this.location);
      const list = await this.#replaceList(
        expected,
        names,
        table as StagedFile | undefined,
        folder,
      );
      try {
        await folder?.sync();
      } catch (error) {
        await this.#takeBack(list, expected as FileList);
        throw error;
      }
      return list;
    } catch (error) {
      throw ioError('write', this.#listPath, error);
    } finally {
      await folder?.close().catch(() => {});
    }
  }

  /** Publishes a table in `folder`, and a list in the place of `current`. */
  async #replaceList(
    current: TableList,
    names: readonly string[],
    table?: StagedFile,
    folder?: OpenDirectory,
  ): Promise<FileList> {
    const bytes = formatTablesList(names);
    const file = await TemporaryFile.write(this.#fs, this.#listPath, [[bytes]], this.#fileOptions);
    let version: ListVersion | undefined;
    try {
      // Nobody looks for the table until a list names it; and that list must not reach the disk before its name.
      table?.publish();
      // Side by side: a disk has all in little more time than one.
      const syncs = [file.sync(), table?.finish(), table && folder?.sync()];
      const outcomes = await Promise.allSettled(syncs);
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
      // The file that was written here stays known by its descriptor.
      version = this.#versionOf(file.detach());
      this.#checkStillOurs(current);
      file.rename(this.#listPath);
      return { names, identity: version };
    } catch (error) {
      if (version) this.releaseList({ names, identity: version });
      file.discard();
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

  /** The version that is open; closes it on failure. */
  #versionOf(descriptor: number): ListVersion {
    try {
      return { descriptor, status: this.#fs.statOpen(descriptor) };
    } catch (error) {
      this.#fs.close(descriptor);
      throw error;
    }
  }

  #names(): string[] {
    try {
      return this.#fs.list(this.location);
    } catch (error) {
      throw ioError('read', this.location, error);
    }
  }

  #pathOf(name: string): string {
    return `${this.location}/${name}`;
  }
}

/** The file of a table that has no name yet. */
class StagedFile implements StagedTable {
  readonly name: string;
  readonly #path: string;
  readonly #file: TemporaryFile;

  private constructor(name: string, path: string, file: TemporaryFile) {
    this.name = name;
    this.#path = path;
    this.#file = file;
  }

  static async write(
    fs: FileSystem,
    path: string,
    name: string,
    pieces: Iterable<readonly Uint8Array[]>,
    options: TemporaryFileOptions,
  ): Promise<StagedFile> {
    try {
      return new StagedFile(name, path, await TemporaryFile.write(fs, path, pieces, options));
    } catch (error) {
      throw ioError('write', path, error);
    }
  }

  async finish(): Promise<void> {
    try {
      await this.#file.finish();
    } catch (error) {
      throw ioError('write', this.#path, error);
    }
  }

  publish(): void {
    try {
      this.#file.rename(this.#path);
    } catch (error) {
      throw ioError('write', this.#path, error);
    }
  }

  discard(): void {
    this.#file.discard();
  }
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
