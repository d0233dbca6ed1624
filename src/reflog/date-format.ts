// How dates are shown: Git's formats, such as `iso`, `relative` and `format:%Y`, and their `-local` forms.

import { RefError } from '../errors.ts';
import { timezoneToHhmm } from './date.ts';
import { type CivilTime, strftime } from './strftime.ts';

/** A moment and the offset that it was written down with: +0530 is 530. */
export interface ZonedTime {
  /** Seconds since the epoch. */
  seconds: number;
  hhmm: number;
}

export type DateFormat = (time: ZonedTime) => string;

type DateType = (time: ZonedTime, civil: CivilTime, local: boolean) => string;

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const TYPES: readonly (readonly [prefix: string, type: DateType])[] = [
  ['relative', ({ seconds }) => relativeDate(seconds)],
  ['iso8601-strict', isoStrict],
  ['iso-strict', isoStrict],
  ['iso8601', iso],
  ['iso', iso],
  ['rfc2822', rfc],
  ['rfc', rfc],
  ['short', (_, civil) => dateOf(civil)],
  ['default', normal],
  ['human', human],
  ['raw', ({ seconds, hhmm }) => `${seconds} ${offsetText(hhmm)}`],
  ['unix', ({ seconds }) => String(seconds)],
];

/**
 * Reads what `--date` is given, or stands behind the colon of a date's field. `auto:` counts where `isTerminal`.
 * Throws `INVALID_ARGUMENT` in Git's words for what is no format.
 */
export function dateFormat(given = 'default', isTerminal = false): DateFormat {
  let text = given;
  if (text.startsWith('auto:')) text = isTerminal ? text.slice('auto:'.length) : 'default';
  if (text === 'local') text = 'default-local';
  const [, rest] = /^format(.*)$/s.exec(text) ?? [];
  if (rest !== undefined) {
    const [, local, pattern] = /^(-local)?:(.*)$/s.exec(rest) ?? [];
    if (pattern === undefined) throw invalid(`date format missing colon separator: ${text}`);
    return (time) =>
      strftime(pattern, civilTime(time, local !== undefined), {
        seconds: time.seconds,
        zone: local === undefined ? '' : localZone(time.seconds),
      });
  }
  const [prefix, type] = TYPES.find(([name]) => text.startsWith(name)) ?? [];
  const local = text.slice(prefix?.length ?? 0);
  if (type === undefined || (local !== '' && local !== '-local')) {
    throw invalid(`unknown date format ${text}`);
  }
  return (time) => {
    const shown = local === '' ? time : { seconds: time.seconds, hhmm: localOffset(time.seconds) };
    return type(shown, civilTime(shown, false), local !== '');
  };
}

/** The moment as it stands in a reflog. */
export function zonedTime({ time, timezone }: { time: number; timezone: number }): ZonedTime {
  return { seconds: time, hhmm: timezoneToHhmm(timezone) };
}

function invalid(message: string): RefError {
  return new RefError('INVALID_ARGUMENT', message);
}

/** The process's own time zone at that moment. */
function localOffset(seconds: number): number {
  const minutes = -new Date(1000 * seconds).getTimezoneOffset();
  const whole = Math.trunc(minutes / 60);
  return 100 * whole + (minutes - 60 * whole);
}

/** The name of the process's own time zone at that moment. */
function localZone(seconds: number): string {
  const format = new Intl.DateTimeFormat('en-US', { timeZoneName: 'short' });
  const parts = format.formatToParts(1000 * seconds);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

function civilTime({ seconds, hhmm }: ZonedTime, local: boolean): CivilTime {
  const offset = local ? localOffset(seconds) : hhmm;
  const minutes = 60 * Math.trunc(offset / 100) + (offset % 100);
  let date = new Date(1000 * (seconds + 60 * minutes));
  if (Number.isNaN(date.getTime())) date = new Date(0);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    hhmm: offset,
  };
}

function dateOf({ year, month, day }: CivilTime): string {
  return `${pad(year, 4)}-${pad(month + 1)}-${pad(day)}`;
}

function timeOf({ hour, minute, second }: CivilTime): string {
  return `${pad(hour)}:${pad(minute)}:${pad(second)}`;
}

function pad(number: number, width = 2): string {
  return String(number).padStart(width, '0');
}

/** `+0530`. */
function offsetText(hhmm: number): string {
  return `${hhmm < 0 ? '-' : '+'}${pad(Math.abs(hhmm), 4)}`;
}

function normal({ hhmm }: ZonedTime, civil: CivilTime, local: boolean): string {
  const { year, month, day, weekday } = civil;
  const zone = local ? '' : ` ${offsetText(hhmm)}`;
  return `${DAYS[weekday]} ${MONTHS[month]} ${day} ${timeOf(civil)} ${year}${zone}`;
}

function iso({ hhmm }: ZonedTime, civil: CivilTime): string {
  return `${dateOf(civil)} ${timeOf(civil)} ${offsetText(hhmm)}`;
}

function isoStrict({ hhmm }: ZonedTime, civil: CivilTime): string {
  const zone = hhmm === 0 ? 'Z' : offsetText(hhmm).replace(/(..)$/, ':$1');
  return `${dateOf(civil)}T${timeOf(civil)}${zone}`;
}

function rfc({ hhmm }: ZonedTime, civil: CivilTime): string {
  const { year, month, day, weekday } = civil;
  const date = `${DAYS[weekday]}, ${day} ${MONTHS[month]} ${year}`;
  return `${date} ${timeOf(civil)} ${offsetText(hhmm)}`;
}

/** Seconds since the epoch; a test may fix it, for Git too. */
function now(): number {
  return Number(process.env.GIT_TEST_DATE_NOW ?? Math.floor(Date.now() / 1000));
}

function relativeDate(seconds: number): string {
  let left = now() - seconds;
  if (left < 0) return 'in the future';
  if (left < 90) return ago(left, 'second');
  left = Math.floor((left + 30) / 60);
  if (left < 90) return ago(left, 'minute');
  left = Math.floor((left + 30) / 60);
  if (left < 36) return ago(left, 'hour');
  const days = Math.floor((left + 12) / 24);
  if (days < 14) return ago(days, 'day');
  if (days < 70) return ago(Math.floor((days + 3) / 7), 'week');
  if (days < 365) return ago(Math.floor((days + 15) / 30), 'month');
  if (days >= 1825) return ago(Math.floor((days + 183) / 365), 'year');
  const allMonths = Math.floor((days * 12 * 2 + 365) / (365 * 2));
  const years = Math.floor(allMonths / 12);
  const months = allMonths % 12;
  if (months === 0) return ago(years, 'year');
  return `${years} year${years === 1 ? '' : 's'}, ${ago(months, 'month')}`;
}

function ago(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
}

/** As little as tells the date from today. */
function human({ seconds, hhmm }: ZonedTime, civil: CivilTime, local: boolean): string {
  const today = civilTime({ seconds: now(), hhmm: 0 }, true);
  const { year, month, day, weekday, hour, minute } = civil;
  if (year !== today.year) return `${MONTHS[month]} ${day} ${year}`;
  const daysAgo = month === today.month ? today.day - day : Number.NaN;
  if (daysAgo === 0) return relativeDate(seconds);
  const time = `${pad(hour)}:${pad(minute)}`;
  if (!(daysAgo > 0 && daysAgo < 5)) return `${DAYS[weekday]} ${MONTHS[month]} ${day} ${time}`;
  const zone = local || hhmm === today.hhmm ? '' : ` ${offsetText(hhmm)}`;
  return `${DAYS[weekday]} ${time}${zone}`;
}
