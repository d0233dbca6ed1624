// Numbers in dates that stand together: `22:13:05`, `2005-04-07`, `7.4.2005`, `4/7/05`.

import { type DateFields, secondsInUtc, UNKNOWN, utcFields } from './date-fields.ts';

/** A date without its year is not taken for one that is further ahead, s. */
const NOT_AHEAD = 10 * 24 * 3600;

const GROUP = /(\d+)([:./-])(\d+)(?:\2(\d+))?/y;

/**
 * Reads numbers with colons, dots, slashes or dashes between them, and gives where they end; `undefined` if what
 * stands at `at` is no time and no date. `now` is in seconds since the epoch.
 */
export function readNumbers(
  text: string,
  at: number,
  fields: DateFields,
  now: number,
): number | undefined {
  GROUP.lastIndex = at;
  const match = GROUP.exec(text);
  if (match === null) return undefined;
  const [whole, first, separator, second, third] = match;
  const numbers = [Number(first), Number(second), third === undefined ? UNKNOWN : Number(third)];
  const end = at + whole.length;
  if (separator !== ':') {
    return isDateIn(numbers as Three, separator === '.', fields, now) ? end : undefined;
  }
  if (!setTime(fields, numbers[0]!, numbers[1]!, Math.max(numbers[2]!, 0))) return undefined;
  const { year, month, day } = fields;
  const hasDate = year !== UNKNOWN && month !== UNKNOWN && day !== UNKNOWN;
  return hasDate ? fractionEnd(text, end) : end;
}

/** Where the digits behind a point at `at` end; `at` if there are none. */
export function fractionEnd(text: string, at: number): number {
  const fraction = /\.\d+/y;
  fraction.lastIndex = at;
  return at + (fraction.exec(text)?.[0].length ?? 0);
}

/** Sets the time, if it is one: Git lets the 24th hour and a leap second pass. */
export function setTime(fields: DateFields, hour: number, minute: number, second: number): boolean {
  if (hour > 24 || minute > 59 || second > 60) return false;
  Object.assign(fields, { hour, minute, second });
  return true;
}

type Three = [number, number, number];

/** Tries what three numbers may mean, the likeliest first. */
function isDateIn([a, b, c]: Three, isDotted: boolean, fields: DateFields, now: number): boolean {
  if (a > 70 && (setDate(fields, a, b, c) || setDate(fields, a, c, b))) return true;
  const monthFirst = () => setPastDate(fields, { year: c, month: a, day: b }, now);
  const dayFirst = () => setPastDate(fields, { year: c, month: b, day: a }, now);
  // With dots it is written as in Europe.
  return isDotted ? dayFirst() || monthFirst() : monthFirst() || dayFirst();
}

/**
 * Sets the date, if it is one; the month counts from 1. As in Git, a month and a day that go with no year are
 * remembered all the same.
 */
export function setDate(fields: DateFields, year: number, month: number, day: number): boolean {
  if (!isDayOfMonth(month, day)) return false;
  fields.month = month - 1;
  fields.day = day;
  const sinceThen = yearFrom1900(year);
  if (sinceThen === undefined) return false;
  fields.year = sinceThen;
  return true;
}

/** Sets the date, if it is one and not far ahead of now. It may have no year. */
function setPastDate(
  fields: DateFields,
  { year, month, day }: { year: number; month: number; day: number },
  now: number,
): boolean {
  if (!isDayOfMonth(month, day)) return false;
  const from1900 = year === UNKNOWN ? utcFields(now).year : yearFrom1900(year);
  if (from1900 === undefined) return false;
  const seconds = secondsInUtc({ ...fields, year: from1900, month: month - 1, day });
  if (seconds !== undefined && seconds > now + NOT_AHEAD) return false;
  fields.month = month - 1;
  fields.day = day;
  if (year !== UNKNOWN) fields.year = from1900;
  return true;
}

function isDayOfMonth(month: number, day: number): boolean {
  return month > 0 && month < 13 && day > 0 && day < 32;
}

/** Of a year in four digits or two. */
function yearFrom1900(year: number): number | undefined {
  if (year === UNKNOWN) return undefined;
  if (year >= 1970 && year < 2100) return year - 1900;
  if (year > 70 && year < 100) return year;
  return year < 38 ? year + 100 : undefined;
}
