// Dates as people say them: `yesterday`, `2.days.ago`, `last friday noon`, `Jan 5`. Anything has a date to Git: what
// a text does not say is as it is now, and words that say nothing are passed over.

import {
  type DateFields,
  type LocalFields,
  localFields,
  secondsInLocalTime,
  UNKNOWN,
} from './date-fields.ts';
import { readNumbers } from './date-numbers.ts';
import { indexOfName, lettersEnd, MONTHS, WEEKDAYS, wordAt } from './date-words.ts';
import { parseExactDate } from './exact-date.ts';

const DAY = 24 * 3600;

/** In seconds. */
const SPANS: readonly (readonly [name: string, length: number])[] = [
  ['seconds', 1],
  ['minutes', 60],
  ['hours', 3600],
  ['days', DAY],
  ['weeks', 7 * DAY],
];

const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** An hour of the day that has passed today, or else of yesterday. */
const HOURS = new Map([
  ['noon', 12],
  ['midnight', 0],
  ['tea', 17],
]);

/** The day before: no day is known, but that. */
const YESTERDAY = -2;

/**
 * Reads a date as Git reads those of its options, in local time; seconds since the epoch. `undefined` if it says
 * nothing of a date at all, `Infinity` for one before 1970, which Git's numbers hold for later than any other. `now`
 * is in seconds since the epoch.
 */
export function parseApproximateDate(text: string, now: number): number | undefined {
  const exact = parseExactDate(text);
  if (exact !== undefined) return exact.time;
  const reading = new ApproximateReading(text, now);
  return reading.read();
}

/**
 * Reads the time before which something expires: `Infinity` for `all` and `now`, 0 for `never` and `false`, else as
 * above.
 */
export function parseExpiryDate(text: string, now: number): number | undefined {
  if (text === 'never' || text === 'false') return 0;
  if (text === 'all' || text === 'now') return Infinity;
  return parseApproximateDate(text, now);
}

class ApproximateReading {
  private readonly text: string;
  private readonly now: number;
  private readonly today: LocalFields;
  private readonly fields: LocalFields;
  /** A number that waits for what it counts; 0 for none. */
  private pending = 0;
  private saysSomething = false;

  constructor(text: string, now: number) {
    this.text = text;
    this.now = now;
    this.today = localFields(now);
    this.fields = { ...this.today, year: UNKNOWN, month: UNKNOWN, day: UNKNOWN };
  }

  read(): number | undefined {
    const { text } = this;
    for (let at = 0; at < text.length; ) {
      if (/\d/.test(text[at]!)) at = this.number(at);
      else if (/[a-z]/i.test(text[at]!)) at = this.word(at);
      else at++;
    }
    this.placePending();
    if (!this.saysSomething) return undefined;
    const time = this.settle(0);
    return time < 0 ? Infinity : time;
  }

  private number(at: number): number {
    this.placePending();
    this.saysSomething = true;
    const groupEnd = readNumbers(this.text, at, this.fields, this.now);
    if (groupEnd !== undefined) return groupEnd;
    const digits = /\d+/y;
    digits.lastIndex = at;
    const written = digits.exec(this.text)![0];
    // Only small numbers are written with a zero before them.
    if (written[0] !== '0' || written.length <= 2) this.pending = Number(written) | 0;
    return at + written.length;
  }

  private word(at: number): number {
    const word = wordAt(this.text, at);
    const month = indexOfName(MONTHS, word);
    if (month >= 0) this.fields.month = month;
    if (month >= 0 || this.special(word) || this.counted(word)) this.saysSomething = true;
    return lettersEnd(this.text, at);
  }

  /** Words that mean something by themselves. */
  private special(word: string): boolean {
    const { fields, today } = this;
    const hour = HOURS.get(word);
    if (hour !== undefined) {
      this.placePending();
      this.setHour(hour);
      return true;
    }
    const count = this.pending;
    switch (word) {
      case 'yesterday':
        fields.day = UNKNOWN;
        this.settle(DAY);
        break;
      case 'pm':
      case 'am':
        if (count !== 0) Object.assign(fields, { hour: count, minute: 0, second: 0 });
        fields.hour = (fields.hour % 12) + (word === 'pm' ? 12 : 0);
        break;
      case 'never':
        Object.assign(fields, localFields(0));
        break;
      case 'now':
        this.settle(0);
        break;
      case 'today':
        if (sameTime(fields, today)) this.setHour(0);
        fields.day = UNKNOWN;
        this.settle(0);
        break;
      default:
        return false;
    }
    this.pending = 0;
    return true;
  }

  /** Numbers in words, and what they count back. */
  private counted(word: string): boolean {
    const { fields } = this;
    const count = this.pending;
    if (count === 0) {
      this.pending = word === 'last' ? 1 : NUMBERS.indexOf(word) + 1;
      return this.pending > 0;
    }
    const span = SPANS.find(([name]) => isPlural(name, word));
    const weekday = span === undefined ? indexOfName(WEEKDAYS, word) : -1;
    if (span !== undefined) {
      this.settle(span[1] * count);
    } else if (weekday >= 0) {
      const days = fields.weekday - weekday;
      this.settle((days + 7 * (days <= 0 ? count : count - 1)) * DAY);
    } else if (isPlural('months', word)) {
      this.settle(0);
      const months = fields.year * 12 + fields.month - count;
      fields.year = Math.floor(months / 12);
      fields.month = months - fields.year * 12;
    } else if (isPlural('years', word)) {
      this.settle(0);
      fields.year -= count;
    } else {
      return false;
    }
    this.pending = 0;
    return true;
  }

  private setHour(hour: number): void {
    const { fields } = this;
    if (fields.day < 0 && fields.hour < hour) fields.day = YESTERDAY;
    Object.assign(fields, { hour, minute: 0, second: 0 });
  }

  /** A number that counts nothing is a day, a month or a year, whichever it can be first. */
  private placePending(): void {
    const { fields, pending } = this;
    this.pending = 0;
    if (pending === 0) return;
    if (fields.day < 0 && pending < 32) fields.day = pending;
    else if (fields.month < 0 && pending < 13) fields.month = pending - 1;
    else if (fields.year < 0) {
      if (pending > 1969 && pending < 2100) fields.year = pending - 1900;
      else if (pending > 69 && pending < 100) fields.year = pending;
      else if (pending < 38) fields.year = 100 + pending;
    }
  }

  /** Takes what is not known from today, goes `back` seconds, and gives the time that this is. */
  private settle(back: number): number {
    const { fields, today } = this;
    // As far as Git's numbers reach.
    let before = back | 0;
    if (fields.day < 0) {
      if (back === 0) before = ((UNKNOWN - fields.day) * DAY) | 0;
      fields.day = today.day;
    }
    if (fields.month < 0) fields.month = today.month;
    if (fields.year < 0) fields.year = today.year - (fields.month > today.month ? 1 : 0);
    const time = secondsInLocalTime(fields) - before;
    Object.assign(fields, localFields(time));
    return time;
  }
}

/** Whether the word is a plural, or its singular. */
function isPlural(plural: string, word: string): boolean {
  return word === plural || word === plural.slice(0, -1);
}

function sameTime(a: DateFields, b: DateFields): boolean {
  return a.hour === b.hour && a.minute === b.minute && a.second === b.second;
}
