// Dates in the formats of C's `strftime`, in the language that C speaks without a locale.

/** A moment as a calendar and a clock show it. */
export interface CivilTime {
  year: number;
  /** 0 is January. */
  month: number;
  day: number;
  /** 0 is Sunday. */
  weekday: number;
  hour: number;
  minute: number;
  second: number;
  /** The offset of the time zone: +0530 is 530. */
  hhmm: number;
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September'],
  ...['October', 'November', 'December'],
];

const DAY_MS = 86_400_000;

/** What a moment's calendar and clock do not tell. */
interface Moment {
  /** Since the epoch. */
  seconds: number;
  /** The name of the time zone; empty for one that is known by its offset only. */
  zone: string;
}

type Conversion = (time: CivilTime, moment: Moment) => string;

const COMPOSED: Readonly<Record<string, string>> = {
  c: '%a %b %e %H:%M:%S %Y',
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  h: '%b',
  r: '%I:%M:%S %p',
  R: '%H:%M',
  T: '%H:%M:%S',
  x: '%m/%d/%y',
  X: '%H:%M:%S',
};

const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  a: ({ weekday }) => DAYS[weekday]!.slice(0, 3),
  A: ({ weekday }) => DAYS[weekday]!,
  b: ({ month }) => MONTHS[month]!.slice(0, 3),
  B: ({ month }) => MONTHS[month]!,
  C: ({ year }) => pad(Math.floor(year / 100)),
  d: ({ day }) => pad(day),
  e: ({ day }) => pad(day, 2, ' '),
  g: (time) => pad(isoWeek(time).year % 100),
  G: (time) => String(isoWeek(time).year),
  H: ({ hour }) => pad(hour),
  I: ({ hour }) => pad(hour % 12 || 12),
  j: (time) => pad(dayOfYear(time) + 1, 3),
  k: ({ hour }) => pad(hour, 2, ' '),
  l: ({ hour }) => pad(hour % 12 || 12, 2, ' '),
  m: ({ month }) => pad(month + 1),
  M: ({ minute }) => pad(minute),
  n: () => '\n',
  p: ({ hour }) => (hour < 12 ? 'AM' : 'PM'),
  P: ({ hour }) => (hour < 12 ? 'am' : 'pm'),
  s: (_, { seconds }) => String(seconds),
  S: ({ second }) => pad(second),
  t: () => '\t',
  u: ({ weekday }) => String(weekday || 7),
  U: (time) => pad(Math.floor((dayOfYear(time) + 7 - time.weekday) / 7)),
  V: (time) => pad(isoWeek(time).week),
  w: ({ weekday }) => String(weekday),
  W: (time) => pad(Math.floor((dayOfYear(time) + 7 - ((time.weekday + 6) % 7)) / 7)),
  y: ({ year }) => pad(year % 100),
  Y: ({ year }) => String(year),
  z: ({ hhmm }) => `${hhmm < 0 ? '-' : '+'}${pad(Math.abs(hhmm), 4)}`,
  Z: (_, { zone }) => zone,
  '%': () => '%',
};

/** The time in the format. What is no conversion stands for itself. */
export function strftime(format: string, time: CivilTime, moment: Moment): string {
  return format.replace(/%[EO]?([A-Za-z%])/g, (whole, letter: string) => {
    const composed = COMPOSED[letter];
    if (composed !== undefined) return strftime(composed, time, moment);
    return CONVERSIONS[letter]?.(time, moment) ?? whole;
  });
}

function pad(number: number, width = 2, filler = '0'): string {
  return String(number).padStart(width, filler);
}

/** 0 is the first of January. */
function dayOfYear({ year, month, day }: CivilTime): number {
  return (Date.UTC(year, month, day) - Date.UTC(year, 0, 1)) / DAY_MS;
}

/** The week of ISO 8601 and its year: that of the week's Thursday. */
function isoWeek({ year, month, day, weekday }: CivilTime): { year: number; week: number } {
  const thursday = new Date(Date.UTC(year, month, day + 4 - (weekday || 7)));
  const weekYear = thursday.getUTCFullYear();
  const days = (thursday.getTime() - Date.UTC(weekYear, 0, 1)) / DAY_MS;
  return { year: weekYear, week: Math.floor(days / 7) + 1 };
}
