// Promises that dates in words are read as Git reads them, whatever the time of the day and the zone, and that what
// expires when is read as Git does.

import { afterEach, describe, expect, it } from 'vitest';
import { parseApproximateDate, parseExpiryDate } from '../../src/reflog/approximate-date.ts';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A Monday in winter, 09:26:40 in UTC, and a Thursday in summer, late in the evening. */
const NOWS = [1_700_472_400, 1_753_396_740];

const ZONES = ['UTC', 'Asia/Kathmandu', 'Europe/Berlin', 'America/St_Johns'];

const DATES = [
  ...['now', 'today', 'yesterday', 'noon', 'midnight', 'tea', 'never', 'noon yesterday'],
  ...['tea yesterday', 'yesterday noon', 'today noon', 'noon today', '10am yesterday', '3pm'],
  ...['5 seconds ago', '5.seconds.ago', '10.minutes.ago', '3 hours ago', '1 day ago', '2.days.ago'],
  ...[
    '3.days',
    '1 week ago',
    'two weeks ago',
    'last week',
    'last month',
    'last year',
    'last friday',
  ],
  ...['last friday noon', '1.month.ago', '13 months ago', '2 years ago', '1 year 2 months ago'],
  ...['1 year, 2 months, 3 days ago', 'last tuesday 10:00', 'monday', 'last monday', 'friday 5pm'],
  ...[
    '2 fridays ago',
    '3.weeks.ago noon',
    'Jan 5',
    'January 5th',
    '5 January',
    'Dec 31',
    'Jun 2010',
  ],
  ...['June 6', '6th of June', 'June 6 2009', '2009-06-06', '2009/06/06', '6/6/2009', '06.06.2009'],
  ...['12/31', '31.12.', '31.12', '12.31.99', '2008-02-29', '2008-02-30', '2008-13-01', '1.1.70'],
  ...[
    '10:00',
    '23:59:59',
    '24:00',
    '25:00',
    '10:00 yesterday',
    'yesterday at 10:00',
    '7am',
    '12am',
  ],
  ...['12pm', '0pm', '2008-01-01 12:30', '2008-01-01T12:30:15', '2008-01-01T12:30:15Z', '20080101'],
  ...[
    '20080101T123015',
    '2008-01-01 12:30:15 +0530',
    'Tue, 1 Jan 2008 12:30:15 -0330',
    '1234567890',
  ],
  ...[
    '@1234567890',
    '@1234567890 +0200',
    '12345678901',
    '2 days',
    'two',
    'ten days ago',
    'one',
    'xyz',
  ],
  ...[
    '',
    '...',
    'zero',
    'last',
    '1',
    '31',
    '32',
    '99',
    '07',
    '007',
    '2007',
    '0007',
    '5000',
    '1969',
  ],
  ...[
    '2100',
    'March',
    'mar',
    'ma',
    'marches',
    'Sept 5',
    'sat',
    'sunday',
    'last sundays',
    'AM',
    'pm',
  ],
  ...[
    'never ever',
    'now 5',
    '5 now',
    'noon 5',
    '5 noon',
    'Jan',
    'Feb 30',
    'Feb 31',
    '3 pm 5 days ago',
  ],
  ...['6am june 7, 2009', '2009-06-07 noon', 'yesterday 3pm', '1 month ago yesterday', 'in 3 days'],
  ...[
    '1.1',
    '1:2',
    '1:2:3',
    '1:2.3',
    '1-2-3',
    '2010-4-5-6',
    '2010.4.5',
    '4.5.2010',
    '4-5-10',
    '2.0',
  ],
];

const WORDS = [
  ...[
    'now',
    'today',
    'yesterday',
    'noon',
    'midnight',
    'tea',
    'never',
    'last',
    'one',
    'three',
    'ten',
  ],
  ...['days', 'day', 'weeks', 'month', 'months', 'year', 'hours', 'minute', 'ago', 'friday', 'tue'],
  ...['jan', 'Feb', 'march', 'december', '1', '2', '05', '13', '31', '45', '2005', '1999', '10:30'],
  ...[
    '23:59:59',
    '2012-03-04',
    '5/6',
    '5/6/07',
    '7.8.2009',
    'am',
    'pm',
    'at',
    'of',
    'GMT',
    '+0200',
  ],
];

/** Word after word, the same ones every time. */
function sentences(count: number): string[] {
  let state = 42;
  const next = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + next(4) }, () => WORDS[next(WORDS.length)]!).join(
      [' ', '.', ', '][next(3)],
    ),
  );
}

const zone = process.env.TZ;
afterEach(() => {
  process.env.TZ = zone;
});

describe('parseApproximateDate', () => {
  const now = 1_700_472_400;

  it.each([
    ['yesterday', now - 86400],
    ['2.days.ago', now - 2 * 86400],
    ['last friday noon', 1_700_222_400],
    ['2009-06-06 12:00', 1_244_289_600],
    ['noon', 1_700_395_200],
  ])('reads %j', (text, time) => {
    process.env.TZ = 'UTC';
    expect(parseApproximateDate(text, now)).toBe(time);
  });

  it.each(['', 'xyz', '!?'])('finds no date in %j', (text) => {
    expect(parseApproximateDate(text, now)).toBeUndefined();
  });

  it.each([
    ['never', 0],
    ['false', 0],
    ['all', Infinity],
    ['now', Infinity],
    ['1.day.ago', now - 86400],
    ['nothing', undefined],
  ])('reads %j as when something expires', (text, time) => {
    expect(parseExpiryDate(text, now)).toBe(time);
  });
});

describeWithGit('beside the words that Git reads', () => {
  for (const place of ZONES) {
    it.each(NOWS)(`reads them alike in ${place} at %i`, (now) => {
      const texts = [...DATES, ...sentences(1000)];
      const env = { TZ: place, GIT_TEST_DATE_NOW: String(now) };
      const args = texts.map((text) => `--since=${text}`);
      const cwd = temporaryFolder();
      git.output(['init', '-q'], { cwd });
      const lines = git
        .output(['rev-parse', ...args], { cwd, env })
        .trimEnd()
        .split('\n');
      process.env.TZ = place;
      const ours = texts.map((text) => [text, String(parseApproximateDate(text, now) ?? now)]);
      // Before 1970, Git's numbers wrap around, to what is after all times.
      const theirs = lines.map((line) => {
        const seconds = line.replace('--max-age=', '');
        return Number(seconds) >= 2 ** 63 ? 'Infinity' : seconds;
      });
      expect(ours).toEqual(theirs.map((seconds, i) => [texts[i], seconds]));
    });
  }
});
