// A transaction on files: planned while its refs are locked one by one, held until its caller says so, and written in
// Git's order (`files_transaction_finish`): for each ref its reflog, then its file; then what is deleted, first the
// reflogs, then the records in packed-refs, last the files. spec/files.md tells what a crash leaves in between.

import { RefError } from '../errors.ts';
import { zeroOid } from '../format/object-format.ts';
import type { LogTail } from '../format/record-encoder.ts';
import { encodeText } from '../format/text.ts';
import { timezoneFromHhmm } from '../reflog/date.ts';
import type { ReflogEntry, TransactionResult } from '../refs/ref-store.ts';
import type { TakenUpdates } from '../refs/transaction/intake.ts';
import type { Plan } from '../refs/transaction/plan.ts';
import { planTransaction } from '../refs/transaction/planner.ts';
import type { TransactionHook } from '../refs/transaction/transaction-hook.ts';
import { DELETES, LOG_ONLY, SETS_TARGET } from '../refs/transaction/update-flags.ts';
import type { FilesHost } from './files-host.ts';
import { pruneFoldersOf, removeEmptyFolders } from './folders.ts';
import { LockFiles, LockTaken } from './lock-files.ts';
import { PackedDeletion } from './packed-deletion.ts';
import { RefLocking } from './ref-locking.ts';
import { ReflogWriter } from './reflog-writer.ts';
import { inTurns, Unsynced } from './unsynced.ts';

export class FilesTransaction {
  readonly #host: FilesHost;
  readonly #taken: TakenUpdates;
  readonly #locks: LockFiles;
  readonly #unsynced = new Unsynced();
  /** Every name that was locked: its folders may be empty in the end. */
  readonly #names = new Set<string>();
  #plan!: Plan;
  #deletion: PackedDeletion | undefined;

  private constructor(host: FilesHost, taken: TakenUpdates, locks: LockFiles) {
    this.#host = host;
    this.#taken = taken;
    this.#locks = locks;
  }

  /**
   * Locks, checks, and writes what is to be into the locks. Throws as planning does, `LOCKED`, `IO`; and
   * `HOOK_DECLINED`, for packed-refs is changed by a transaction of its own, of which the hook is asked, too.
   */
  static async prepare(
    host: FilesHost,
    taken: TakenUpdates,
    hook: TransactionHook | undefined,
  ): Promise<FilesTransaction> {
    const locks = await LockFiles.open(host.files, host.fileMode);
    const transaction = new FilesTransaction(host, taken, locks);
    try {
      await transaction.#planLocked();
      await transaction.#fillLocks();
      await transaction.#preparePacked(hook);
      return transaction;
    } catch (error) {
      await transaction.abort();
      throw error;
    }
  }

