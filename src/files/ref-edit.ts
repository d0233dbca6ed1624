// A change of one ref or its reflog that is no transaction: made under the ref's lock, which is the reflog's, too.

import { RefError } from '../errors.ts';
import { encodeText } from '../format/text.ts';
import { nameConflict } from '../refs/transaction/name-conflicts.ts';
import { NameOrder } from '../refs/transaction/name-order.ts';
import { UpdateBatch } from '../refs/transaction/update-batch.ts';
import type { FilesHost } from './files-host.ts';
import { removeEmptyFolders, withFolders } from './folders.ts';
import { LockFiles, LockTaken, unableToLock } from './lock-files.ts';
import { ReflogWriter } from './reflog-writer.ts';
import { Unsynced } from './unsynced.ts';

export class RefEdit {
  readonly name: string;
  readonly logs: ReflogWriter;
  readonly locks: LockFiles;
  readonly unsynced = new Unsynced();
  readonly #host: FilesHost;

  private constructor(host: FilesHost, name: string, locks: LockFiles) {
    this.#host = host;
    this.name = name;
    this.locks = locks;
    this.logs = new ReflogWriter(host, this.unsynced);
  }

  /**
   * Does `work` with the ref locked, and gives the lock back. As in Git, a ref that is packed is in the way of the name
   * (`NAME_CONFLICT`). Throws `LOCKED`, `IO`; what they say begins with `refusal`.
   */
  static async under<T>(
    host: FilesHost,
    name: string,
    work: (edit: RefEdit) => Promise<T>,
    refusal = `cannot lock ref '${name}'`,
  ): Promise<T> {
    const edit = new RefEdit(host, name, await LockFiles.open(host.files, host.fileMode));
    try {
      await edit.#lock();
    } catch (error) {
      if (!(error instanceof RefError)) throw error;
      const { code, message, ...details } = error;
      throw new RefError(code, `${refusal}: ${message}`, { ...details, ref: name });
    }
    let result: T;
    try {
      result = await work(edit);
    } finally {
      edit.locks.releaseAll();
    }
    if (host.fsync) await edit.unsynced.sync(host.files);
    return result;
  }

  get path(): string {
    return this.#host.view.paths.ref(this.name);
  }

  /** Takes the lock of the reflog, too, which is for a new file in its place and keeps nobody away. Throws `LOCKED`, `IO`. */
  async lockLog(path: string): Promise<void> {
    await this.locks.takeWithin(path, 0);
  }

  /** Puts what the ref is to be pointed at into its lock. Throws `IO`. */
  async fill(oid: string): Promise<void> {
    await this.locks.write(this.path, encodeText(`${oid}\n`), this.#host.fsync);
  }

  /** Makes what was filled in the ref. Throws `IO`. */
  commit(): void {
    const { view, files } = this.#host;
    try {
      if (view.loose.isFolder(this.name)) removeEmptyFolders(files, this.path);
      this.locks.commit(this.path);
    } catch (cause) {
      const message = `couldn't set '${this.name}'`;
      throw new RefError('IO', message, { ref: this.name, file: this.path, cause });
    }
    this.unsynced.addFolderOf(this.path);
  }

  async #lock(): Promise<void> {
    const { view, files, share, refLockTimeout } = this.#host;
    const none = new NameOrder(new UpdateBatch('sha1', 0));
    const conflict = nameConflict(this.name, none, view.packedView);
    if (conflict !== undefined) throw conflict;
    for (;;) {
      try {
        withFolders(files, this.path, share, () => this.locks.take(this.path));
        return;
      } catch (error) {
        if (!(error instanceof LockTaken)) throw asRefError(this.path, error);
        await this.locks.waitFor(this.path, refLockTimeout);
      }
    }
  }
}

function asRefError(path: string, error: unknown): RefError {
  return error instanceof RefError ? error : unableToLock(path, error);
}
