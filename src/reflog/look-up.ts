// What a reflog says its ref was: so many changes ago, or at a time.

import { dateFormat, zonedTime } from './date-format.ts';

/** What matters of an entry here. */
interface Entry {
  readonly oldOid: string;
  readonly newOid: string;
  readonly committer: { readonly time: number; readonly timezone: number };
}

/** So many changes back, or a time, in seconds since the epoch. */
export type LogPlace = { back: number; time?: undefined } | { time: number; back?: undefined };

export interface PastValue {
  /** All zeros where there was none. */
  readonly oid: string;
  /** Whether the log goes back so far; if not, `oid` is what was before its oldest entry, as far as that tells. */
  readonly isCovered: boolean;
  /** How many entries the log has, where it is not covered. */
  readonly count: number;
  /** When the oldest entry was made, where it is not covered and has one. */
  readonly oldest: Entry['committer'] | undefined;
  /** What is odd about the log, in Git's words. */
  readonly warning: string | undefined;
}

/** `entries` are those of the log `name`, newest first; `current` is what the ref is. */
export function lookUpPast(
  name: string,
  entries: Iterable<Entry>,
  { back, time = 0 }: LogPlace,
  current: string,
): PastValue {
  const zero = '0'.repeat(current.length);
  let left = back ?? -1;
  let count = 0;
  let newer: Entry | undefined;
  for (const entry of entries) {
    count++;
    if (entry.committer.time <= time || left === 0) {
      const found = valueAfter(entry, newer, { name, time, current, zero });
      return { ...found, isCovered: true, count, oldest: undefined };
    }
    left--;
    newer = entry;
  }
  const oldest = newer?.committer;
  const notCovered = { isCovered: false, count, oldest, warning: undefined };
  if (newer === undefined) return { ...notCovered, oid: current };
  // A time before its creation gives what was created.
  const isCreation = time > 0 && newer.oldOid === zero;
  return { ...notCovered, oid: isCreation ? newer.newOid : newer.oldOid };
}

/** The value that an entry gave the ref; `newer` is the one after it. */
function valueAfter(
  { newOid, committer }: Entry,
  newer: Entry | undefined,
  context: { name: string; time: number; current: string; zero: string },
): { oid: string; warning: string | undefined } {
  const { name, time, current, zero } = context;
  const date = () => dateFormat('rfc')(zonedTime(committer));
  if (newer !== undefined && newer.oldOid !== zero) {
    const hasGap = newer.oldOid !== newOid;
    return {
      oid: newOid,
      warning: hasGap ? `log for ref ${name} has gap after ${date()}` : undefined,
    };
  }
  if (committer.time === time) return { oid: newOid, warning: undefined };
  const isOdd = newOid !== current;
  const warning = isOdd ? `log for ref ${name} unexpectedly ended on ${date()}` : undefined;
  return { oid: current, warning };
}
