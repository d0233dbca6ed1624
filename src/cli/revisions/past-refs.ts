// What refs were: `main@{2}`, `main@{yesterday}`, `@{1}`.

import { zeroOid } from '../../format/object-format.ts';
import { parseApproximateDate } from '../../reflog/approximate-date.ts';
import { dateFormat, zonedTime } from '../../reflog/date-format.ts';
import { type LogPlace, lookUpPast } from '../../reflog/look-up.ts';
import type { RefStore } from '../../refs/ref-store.ts';
import { die } from '../failure.ts';
import { warn } from '../output.ts';
import { findLogs } from '../ref-names.ts';
import { expandName, isTrackingMark } from './branch-shorthand.ts';

/** A larger number is one of seconds since the epoch. */
const MOST_ENTRIES_BACK = 99_999_999;

/** A name with what stands in braces behind it. */
export interface LogSelector {
  /** Empty for the current branch. */
  name: string;
  place: string;
}

/** Takes `name@{place}` apart; `undefined` if it is none. `@{-1}` stands only where the name begins. */
export function logSelector(text: string): LogSelector | 'misplaced' | undefined {
  if (!text.endsWith('}')) return undefined;
  for (let at = text.length - 4; at >= 0; at--) {
    if (!text.startsWith('@{', at)) continue;
    if (text[at + 2] === '-') {
      if (at !== 0) return 'misplaced';
      continue;
    }
    const mark = text.slice(at);
    if (isTrackingMark(mark)) return undefined;
    return { name: text.slice(0, at), place: text.slice(at + 2, -1) };
  }
  return undefined;
}

export function resolvePast(store: RefStore, { name, place }: LogSelector): string | undefined {
  const log = name === '' ? currentLog(store) : namedLog(store, name);
  const at = parsePlace(place);
  if (log === undefined || at === undefined) return undefined;
  const past = lookUpPast(log.name, store.reflog(log.name), at, log.oid);
  if (past.warning !== undefined) warn(past.warning);
  if (past.isCovered) return past.oid;
  const shown = name || (/^refs\/heads\/(.*)$/s.exec(log.name)?.[1] ?? 'HEAD');
  if (past.oldest === undefined && at.back !== 0) die(`log for ${log.name} is empty`);
  if (at.time) {
    warn(`log for '${shown}' only goes back to ${dateFormat('rfc')(zonedTime(past.oldest!))}`);
  } else if (at.back !== past.count || past.oid === zeroOid(store.objectFormat)) {
    // One more than there are is what was before the oldest.
    die(`log for '${shown}' only has ${past.count} entries`);
  }
  return past.oid;
}

/** How many entries back, or at what time; `undefined` if it says neither. */
function parsePlace(text: string): LogPlace | undefined {
  let number = /^\d*$/.test(text) ? 0 : -1;
  for (let i = 0; i < text.length && number >= 0; i++) {
    // Git counts in 32 bits.
    number = (number * 10 + Number(text[i])) | 0;
  }
  if (number >= 0) return number > MOST_ENTRIES_BACK ? { time: number } : { back: number };
  const time = parseApproximateDate(text, Math.floor(Date.now() / 1000));
  return time === undefined ? undefined : { time };
}

function currentLog(store: RefStore): { name: string; oid: string } | undefined {
  const head = store.resolve('HEAD');
  return head && { name: head.name, oid: head.oid };
}

function namedLog(store: RefStore, text: string): { name: string; oid: string } | undefined {
  const name = expandName(store, text);
  if (name === undefined) return undefined;
  const [log, ...others] = findLogs(store, name);
  if (others.length > 0) warn(`refname '${text}' is ambiguous.`);
  return log && { name: log.name, oid: log.resolved.oid };
}
