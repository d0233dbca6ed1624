// Revisions (gitrevisions(7)) as far as refs and their logs tell what they are: object ids, names, `main@{2}`,
// `main@{yesterday}`, `@{-1}`, `@{upstream}`.

import { isOid, zeroOid } from '../format/object-format.ts';
import { parseApproximateDate } from '../reflog/approximate-date.ts';
import { dateFormat, zonedTime } from '../reflog/date-format.ts';
import { type LogPlace, lookUpPast } from '../reflog/look-up.ts';
import type { RefReader, RefStore } from '../refs/ref-store.ts';
import { die } from './failure.ts';
import { warn } from './output.ts';
import { findLogs, findRefs, shortenRefName } from './ref-names.ts';
import { findRepository } from './repository.ts';
import { upstreamOf } from './upstream.ts';

/** A larger number is one of seconds since the epoch. */
const MOST_ENTRIES_BACK = 99_999_999;

const PREVIOUS = /^@\{-(\d+)\}/;

const UPSTREAM = /^(.*)@\{u(?:pstream)?\}$/is;

const PUSH = /^(.*)@\{push\}$/is;

/**
 * The object id, in lower-case hex, that a text names; `undefined` if it names none. What Git looks up among objects
 * (`v1^`, `abc1234`) is not known here. Warns and ends the command where Git does.
 */
export function resolveOid(store: RefStore, text: string): string | undefined {
  if (isOid(text, store.objectFormat)) return text.toLowerCase();
  const selector = logSelector(text);
  if (selector === 'misplaced') return undefined;
  if (selector !== undefined) return resolvePast(store, selector);
  const name = expandName(store, text);
  if (name === undefined) return undefined;
  if (isOid(name, store.objectFormat)) return name.toLowerCase();
  return findRefs(store, name)[0]?.resolved.oid;
}

/** A name with what stands in braces behind it. */
interface LogSelector {
  /** Empty for the current branch. */
  name: string;
  place: string;
}

/** Takes `name@{place}` apart; `undefined` if it is none. `@{-1}` stands only where the name begins. */
function logSelector(text: string): LogSelector | 'misplaced' | undefined {
  if (!text.endsWith('}')) return undefined;
  for (let at = text.length - 4; at >= 0; at--) {
    if (!text.startsWith('@{', at)) continue;
    if (text[at + 2] === '-') {
      if (at !== 0) return 'misplaced';
      continue;
    }
    const mark = text.slice(at);
    if (UPSTREAM.test(mark) || PUSH.test(mark)) return undefined;
    return { name: text.slice(0, at), place: text.slice(at + 2, -1) };
  }
  return undefined;
}

function resolvePast(store: RefStore, { name, place }: LogSelector): string | undefined {
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

/**
 * What a name with `@{-1}`, `@{upstream}` or `@` stands for; the name itself where it has none of these, `undefined`
 * where there have not been so many branches.
 */
export function expandName(refs: RefReader, text: string): string | undefined {
  const previous = PREVIOUS.exec(text);
  if (previous !== null) {
    const branch = previousBranch(refs, Number(previous[1]));
    return branch && expandName(refs, branch + text.slice(previous[0].length));
  }
  if (text === '@') return 'HEAD';
  const upstream = UPSTREAM.exec(text);
  if (upstream !== null) {
    const name = upstreamOf(refs, findRepository().config, upstream[1] || undefined);
    return shortenRefName(refs, name);
  }
  if (PUSH.test(text)) die(`'${text}': where a branch is pushed to is not known here`);
  return text;
}

/**
 * The local branch that `@{-1}` or `main@{upstream}` stands for, `main`; the text itself where it has none of these,
 * where there have not been so many branches, or where the upstream is none of this repository's.
 */
export function expandBranch(refs: RefReader, text: string): string {
  const previous = PREVIOUS.exec(text);
  if (previous !== null) {
    const branch = previousBranch(refs, Number(previous[1]));
    return branch === undefined
      ? text
      : expandBranch(refs, branch + text.slice(previous[0].length));
  }
  const upstream = UPSTREAM.exec(text);
  if (upstream === null) return text;
  const name = upstreamOf(refs, findRepository().config, upstream[1] || undefined);
  return name.startsWith('refs/heads/') ? shortenRefName(refs, name) : text;
}

/** The branch, or the object id, that was checked out so many checkouts ago. */
function previousBranch(refs: RefReader, count: number): string | undefined {
  let left = count;
  if (left === 0) return undefined;
  for (const { message } of refs.reflog('HEAD')) {
    const from = /^checkout: moving from (.*?) to /s.exec(message)?.[1];
    if (from !== undefined && --left === 0) return from;
  }
  return undefined;
}
