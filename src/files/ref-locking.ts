// Locking refs one by one while a transaction is planned, in Git's order and with Git's reasons why not
// (`lock_raw_ref`): a lock file is made beside the ref's own, which shows most name conflicts, and the ref is read only
// then.

import { RefError } from '../errors.ts';
import type { RefRecord } from '../format/records.ts';
import { checkRefName, isSafeRefName } from '../refs/ref-name.ts';
import type { RefView } from '../refs/ref-view.ts';
import type { RefLocks, Sought } from '../refs/transaction/ref-locks.ts';
import { Refusal } from '../refs/transaction/refusal.ts';
import { systemReason } from '../storage/io-error.ts';
import type { RefFileSystem } from '../storage/ref-file-system.ts';
import type { FilesView } from './files-view.ts';
import { makeFoldersOf, removeEmptyFolders } from './folders.ts';
import { type LockFiles, LockTaken, unableToLock } from './lock-files.ts';

export class RefLocking implements RefLocks {
  /** The names that are locked. */
  readonly names = new Set<string>();
  readonly #files: RefFileSystem;
  readonly #view: FilesView;
  readonly #locks: LockFiles;
  readonly #made: (folder: string) => void;

  /** `made` is told of each folder that is made. */
  constructor(
    files: RefFileSystem,
    view: FilesView,
    locks: LockFiles,
    made: (folder: string) => void,
  ) {
    this.#files = files;
    this.#view = view;
    this.#locks = locks;
    this.#made = made;
  }

  has(name: string): boolean {
    return this.names.has(name);
  }

  get others(): RefView {
    return this.#view.packedView;
  }

  lock(sought: Sought): RefRecord | undefined {
    const { name } = sought;
    const path = this.#view.paths.ref(name);
    if (checkRefName(name, { allowOneLevel: true }) !== undefined && !isSafeRefName(name)) {
      throw new RefError('BAD_NAME', `refusing to update ref with bad name '${name}'`);
    }
    this.#makeFolders(path, sought);
    try {
      this.#locks.take(path);
    } catch (error) {
      if (error instanceof LockTaken) throw error;
      // Git has this one reason for a ref that is made meanwhile.
      if (error instanceof RefError) {
        throw new Refusal('reference already exists', error.message, name, { code: 'LOCKED' });
      }
      throw unableToLock(path, error);
    }
    this.names.add(name);
    return this.#read(path, sought);
  }

  #makeFolders(path: string, { name, mustExist, conflict }: Sought): void {
    try {
      makeFoldersOf(this.#files, path, this.#made);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const shown = this.#view.paths.shown(path);
      if (code !== 'EEXIST' && code !== 'ENOTDIR') {
        const message = `unable to create directory for ${shown}`;
        throw new RefError('IO', message, { file: path, cause: error });
      }
      const refusal = conflict();
      if (refusal === undefined) {
        const message = `unable to create lock file ${shown}.lock; non-directory in the way`;
        throw new RefError('IO', message, { file: path, cause: error });
      }
      throw mustExist ? missing(name) : refusal;
    }
  }

  #read(path: string, { name, mustExist, conflict }: Sought): RefRecord | undefined {
    const found = this.#readLoose(name);
    if (found !== undefined && found !== 'folder') return found;
    const packed = this.others.ref(name);
    if (packed !== undefined || found === undefined) return packed;
    if (mustExist) throw missing(name);
    if (removeEmptyFolders(this.#files, path)) return undefined;
    const shown = this.#view.paths.shown(path);
    const blocked = `there is a non-empty directory '${shown}' blocking reference '${name}'`;
    throw conflict() ?? new Refusal('refname conflict', blocked, name);
  }

  #readLoose(name: string) {
    try {
      return this.#view.loose.read(name);
    } catch (error) {
      if (!(error instanceof RefError)) throw error;
      const why = error.code === 'CORRUPT_REF' ? 'reference broken' : systemReason(error.cause);
      const message = `unable to resolve reference '${name}': ${why}`;
      throw new RefError(error.code, message, { cause: error });
    }
  }
}

function missing(name: string): Refusal {
  const message = `unable to resolve reference '${name}'`;
  return new Refusal('reference does not exist', message, name);
}
