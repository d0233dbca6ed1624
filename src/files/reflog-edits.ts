// What is done to one reflog by itself. It is a file: what has to change but for its end is written anew, in LOG.lock,
// which becomes the log by a rename. The ref's own lock keeps everybody else from it.

import { RefError } from '../errors.ts';
import { isOid, zeroOid } from '../format/object-format.ts';
import { checkLogName } from '../refs/edits/log-name.ts';
import type { ExpireReflogOptions, ReflogEntry, ReflogWriting } from '../refs/ref-store.ts';
import { logTail } from '../refs/transaction/log-tail.ts';
import { expectThat } from '../refs/transaction/transaction-options.ts';
import { ioError } from '../storage/io-error.ts';
import type { FilesHost } from './files-host.ts';
import { entryOf } from './files-transaction.ts';
import { RefEdit } from './ref-edit.ts';
import { rewrittenLine } from './reflog-files.ts';
import { ReflogWriter } from './reflog-writer.ts';
import { Unsynced } from './unsynced.ts';

/**
 * See `ReflogEditor`. Unlike in a table, an entry that tells of an end is one as any other. `locked` is waited for once
 * the ref is locked, before anything is written.
 */
export async function writeReflogEntry(
  host: FilesHost,
  name: string,
  { oldOid, newOid, message = '', committer = host.committer() }: ReflogWriting,
  locked: () => Promise<void>,
): Promise<void> {
  for (const oid of [oldOid, newOid]) {
    expectThat(isOid(oid, host.objectFormat), 'expected an object id', oid);
  }
  checkLogName(name, newOid.toLowerCase() === zeroOid(host.objectFormat));
  const tail = logTail(committer, message, Number.POSITIVE_INFINITY);
  await RefEdit.under(host, name, async ({ logs }) => {
    await locked();
    logs.append(name, {
      ...entryOf(tail),
      oldOid: oldOid.toLowerCase(),
      newOid: newOid.toLowerCase(),
    });
  });
}

/** See `ReflogEditor`. */
export async function createReflog(host: FilesHost, name: string): Promise<void> {
  checkLogName(name, false);
  await changeLog(host, (logs) => logs.create(name));
}

/** See `ReflogEditor`. */
export async function deleteReflog(host: FilesHost, name: string): Promise<void> {
  await changeLog(host, (logs) => logs.remove(name));
}

/** What needs no lock: a log is made or removed by one system call. */
async function changeLog(host: FilesHost, change: (logs: ReflogWriter) => void): Promise<void> {
  const unsynced = new Unsynced();
  change(new ReflogWriter(host, unsynced));
  if (host.fsync) await unsynced.sync(host.files);
}

/** See `ReflogEditor`; `tip` is what a symref leads to, as Git's files have it. */
export async function expireReflog(
  host: FilesHost,
  name: string,
  options: ExpireReflogOptions,
): Promise<void> {
  await RefEdit.under(host, name, async (edit) => {
    const { view, fsync } = host;
    // Whoever deletes a ref removes its log before.
    if (!view.hasReflog(name)) return;
    const path = view.paths.log(name);
    if (options.dryRun !== true) await edit.lockLog(path);
    const { lines, lastOid } = await keptLines(host, name, options);
    if (options.dryRun === true) return;
    await edit.locks.write(path, Buffer.concat(lines), fsync);
    const moves = options.updateRef === true && lastOid !== undefined && isDirect(host, name);
    if (moves) await edit.fill(lastOid);
    try {
      edit.locks.commit(path);
    } catch (error) {
      throw ioError('replace', path, error);
    }
    edit.unsynced.addFolderOf(path);
    if (moves) edit.commit();
  });
}

async function keptLines(
  { view, objectFormat }: FilesHost,
  name: string,
  { shouldExpire, rewrite = false }: ExpireReflogOptions,
): Promise<{ lines: Uint8Array[]; lastOid: string | undefined }> {
  const zero = zeroOid(objectFormat);
  const tip = view.resolvedOid(name);
  const lines: Uint8Array[] = [];
  let lastOid = zero;
  for (const found of view.logs.oldestFirst(view.paths.log(name))) {
    const entry: ReflogEntry = rewrite ? { ...found, oldOid: lastOid } : found;
    if (await shouldExpire(entry, tip)) continue;
    lines.push(rewrittenLine(entry));
    lastOid = entry.newOid;
  }
  return { lines, lastOid: lastOid === zero ? undefined : lastOid };
}

/** Whether the ref may be pointed at an object: it is no symref, and not damaged; it need not be there. */
function isDirect({ view }: FilesHost, name: string): boolean {
  try {
    return view.ref(name)?.target === undefined;
  } catch (error) {
    if (error instanceof RefError && error.code === 'CORRUPT_REF') return false;
    throw error;
  }
}
