// A log record as a table holds it, and as callers see it.

import { zeroOid } from '../../format/object-format.ts';
import type { LogEntry } from '../../format/records.ts';
import { timezoneFromHhmm } from '../../reflog/date.ts';
import type { ReflogEntry } from '../ref-store.ts';

/** An entry from nothing to nothing only says that the reflog exists. */
export function isExistenceMarker({ oldOid, newOid }: LogEntry): boolean {
  return oldOid === newOid && oldOid === zeroOid(oldOid.length === 40 ? 'sha1' : 'sha256');
}

export function reflogEntry(entry: LogEntry, updateIndex: number): ReflogEntry {
  const { oldOid, newOid, committerName: name, email, time, message } = entry;
  const timezone = timezoneFromHhmm(entry.timezone);
  return {
    oldOid,
    newOid,
    committer: { name, email, time, timezone },
    message: message.endsWith('\n') ? message.slice(0, -1) : message,
    updateIndex,
  };
}