  async commit(): Promise<TransactionResult> {
    const { rejected } = this.#plan;
    const entries = [...this.#plan.entries].sort((a, b) => a - b);
    try {
      for (const entry of entries) {
        if (!this.#deletes(entry)) this.#update(entry);
      }
      const gone = entries.filter((entry) => this.#deletes(entry));
      const logs = new ReflogWriter(this.#host, this.#unsynced);
      for (const entry of gone) logs.remove(this.#nameOf(entry));
      await this.#deletion?.commit();
      for (const entry of gone) this.#deleteFile(this.#nameOf(entry));
    } finally {
      await this.abort();
    }
    if (this.#host.fsync) await this.#unsynced.sync(this.#host.files);
    return { updateIndex: entries.length > 0 ? 0 : undefined, rejected };
  }

  /** Gives the locks back, and removes the folders that were made for them alone. A second call does nothing. */
  async abort(): Promise<void> {
    const { files, view } = this.#host;
    this.#locks.releaseAll();
    for (const name of this.#names) pruneFoldersOf(files, name, (folder) => view.paths.ref(folder));
    this.#names.clear();
    await this.#deletion?.end();
  }

  /** Plans as often as another lock has to be waited for. */
  async #planLocked(): Promise<void> {
    const { view, policy, files, refLockTimeout } = this.#host;
    const { batch, order, createReflog, batchUpdates } = this.#taken;
    for (;;) {
      const unplan = batch.mark();
      const locking = new RefLocking(files, view, this.#locks, (folder) => this.#made(folder));
      try {
        const context = { view, policy, createReflog, batchUpdates, locks: locking };
        this.#plan = planTransaction(batch, order, context);
        return;
      } catch (error) {
        if (!(error instanceof LockTaken)) throw error;
        unplan();
        await this.#locks.waitFor(error.path, refLockTimeout);
      } finally {
        for (const name of locking.names) this.#names.add(name);
      }
    }
  }

  async #fillLocks(): Promise<void> {
    const { view, fsync } = this.#host;
    const { batch } = this.#taken;
    const writing = this.#plan.entries.filter(
      (entry) => this.#plan.writesRef(entry) && !this.#deletes(entry),
    );
    await inTurns(writing, async (entry) => {
      const value = batch.has(entry, SETS_TARGET)
        ? `ref: ${batch.targets.get(entry)!.newTarget}\n`
        : `${batch.newOid(entry)}\n`;
      await this.#locks.write(view.paths.ref(this.#nameOf(entry)), encodeText(value), fsync);
    });
  }

  async #preparePacked(hook: TransactionHook | undefined): Promise<void> {
    const names = this.#plan.entries
      .filter((entry) => this.#deletes(entry))
      .map((entry) => this.#nameOf(entry));
    if (names.length === 0) return;
    const { objectFormat } = this.#taken.batch;
    this.#deletion = await PackedDeletion.prepare(this.#host, names, { objectFormat, hook });
  }

  #update(entry: number): void {
    const { view } = this.#host;
    const name = this.#nameOf(entry);
    if (this.#plan.isLogged(entry)) this.#log(entry, name);
    if (!this.#plan.writesRef(entry)) return;
    const path = view.paths.ref(name);
    try {
      if (view.loose.isFolder(name)) removeEmptyFolders(this.#host.files, path);
      this.#locks.commit(path);
    } catch (cause) {
      throw new RefError('IO', `couldn't set '${name}'`, { ref: name, file: path, cause });
    }
    this.#unsynced.addFolderOf(path);
  }

  #log(entry: number, name: string): void {
    const { batch, log } = this.#taken;
    const newOid = batch.has(entry, SETS_TARGET)
      ? this.#plan.oidBehindTarget(entry)
      : batch.newOid(entry);
    if (newOid === undefined) return;
    const oldOid = this.#plan.oldOid(entry) ?? zeroOid(batch.objectFormat);
    const line = { ...entryOf(log()), oldOid, newOid };
    try {
      new ReflogWriter(this.#host, this.#unsynced).append(name, line);
    } catch (error) {
      if (!(error instanceof RefError)) throw error;
      const message = `cannot update the ref '${name}': ${error.message}`;
      throw new RefError(error.code, message, { ref: name, cause: error });
    }
  }

  #deleteFile(name: string): void {
    const { files, view } = this.#host;
    const path = view.paths.ref(name);
    // One that is packed alone may have a folder in its place.
    const kind = files.kindOf(path);
    if (kind === undefined || kind === 'folder') return;
    try {
      files.unlink(path);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return;
      const message = `unable to unlink '${view.paths.shown(path)}'`;
      throw new RefError('IO', message, { ref: name, file: path, cause });
    }
    this.#unsynced.addFolderOf(path);
  }

  #made(folder: string): void {
    this.#host.share(folder);
    this.#unsynced.addFolderOf(folder);
  }

  #nameOf(entry: number): string {
    return this.#taken.batch.name(entry);
  }

  /** Whether the ref itself goes, and not only its reflog tells of that. */
  #deletes(entry: number): boolean {
    const { batch } = this.#taken;
    return batch.has(entry, DELETES) && !batch.has(entry, LOG_ONLY);
  }
}

/** What all entries of a transaction have in common, as a log file has it. */
export function entryOf(log: LogTail): Pick<ReflogEntry, 'committer' | 'message'> {
  const { committerName: name, email, time } = log;
  const timezone = timezoneFromHhmm(log.timezone);
  return { committer: { name, email, time, timezone }, message: log.message.replace(/\n$/, '') };
}
