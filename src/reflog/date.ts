// Dates and time zones of identities: `1700000000 +0530`, and the forms in which scripts write dates.

import { RefError } from '../errors.ts';

/** A moment and the clock it was read from. */
export interface IdentityDate {
  /** Seconds since the epoch. */
  time: number;
  /** Minutes east of UTC. */
  timezone: number;
}

/** 2099-12-31T23:59:59Z: Git's calendar ends there. */
const LAST_CALENDAR_SECOND = 4102444799;

const MONTHS =
  'january february march april may june july august september october november december'.split(
    ' ',
  );

/** The zones that RFC 2822 names, in minutes east of UTC. */
const NAMED_ZONES = new Map([
  ['Z', 0],
  ['UTC', 0],
  ['GMT', 0],
  ['EDT', -240],
  ['EST', -300],
  ['CDT', -300],
  ['CST', -360],
  ['MDT', -360],
  ['MST', -420],
  ['PDT', -420],
  ['PST', -480],
]);

const ZONE = '(?: *(?<zone>[+-]\\d\\d(?::?\\d\\d)?|[A-Z]{1,3}))?';
const TIME = '(?<hour>\\d{1,2}):(?<minute>\\d\\d)(?::(?<second>\\d\\d)(?:\\.\\d+)?)?';
const WEEKDAY = '[a-z]{3,9}';
const MONTH_NAME = '(?<monthName>[a-z]{3,9})';

const OBJECT_HEADER_FORM = /^@(?<seconds>\d+) (?<zone>[+-]\d{4})$/;
const SECONDS_FORM = new RegExp(`^@?(?<seconds>\\d{9,})${ZONE}$`, 'i');
const CALENDAR_FORMS = [
  // ISO 8601: 2005-04-07T22:13:13+02:00, with a space for the T, with dots or slashes in the date
  `(?<year>\\d{4})(?<separator>[-./])(?<month>\\d{1,2})\\k<separator>(?<day>\\d{1,2})[T ]${TIME}`,
  // ISO 8601, compact: 20050407T221313Z
  '(?<year>\\d{4})(?<month>\\d\\d)(?<day>\\d\\d)[T ](?<hour>\\d\\d)(?<minute>\\d\\d)(?<second>\\d\\d)',
  // RFC 2822: Thu, 07 Apr 2005 22:13:13 +0200
  `(?:${WEEKDAY}, *)?(?<day>\\d{1,2}) ${MONTH_NAME} (?<year>\\d{4}) ${TIME}`,
  // Git's own: Thu Apr 7 22:13:13 2005 +0200
  `${WEEKDAY} ${MONTH_NAME} +(?<day>\\d{1,2}) ${TIME} (?<year>\\d{4})`,
].map((form) => new RegExp(`^${form}${ZONE}$`, 'i'));

/**
 * Reads a date in the forms that Git documents for `GIT_COMMITTER_DATE`: `@<seconds> ±hhmm`,
 * `<seconds> ±hhmm` (nine digits or more), ISO 8601 and RFC 2822, and Git's default output. Without a
 * zone it is local time. Git also reads looser forms; these are refused here.
 *
 * Throws `INVALID_ARGUMENT` in Git's words for anything else, and for dates before 1970 or after 2099
 * (`@<seconds>` with a zone is not bounded so).
 */
export function parseIdentityDate(text: string): IdentityDate {
  const date =
    parseObjectHeaderDate(text) ?? parseSeconds(text.trim()) ?? parseCalendar(text.trim());
  if (date === undefined) throw new RefError('INVALID_ARGUMENT', `invalid date format: ${text}`);
  return date;
}

/** The date as `now` shows it on this machine's clock. */
export function localDate(now: Date): IdentityDate {
  return { time: Math.floor(now.getTime() / 1000), timezone: localTimezone(now) };
}

function parseObjectHeaderDate(text: string): IdentityDate | undefined {
  const fields = OBJECT_HEADER_FORM.exec(text)?.groups;
  if (fields === undefined) return undefined;
  const time = Number(fields.seconds);
  return Number.isSafeInteger(time) ? { time, timezone: parseTimezone(fields.zone!) } : undefined;
}

function parseSeconds(text: string): IdentityDate | undefined {
  const fields = SECONDS_FORM.exec(text)?.groups;
  if (fields === undefined) return undefined;
  const time = Number(fields.seconds);
  // Below this, Git takes a number for a date such as 20070606.
  if (time < 100000000 || time > LAST_CALENDAR_SECOND) return undefined;
  if (fields.zone === undefined) return localDate(new Date(time * 1000));
  const timezone = parseZone(fields.zone);
  return timezone === undefined ? undefined : { time, timezone };
}

function parseCalendar(text: string): IdentityDate | undefined {
  for (const form of CALENDAR_FORMS) {
    const fields = form.exec(text)?.groups;
    if (fields !== undefined) return fromCalendar(fields);
  }
  return undefined;
}

function fromCalendar(fields: Record<string, string | undefined>): IdentityDate | undefined {
  const year = Number(fields.year);
  const month = fields.month === undefined ? monthNumber(fields.monthName!) : Number(fields.month);
  const day = Number(fields.day);
  const hour = Number(fields.hour);
  const minute = Number(fields.minute);
  const second = Number(fields.second ?? 0);
  if (year < 1970 || year > 2099 || month < 1 || month > 12 || day < 1 || day > 31)
    return undefined;
  // Git lets the 24th hour and a leap second pass, and a day past the month's end run over.
  if (hour > 24 || minute > 59 || second > 60) return undefined;

  if (fields.zone === undefined) {
    const date = localDate(new Date(year, month - 1, day, hour, minute, second));
    return date.time < 0 ? undefined : date;
  }
  const timezone = parseZone(fields.zone);
  if (timezone === undefined) return undefined;
  const time = Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - timezone * 60;
  return time < 0 || time > LAST_CALENDAR_SECOND ? undefined : { time, timezone };
}

/** 1 to 12, or 0 if it is no month's name or its first three letters or more. */
function monthNumber(name: string): number {
  return MONTHS.findIndex((month) => month.startsWith(name.toLowerCase())) + 1;
}

function parseZone(text: string): number | undefined {
  if (text[0] !== '+' && text[0] !== '-') return NAMED_ZONES.get(text.toUpperCase());
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(3).replace(':', ''));
  if (hours > 23 || minutes > 59) return undefined;
  return (text[0] === '-' ? -1 : 1) * (hours * 60 + minutes);
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
