// Dates as Git prints them.

import { formatTimezone } from './date.ts';
import { type DateFields, localFields, secondsInUtc, utcFields } from './date-fields.ts';

/** A moment and the clock that shows it. */
interface Moment {
  /** Seconds since the epoch. */
  readonly time: number;
  /** Minutes east of UTC. */
  readonly timezone: number;
}

/** How a date is printed: Git's `--date`, less `-local`. */
export type DateStyle =
  | 'default'
  | 'iso'
  | 'iso-strict'
  | 'raw'
  | 'relative'
  | 'rfc'
  | 'short'
  | 'unix';

export interface DateFormat {
  readonly style: DateStyle;
  /** Show it by the local clock, and not by that of who made it. */
  readonly isLocal: boolean;
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

const WEEKDAYS = 'Sun Mon Tue Wed Thu Fri Sat'.split(' ');

/** By all the names that `--date` takes, longer ones first. */
const STYLES: readonly (readonly [name: string, style: DateStyle])[] = [
  ['relative', 'relative'],
  ['iso8601-strict', 'iso-strict'],
  ['iso-strict', 'iso-strict'],
  ['iso8601', 'iso'],
  ['iso', 'iso'],
  ['rfc2822', 'rfc'],
  ['rfc', 'rfc'],
  ['short', 'short'],
  ['default', 'default'],
  ['raw', 'raw'],
  ['unix', 'unix'],
];

/** Reads what `--date` is given; `undefined` for what is not known. */
export function parseDateFormat(text: string): DateFormat | undefined {
  const given = text === 'local' ? 'default-local' : text;
  const [name, style] = STYLES.find(([each]) => given.startsWith(each)) ?? [];
  if (name === undefined || style === undefined) return undefined;
  const rest = given.slice(name.length);
  return rest === '' || rest === '-local' ? { style, isLocal: rest !== '' } : undefined;
}

/** `now` is in seconds since the epoch. */
export function formatDate(moment: Moment, { style, isLocal }: DateFormat, now: number): string {
  const { time } = moment;
  if (style === 'unix') return String(time);
  if (style === 'relative') return formatAge(now - time);
  const timezone = isLocal ? localTimezone(time) : moment.timezone;
  const zone = formatTimezone(timezone);
  if (style === 'raw') return `${time} ${zone}`;
  const fields = utcFields(time + timezone * 60);
  const { year, month, day, hour, minute, second } = fields;
  const full = year + 1900;
  const date = `${String(full).padStart(4, '0')}-${two(month + 1)}-${two(day)}`;
  const clock = [hour, minute, second].map(two).join(':');
  const monthName = MONTHS[month];
  switch (style) {
    case 'short':
      return date;
    case 'iso':
      return `${date} ${clock} ${zone}`;
    case 'iso-strict':
      return `${date}T${clock}${timezone === 0 ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3)}`}`;
    case 'rfc':
      return `${weekday(fields)}, ${day} ${monthName} ${full} ${clock} ${zone}`;
    case 'default': {
      const plain = `${weekday(fields)} ${monthName} ${day} ${clock} ${full}`;
      return isLocal ? plain : `${plain} ${zone}`;
    }
  }
}

export function formatRfc2822Date(moment: Moment): string {
  return formatDate(moment, { style: 'rfc', isLocal: false }, 0);
}

/** How long ago something was, s. */
function formatAge(seconds: number): string {
  if (seconds < 0) return 'in the future';
  if (seconds < 90) return ago(seconds, 'second');
  const minutes = Math.floor((seconds + 30) / 60);
  if (minutes < 90) return ago(minutes, 'minute');
  const hours = Math.floor((minutes + 30) / 60);
  if (hours < 36) return ago(hours, 'hour');
  const days = Math.floor((hours + 12) / 24);
  if (days < 14) return ago(days, 'day');
  if (days < 70) return ago(Math.floor((days + 3) / 7), 'week');
  if (days < 365) return ago(Math.floor((days + 15) / 30), 'month');
  if (days >= 1825) return ago(Math.floor((days + 183) / 365), 'year');
  const months = Math.floor((days * 24 + 365) / 730);
  const years = Math.floor(months / 12);
  if (months % 12 === 0) return ago(years, 'year');
  return `${count(years, 'year')}, ${ago(months % 12, 'month')}`;
}

function ago(number: number, unit: string): string {
  return `${count(number, unit)} ago`;
}

function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`;
}

function weekday(fields: DateFields): string | undefined {
  const { year, month, day } = fields;
  return WEEKDAYS[new Date(Date.UTC(year + 1900, month, day)).getUTCDay()];
}

/** Minutes east of UTC of the local clock at a time. */
function localTimezone(time: number): number {
  return ((secondsInUtc(localFields(time)) ?? time) - time) / 60;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
