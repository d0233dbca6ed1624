// Writing to reflogs that are files.

import { RefError } from '../errors.ts';
import type { ReflogEntry } from '../refs/ref-store.ts';
import { systemReason } from '../storage/io-error.ts';
import type { FilesHost } from './files-host.ts';
import { pruneFoldersOf, withFolders } from './folders.ts';
import { reflogLine } from './reflog-files.ts';
import type { Unsynced } from './unsynced.ts';

export class ReflogWriter {
  readonly #host: FilesHost;
  readonly #unsynced: Unsynced;

  constructor(host: FilesHost, unsynced: Unsynced) {
    this.#host = host;
    this.#unsynced = unsynced;
  }

  /** Adds an entry as the newest, and the log where there is none. Throws `NAME_CONFLICT`, `IO`. */
  append(name: string, entry: Omit<ReflogEntry, 'updateIndex'>): void {
    this.#write(name, reflogLine(entry));
  }

  /** Makes an empty log where there is none. Throws as `append`. */
  create(name: string): void {
    this.#write(name, new Uint8Array());
  }

  /** Removes a log, and the folders that it was the last in; does nothing where there is none. Throws `IO`. */
  remove(name: string): void {
    const { files, view } = this.#host;
    const path = view.paths.log(name);
    try {
      files.unlink(path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Logs of other refs may be in a folder of this name.
      const isAbsent = code === 'ENOENT' || code === 'ENOTDIR' || view.logs.isFolder(path);
      if (isAbsent) return;
      throw this.#failure('remove', path, error);
    }
    this.#unsynced.addFolderOf(path);
    pruneFoldersOf(files, name, (folder) => view.paths.log(folder));
  }

  #write(name: string, bytes: Uint8Array): void {
    const { files, view, share, fileMode } = this.#host;
    const path = view.paths.log(name);
    const made = (folder: string) => {
      share(folder);
      this.#unsynced.addFolderOf(folder);
    };
    try {
      const isNew = !view.logs.exists(path);
      withFolders(files, path, made, () => files.append(path, bytes, true));
      if (fileMode !== undefined) files.setMode(path, fileMode);
      this.#unsynced.add(path);
      if (isNew) this.#unsynced.addFolderOf(path);
    } catch (error) {
      throw this.#failure('append to', path, error);
    }
  }

  #failure(action: string, path: string, cause: unknown): RefError {
    const { code } = cause as NodeJS.ErrnoException;
    const shown = this.#host.view.paths.shown(path);
    if (code === 'EISDIR') {
      return new RefError('NAME_CONFLICT', `there are still logs under '${shown}'`, { file: path });
    }
    const message =
      code === 'ENOENT'
        ? `unable to create directory for '${shown}': ${systemReason(cause)}`
        : `unable to ${action} '${shown}': ${systemReason(cause)}`;
    return new RefError('IO', message, { file: path, cause });
  }
}
