// A ref under another name, or under a second one, with its reflog: `git branch -m` and `-c` on files. It takes
// several steps, in Git's order, and a failure goes the way back; spec/files.md tells what a crash leaves.

import { RefError } from '../errors.ts';
import { checkRefName } from '../refs/ref-name.ts';
import type { RenameOptions } from '../refs/ref-store.ts';
import { logTail } from '../refs/transaction/log-tail.ts';
import { nameConflict } from '../refs/transaction/name-conflicts.ts';
import { NameOrder } from '../refs/transaction/name-order.ts';
import { UpdateBatch } from '../refs/transaction/update-batch.ts';
import { systemReason } from '../storage/io-error.ts';
import type { FilesHost } from './files-host.ts';
import { entryOf } from './files-transaction.ts';
import { withFolders } from './folders.ts';
import { RefEdit } from './ref-edit.ts';

/** Where the log is between the two names: beside them, so that a rename is enough; no ref has a name like that. */
const PASSING_LOG = 'refs/.tmp-renamed-log';

export interface FileRenaming extends RenameOptions {
  oldName: string;
  newName: string;
  /** Whether the old ref stays. */
  copies: boolean;
  /** Deletes a ref in a transaction of its own, symrefs not followed. */
  deleteRef(name: string, oldOid: string | undefined, message: string | undefined): Promise<void>;
}

/** See `renameRef` and `copyRef` of `ReflogEditor`. */
export async function renameFile(host: FilesHost, renaming: FileRenaming): Promise<void> {
  const { oldName, newName, copies, deleteRef, message } = renaming;
  if (checkRefName(newName, { allowOneLevel: true }) !== undefined) {
    const refusal = `refusing to update ref with bad name '${newName}'`;
    throw new RefError('BAD_NAME', refusal, { ref: newName });
  }
  const { view } = host;
  const hasLog = checkLog(host, oldName);
  const oid = checkOld(host, oldName, copies);
  checkAvailable(host, newName, oldName);
  if (oldName === newName) return;
  if (hasLog) await passLogFrom(host, oldName, copies);
  let hasMoved = false;
  try {
    if (!copies) {
      await telling(`unable to delete old ${oldName}`, deleteRef(oldName, oid, message));
      if (view.ref(newName) !== undefined) {
        const refusal = `unable to delete existing ${newName}`;
        await telling(refusal, deleteRef(newName, undefined, undefined));
      }
    }
    if (hasLog) passLogTo(host, newName);
    hasMoved = hasLog;
    await begin(host, renaming, oid);
  } catch (error) {
    await undo(host, renaming, { oid, hasLog, hasMoved });
    throw error;
  }
}

/** Whether the ref has a log that can be moved. */
function checkLog({ view, files }: FilesHost, name: string): boolean {
  const kind = files.kindOf(view.paths.log(name));
  if (kind !== 'link') return kind === 'file';
  throw new RefError('INVALID_ARGUMENT', `reflog for ${name} is a symlink`, { ref: name });
}

function checkOld({ view }: FilesHost, name: string, copies: boolean): string {
  const old = view.ref(name);
  if (old === undefined) {
    throw new RefError('MISSING_REF', `refname ${name} not found`, { ref: name });
  }
  if (old.oid !== undefined) return old.oid;
  const what = copies ? 'copying' : 'renaming';
  const message = `refname ${name} is a symbolic ref, ${what} it is not supported`;
  throw new RefError('INVALID_ARGUMENT', message, { ref: name });
}

/** The old name does not count, not even where the ref stays. */
function checkAvailable({ view }: FilesHost, name: string, old: string): void {
  const firstFrom = (from: string): string | undefined => {
    const first = view.firstFrom(from);
    if (first !== old) return first;
    for (const { name: below } of view.refs(from)) if (below !== old) return below;
    return undefined;
  };
  const others = {
    ref: (at: string) => (at === old ? undefined : view.ref(at)),
    firstFrom,
    hasReflog: () => false,
    log: () => [],
  };
  const nothing = new NameOrder(new UpdateBatch('sha1', 0));
  const conflict = nameConflict(name, nothing, others);
  if (conflict !== undefined) throw conflict;
}

async function passLogFrom(
  { files, view, fsync }: FilesHost,
  name: string,
  copies: boolean,
): Promise<void> {
  const path = view.paths.log(name);
  try {
    if (!copies) files.rename(path, view.paths.log(PASSING_LOG));
    else {
      const log = files.open(path);
      try {
        await files.write(view.paths.log(PASSING_LOG), log.read(0, log.size), fsync);
      } finally {
        log.close();
      }
    }
  } catch (cause) {
    const what = `unable to ${copies ? 'copy' : 'move'} logfile`;
    const message = `${what} logs/${name} to logs/${PASSING_LOG}: ${systemReason(cause)}`;
    throw new RefError('IO', message, { ref: name, file: path, cause });
  }
}

function passLogTo({ files, view, share }: FilesHost, name: string): void {
  const from = view.paths.log(PASSING_LOG);
  const path = view.paths.log(name);
  try {
    withFolders(files, path, share, () => files.rename(from, path));
  } catch (cause) {
    const message =
      (cause as NodeJS.ErrnoException).code === 'EISDIR'
        ? `directory not empty: ${view.paths.shown(path)}`
        : `unable to move logfile ${view.paths.shown(from)} to ${view.paths.shown(path)}: ${systemReason(cause)}`;
    throw new RefError('IO', message, { ref: name, file: path, cause });
  }
}

/** Writes the ref of the new name, whose log tells of that, and `HEAD`'s where it names it. */
async function begin(host: FilesHost, renaming: FileRenaming, oid: string): Promise<void> {
  const { oldName, newName, copies, message = '', committer = host.committer() } = renaming;
  const { view, policy } = host;
  const entry = {
    ...entryOf(logTail(committer, message, Number.POSITIVE_INFINITY)),
    oldOid: oid,
    newOid: oid,
  };
  const refusal = `unable to ${copies ? 'copy' : 'rename'} '${oldName}' to '${newName}'`;
  await RefEdit.under(
    host,
    newName,
    async (edit) => {
      await edit.fill(oid);
      const isHeads = view.ref('HEAD')?.target === newName && view.ref(newName) !== undefined;
      for (const name of isHeads ? [newName, 'HEAD'] : [newName]) {
        if (policy(name, () => view.hasReflog(name))) edit.logs.append(name, entry);
      }
      edit.commit();
    },
    refusal,
  );
}

/** Puts the old ref and its log back, as far as that goes. */
async function undo(
  host: FilesHost,
  { oldName, newName, copies }: FileRenaming,
  { oid, hasLog, hasMoved }: { oid: string; hasLog: boolean; hasMoved: boolean },
): Promise<void> {
  const { files, view } = host;
  if (!copies) {
    await RefEdit.under(host, oldName, async (edit) => {
      await edit.fill(oid);
      edit.commit();
    });
  }
  if (!hasLog) return;
  const from = view.paths.log(hasMoved ? newName : PASSING_LOG);
  const path = view.paths.log(oldName);
  if (copies && !hasMoved) files.unlink(from);
  else withFolders(files, path, host.share, () => files.rename(from, path));
}

async function telling(refusal: string, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof RefError)) throw error;
    throw new RefError(error.code, `${error.message}\n${refusal}`, { cause: error });
  }
}
