// What is done to one reflog by itself. A log has no record of its own: it exists while it has entries, so that all
// of them have to be taken back to end it, and an empty one has an entry from nothing to nothing.

import { isOid, type ObjectFormat, zeroOid } from '../../format/object-format.ts';
import type { LogEntry, LogRecord } from '../../format/records.ts';
import { peelTag } from '../../objects/tag-target.ts';
import type { MergedTable } from '../../table/merged-table.ts';
import type { ExpireReflogOptions, ReflogWriting } from '../ref-store.ts';
import { logTail } from '../transaction/log-tail.ts';
import { expectThat } from '../transaction/transaction-options.ts';
import { checkLogName } from './log-name.ts';
import { isExistenceMarker, reflogEntry } from './reflog-entry.ts';
import { type EditHost, type EditRecords, editStore } from './store-edit.ts';

/** See `ReflogEditor`. */
export async function writeReflogEntry(
  host: EditHost,
  name: string,
  { oldOid, newOid, message = '', committer = host.committer() }: ReflogWriting,
): Promise<void> {
  const { objectFormat, blockSize } = host;
  for (const oid of [oldOid, newOid]) {
    expectThat(isOid(oid, objectFormat), 'expected an object id', oid);
  }
  const ends = newOid.toLowerCase() === zeroOid(objectFormat);
  checkLogName(name, ends);
  const tail = logTail(committer, message, blockSize);
  const entry = { ...tail, oldOid: oldOid.toLowerCase(), newOid: newOid.toLowerCase() };
  await editStore(host, (stack, updateIndex) => ({
    logs: ends ? tombstones(stack, name) : [{ name, updateIndex, entry }],
  }));
}

/** See `ReflogEditor`. */
export async function createReflog(host: EditHost, name: string): Promise<void> {
  checkLogName(name, false);
  await editStore(host, (stack, updateIndex) => {
    const exists = !stack.log(name).next().done;
    return exists ? undefined : { logs: [existenceMarker(name, updateIndex, host.objectFormat)] };
  });
}

/** See `ReflogEditor`. */
export async function deleteReflog(host: EditHost, name: string): Promise<void> {
  await editStore(host, (stack) => ({ logs: tombstones(stack, name) }));
}

/** See `ReflogEditor`. */
export async function expireReflog(
  host: EditHost,
  name: string,
  options: ExpireReflogOptions,
): Promise<void> {
  await editStore(host, async (stack, updateIndex, linger) => {
    const records = await planExpiry(stack, updateIndex, { ...host, ...options, name, linger });
    return options.dryRun === true ? undefined : records;
  });
}

async function planExpiry(
  stack: MergedTable,
  updateIndex: number,
  expiry: ExpireReflogOptions &
    Pick<EditHost, 'objectFormat' | 'objects'> & { name: string; linger: () => void },
): Promise<EditRecords> {
  const { name, objectFormat, objects, shouldExpire, rewrite = false, updateRef = false } = expiry;
  const tip = stack.readRef(name)?.oid;
  const entries = [...stack.log(name)].filter(({ entry }) => !isExistenceMarker(entry!));
  const logs: LogRecord[] = [];
  let lastKept: LogEntry | undefined;
  for (const record of entries.reverse()) {
    const entry = record.entry!;
    const verdict = shouldExpire(reflogEntry(entry, record.updateIndex), tip);
    // It may wait for anything, even for a transaction of this store.
    if (verdict instanceof Promise) expiry.linger();
    if (await verdict) {
      logs.push({ name, updateIndex: record.updateIndex });
      continue;
    }
    const oldOid = rewrite && lastKept !== undefined ? lastKept.newOid : entry.oldOid;
    logs.push({ ...record, entry: { ...entry, oldOid } });
    lastKept = entry;
  }
  // What is new stands first: an entry that stays is written again, whether it has changed or not, as Git does.
  if (lastKept === undefined) logs.push(existenceMarker(name, updateIndex, objectFormat));
  logs.reverse();
  const oid = lastKept?.newOid;
  const moves =
    updateRef && tip !== undefined && oid !== undefined && oid !== zeroOid(objectFormat);
  if (!moves) return { logs };
  const peeled = objects && (await peelTag(objects, oid));
  return { refs: [{ name, updateIndex, oid, peeled }], logs };
}

function tombstones(stack: MergedTable, name: string): LogRecord[] {
  return Array.from(stack.log(name), ({ updateIndex }) => ({ name, updateIndex }));
}

function existenceMarker(name: string, updateIndex: number, format: ObjectFormat): LogRecord {
  const [oldOid, newOid] = [zeroOid(format), zeroOid(format)];
  const nobody = { committerName: '', email: '', time: 0, timezone: 0, message: '\n' };
  return { name, updateIndex, entry: { ...nobody, oldOid, newOid } };
}
