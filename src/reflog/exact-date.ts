// Dates that say all: ISO 8601, RFC 2822, seconds since the epoch, and whatever else has a date, a time and perhaps
// a zone, in any order and with anything in between. What Git takes for one, and no more.

import {
  type DateFields,
  noFields,
  secondsInLocalTime,
  secondsInUtc,
  UNKNOWN,
  utcFields,
} from './date-fields.ts';
import { fractionEnd, readNumbers, setDate, setTime } from './date-numbers.ts';
import { indexOfName, lettersEnd, MONTHS, WEEKDAYS, wordAt, zoneOffset } from './date-words.ts';

/** A moment and the clock it was read from. */
export interface ExactDate {
  /** Seconds since the epoch. */
  time: number;
  /** Minutes east of UTC. */
  timezone: number;
}

/** 2099-12-31T23:59:59Z: Git's calendar ends there. */
const LAST_CALENDAR_SECOND = 4102444799;

/** Below this, a number is a date such as 20070606, and not one of seconds. */
const FIRST_SECOND = 100_000_000;

/** What `@<seconds> ±hhmm` says; nothing may follow but another line. */
const OBJECT_HEADER_FORM = /^@(\d+) ([+-])(\d\d)(\d\d)(?:\n|$)/;

/**
 * Reads the first line of a text as a date, without a zone in local time; `undefined` if it has no complete one, or
 * one before 1970 or after 2099, which only `@<seconds> ±hhmm` may be.
 */
export function parseExactDate(text: string): ExactDate | undefined {
  const header = OBJECT_HEADER_FORM.exec(text);
  if (header !== null) {
    const [, seconds, sign, hours, minutes] = header;
    const timezone = Number(hours) * 60 + Number(minutes);
    const time = Number(seconds);
    return Number.isSafeInteger(time)
      ? { time, timezone: sign === '-' ? 0 - timezone : timezone }
      : undefined;
  }
  const line = text.split('\n', 1)[0]!;
  const reading = new DateReading(line);
  reading.read();
  return reading.result();
}

class DateReading {
  private readonly text: string;
  private readonly now = Math.floor(Date.now() / 1000);
  private fields: DateFields = noFields();
  /** Minutes east of UTC. */
  private offset = UNKNOWN;
  /** Whether the fields came from seconds, which have no zone. */
  private isInUtc = false;

  constructor(text: string) {
    this.text = text;
  }

  read(): void {
    const { text } = this;
    for (let at = 0; at < text.length; ) {
      if (/[a-z]/i.test(text[at]!)) at = this.word(at);
      else if (isDigit(text[at])) at = this.number(at);
      else if (/[+-]/.test(text[at]!) && isDigit(text[at + 1])) at = this.zone(at);
      else at++;
    }
  }

  result(): ExactDate | undefined {
    const seconds = secondsInUtc(this.fields);
    if (seconds === undefined || seconds < 0) return undefined;
    let { offset } = this;
    if (offset === UNKNOWN) {
      offset = Math.trunc((seconds - secondsInLocalTime(this.fields)) / 60);
    }
    const time = this.isInUtc ? seconds : seconds - offset * 60;
    if (time < 0 || time > LAST_CALENDAR_SECOND) return undefined;
    return { time, timezone: offset };
  }

  /** Each gives where it has read to. */
  private word(at: number): number {
    const { text, fields } = this;
    const word = wordAt(text, at);
    const end = at + word.length;
    const month = indexOfName(MONTHS, word);
    if (month >= 0) {
      fields.month = month;
      return end;
    }
    if (indexOfName(WEEKDAYS, word) >= 0) return end;
    const zone = zoneOffset(word);
    if (zone !== undefined) {
      // Digits tell better.
      if (this.offset === UNKNOWN) this.offset = zone;
      return end;
    }
    if (word === 'pm' || word === 'am') {
      fields.hour = (fields.hour % 12) + (word === 'pm' ? 12 : 0);
      return end;
    }
    // ISO 8601 has a T before the time, which may end with the hour.
    if (text[at] === 'T' && isDigit(text[at + 1]) && fields.hour === UNKNOWN) {
      Object.assign(fields, { minute: 0, second: 0 });
      return at + 1;
    }
    return lettersEnd(text, at);
  }

  private number(at: number): number {
    const { text } = this;
    const digits = /\d+/y;
    digits.lastIndex = at;
    const written = digits.exec(text)![0];
    const value = Number(written);
    const end = at + written.length;
    const isFirst = Object.values(this.fields).every((field: number) => field < 0);
    if (value >= FIRST_SECOND && isFirst) {
      this.fields = utcFields(value);
      this.isInUtc = true;
      return end;
    }
    const groupEnd = readNumbers(text, at, this.fields, this.now);
    if (groupEnd !== undefined) return groupEnd;
    if (written.length === 8 || written.length === 6) return this.compact(value, written, end);
    this.guess(value, written.length);
    return end;
  }

  /** `YYYYMMDD` or `HHMMSS`. */
  private compact(value: number, { length }: string, end: number): number {
    const parts = [Math.floor(value / 10000), Math.floor(value / 100) % 100, value % 100] as const;
    if (length === 8) {
      setDate(this.fields, ...parts);
      return end;
    }
    return setTime(this.fields, ...parts) ? fractionEnd(this.text, end) : end;
  }

  /** A number by itself: what it means depends on how long it is, and on what is not known yet. */
  private guess(value: number, length: number): void {
    const { fields } = this;
    if (fields.hour === UNKNOWN && fields.minute === 0 && fields.second === 0) {
      if (length === 4 && setTime(fields, Math.floor(value / 100), value % 100, 0)) return;
      if (length === 2 && setTime(fields, value, 0, 0)) return;
      // It was no T before a time.
      Object.assign(fields, { minute: UNKNOWN, second: UNKNOWN });
    }
    if (length === 4) {
      if (value <= 1400 && this.offset === UNKNOWN) {
        this.offset = Math.floor(value / 100) * 60 + (value % 100);
      } else if (value > 1900 && value < 2100) {
        fields.year = value - 1900;
      }
    } else if (length <= 2) {
      this.guessSmall(value, length);
    }
  }

  /** A day before anything else. */
  private guessSmall(value: number, length: number): void {
    const { fields } = this;
    if (value > 0 && value < 32 && fields.day < 0) {
      fields.day = value;
      return;
    }
    if (length === 2 && fields.year < 0) {
      if (value < 10 && fields.day >= 0) {
        fields.year = value + 100;
        return;
      }
      if (value >= 70) {
        fields.year = value;
        return;
      }
    }
    if (value > 0 && value < 13 && fields.month < 0) fields.month = value - 1;
  }

  /** `+0530`, `+05:30` or `+05`; anything else is passed over. */
  private zone(at: number): number {
    const pattern = /([+-])(?:(\d\d)(?::(\d*)|(?!\d))|(\d\d)(\d\d)(?!\d)|\d+)/y;
    pattern.lastIndex = at;
    const [whole, sign, short, colonMinutes = '00', long, minutes] = pattern.exec(this.text)!;
    const end = at + whole.length;
    const hour = Number(short ?? long ?? Number.NaN);
    const minute = long !== undefined ? Number(minutes) : Number(colonMinutes);
    if (long === undefined && colonMinutes.length !== 2) return end;
    if (hour < 24 && minute < 60) {
      const offset = hour * 60 + minute;
      this.offset = sign === '-' ? 0 - offset : offset;
    }
    return end;
  }
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}
