// What a transaction was planned to write, record by record: for a transaction of a group, whose table has
// records of others too. One that goes alone is written as columns instead (see `write-plan.ts`).

import { zeroOid } from '../../format/object-format.ts';
import type { LogTail } from '../../format/record-encoder.ts';
import type { LogRecord, RefRecord } from '../../format/records.ts';
import type { Plan } from './plan.ts';
import { DELETES, SETS_TARGET } from './update-flags.ts';

/** Each list has a name once, in byte order. */
export interface PlannedRecords {
  refs: RefRecord[];
  /** Reflogs that go with their refs, with a tombstone for each entry. */
  endedLogs: { name: string; tombstones: LogRecord[] }[];
  entries: LogRecord[];
}

/** `log` is what all log entries have in common. Throws what the plan's view throws. */
export function planRecords(plan: Plan, updateIndex: number, log: LogTail): PlannedRecords {
  const records: PlannedRecords = { refs: [], endedLogs: [], entries: [] };
  for (const entry of plan.entries) {
    const name = plan.batch.name(entry);
    if (plan.writesRef(entry)) records.refs.push({ name, updateIndex, ...newValue(plan, entry) });
    if (plan.deletesLog(entry)) {
      const tombstones = Array.from(plan.logIndexes(entry), (index) => ({
        name,
        updateIndex: index,
      }));
      records.endedLogs.push({ name, tombstones });
    } else if (plan.isLogged(entry)) {
      const newOid = loggedOid(plan, entry);
      if (newOid === undefined) continue;
      const oldOid = plan.oldOid(entry) ?? zeroOid(plan.batch.objectFormat);
      records.entries.push({ name, updateIndex, entry: { ...log, oldOid, newOid } });
    }
  }
  return records;
}

/**
 * What a block holds beside names and texts, at most, bytes: headers, restart points, lengths, numbers and two
 * object ids.
 */
const ROOM_FOR_THE_REST = 192;

/**
 * Whether each record is so small that it fits wherever it comes in a table of this block size, bytes, and
 * that an index of any such records shrinks from level to level.
 */
export function fitAnywhere({ refs, entries }: PlannedRecords, blockSize: number): boolean {
  return refs.every(fits) && entries.every(fits);

  function fits({ name, target, entry }: Partial<RefRecord & LogRecord> & { name: string }) {
    const { committerName = '', email = '', message = '' } = entry ?? {};
    const value = (target?.length ?? 0) + committerName.length + email.length + message.length;
    // Two keys to a block of an index. A UTF-16 unit is at most three bytes.
    const units = name.length + Math.max(name.length, value);
    return 3 * units + ROOM_FOR_THE_REST <= blockSize;
  }
}

function newValue(
  { batch }: Plan,
  entry: number,
): { oid?: string; peeled?: string | undefined; target?: string | undefined } {
  if (batch.has(entry, DELETES)) return {};
  if (batch.has(entry, SETS_TARGET)) return { target: batch.targets.get(entry)!.newTarget };
  return { oid: batch.newOid(entry), peeled: batch.peeled.get(entry) };
}

/** `undefined` if there is none to log: a symref is set to nothing. */
function loggedOid(plan: Plan, entry: number): string | undefined {
  return plan.batch.has(entry, SETS_TARGET)
    ? plan.oidBehindTarget(entry)
    : plan.batch.newOid(entry);
}
