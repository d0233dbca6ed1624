// Dates and time zones of identities: `1700000000 +0530`.

import { RefError } from '../errors.ts';
import { type ExactDate, parseExactDate } from './exact-date.ts';

/** A moment and the clock it was read from. */
export type IdentityDate = ExactDate;

/**
 * Reads a date as Git reads `GIT_COMMITTER_DATE`: `@<seconds> ±hhmm`, `<seconds> ±hhmm`, ISO 8601, RFC 2822, Git's
 * default output, and what else has a date and a time. Without a zone it is local time.
 *
 * Throws `INVALID_ARGUMENT` in Git's words for anything else, and for dates before 1970 or after 2099
 * (`@<seconds>` with a zone is not bounded so).
 */
export function parseIdentityDate(text: string): IdentityDate {
  const date = parseExactDate(text);
  if (date === undefined) throw new RefError('INVALID_ARGUMENT', `invalid date format: ${text}`);
  return date;
}

/** The date as `now` shows it on this machine's clock. */
export function localDate(now: Date): IdentityDate {
  return { time: Math.floor(now.getTime() / 1000), timezone: localTimezone(now) };
}

function localTimezone(date: Date): number {
  // Added to zero, because the negative of UTC's 0 would be -0.
  return 0 - date.getTimezoneOffset();
}

/** A time zone as Git prints it: 330 minutes east of UTC is `+0530`. */
export function formatTimezone(minutes: number): string {
  const hhmm = String(Math.abs(timezoneToHhmm(minutes))).padStart(4, '0');
  return `${minutes < 0 ? '-' : '+'}${hhmm}`;
}

/** Reads `+0530` as 330 minutes east of UTC. Throws `INVALID_ARGUMENT` for anything else. */
export function parseTimezone(text: string): number {
  if (!/^[+-]\d{4,5}$/.test(text)) {
    throw new RefError('INVALID_ARGUMENT', `invalid time zone: ${text}`);
  }
  return timezoneFromHhmm(Number(text));
}

/**
 * The number that Git stores in a reftable's log record for a zone: the digits of `+0530`, 530, although
 * the format calls the field minutes.
 */
export function timezoneToHhmm(minutes: number): number {
  const whole = Math.abs(minutes);
  const hhmm = Math.floor(whole / 60) * 100 + (whole % 60);
  return minutes < 0 ? -hhmm : hhmm;
}

/** The inverse of `timezoneToHhmm`: 530 stands for 330 minutes east of UTC. */
export function timezoneFromHhmm(hhmm: number): number {
  const whole = Math.abs(hhmm);
  const minutes = Math.floor(whole / 100) * 60 + (whole % 100);
  return hhmm < 0 ? -minutes : minutes;
}
