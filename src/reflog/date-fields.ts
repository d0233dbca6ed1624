// A date while it is read: which of its parts are known so far, and the clocks that turn them into seconds.

/** Stands for a part that is not known. A number, because Git calculates with it, and some dates depend on that. */
export const UNKNOWN = -1;

/** Counted as C's `tm` counts. */
export interface DateFields {
  /** Years since 1900. */
  year: number;
  /** 0 to 11. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

/** What a local clock shows. */
export interface LocalFields extends DateFields {
  /** 0, Sunday, to 6. */
  weekday: number;
  isDst: boolean;
}

export function noFields(): DateFields {
  const [date, time] = [UNKNOWN, UNKNOWN];
  return { year: date, month: date, day: date, hour: time, minute: time, second: time };
}

/**
 * Seconds since the epoch, if the fields are what a clock in UTC shows; `undefined` where a part but the day is
 * missing, or the year is not one of 1970 to 2099, where Git's calendar begins and ends.
 */
export function secondsInUtc(fields: DateFields): number | undefined {
  const { year, month, day, hour, minute, second } = fields;
  // Not the other way round: beyond JavaScript's calendar, the year is no number.
  if (!(year >= 70 && year <= 199 && month >= 0 && month <= 11)) return undefined;
  if (hour < 0 || minute < 0 || second < 0) return undefined;
  return Date.UTC(year + 1900, month, day, hour, minute, second) / 1000;
}

/** What a clock in UTC shows so many seconds after the epoch. */
export function utcFields(seconds: number): DateFields {
  const date = new Date(seconds * 1000);
  return {
    year: date.getUTCFullYear() - 1900,
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
  };
}

/** What the local clock shows so many seconds after the epoch. */
export function localFields(seconds: number): LocalFields {
  const date = new Date(seconds * 1000);
  return {
    year: date.getFullYear() - 1900,
    month: date.getMonth(),
    day: date.getDate(),
    hour: date.getHours(),
    minute: date.getMinutes(),
    second: date.getSeconds(),
    weekday: date.getDay(),
    isDst: date.getTimezoneOffset() !== westOfUtc(date.getFullYear(), false),
  };
}

/**
 * Seconds since the epoch, if the fields are what the local clock shows. Where they say whether that is in daylight
 * saving time, it is taken to be, whatever the season, as `mktime` does.
 */
export function secondsInLocalTime(fields: DateFields & { isDst?: boolean }): number {
  const { year, month, day, hour, minute, second, isDst } = fields;
  const date = new Date(year + 1900, month, day, hour, minute, second);
  // A year below 100 would be one of the last century.
  date.setFullYear(year + 1900, month, day);
  date.setHours(hour, minute, second);
  const seconds = Math.floor(date.getTime() / 1000);
  if (isDst === undefined || isDst === localFields(seconds).isDst) return seconds;
  return seconds + (westOfUtc(date.getFullYear(), isDst) - date.getTimezoneOffset()) * 60;
}

/** Minutes that the local clock is behind UTC in a year, in its daylight saving time or out of it. */
function westOfUtc(year: number, inDst: boolean): number {
  const seasons = [0, 6].map((month) => new Date(year, month, 1).getTimezoneOffset());
  return inDst ? Math.min(...seasons) : Math.max(...seasons);
}
