// Promises that dates of identities are read as Git reads `GIT_COMMITTER_DATE`, and that zones are told as it does.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  formatTimezone,
  parseIdentityDate,
  parseTimezone,
  timezoneFromHhmm,
  timezoneToHhmm,
} from '../../src/reflog/date.ts';
import { describeWithGit, git } from '../support/git.ts';

const dates = [
  '@0 +0000',
  '@5 -0800',
  '@5 +9959',
  '@1700000000 +0530',
  '@1700000000 +05',
  '@99999999999 +0000',
  '1700000000 +0530',
  '1700000000 -0330',
  '1700000000 +05:30',
  '1700000000',
  '@1700000000',
  '100000000 +0000',
  '4102444799 +0000',
  '2005-04-07T22:13:13Z',
  '2005-04-07T22:13:13+02:00',
  '2005-04-07 22:13:13 -0700',
  '2005-04-07T22:13:13',
  '2005-04-07 22:13',
  '2005-04-07 2:13 +02',
  '2005.04.07 22:13:13 +0200',
  '2005/04/07 22:13:13.789 +0200',
  '20050407T221313Z',
  '20050407T221313 +0200',
  '2004-02-30T24:59:60Z',
  '2099-12-31T23:59:59Z',
  '1970-01-01T00:00:00Z',
  'Thu, 07 Apr 2005 22:13:13 +0200',
  'Thu, 7 Apr 2005 22:13:13 GMT',
  '7 April 2005 22:13 EDT',
  'Thu Apr 7 22:13:13 2005 +0200',
  'Thu Apr  7 22:13:13 2005',
];

/** Git guesses at some of these. */
const guesses = [
  '1700000000 +0560',
  '1700000000 +5',
  '1700000000 +05:3',
  '1700000000 +2400',
  '1700000000 EST',
  '1700000000 EST +0100',
  '1700000000 junk',
  '1700000000 2005',
  '2005-04-07T22:60:00Z',
  '2005-04-07T25:00:00Z',
  '04/07/2005 22:13:13 +0200',
  '13/07/2005 22:13:13 +0200',
  '07.04.2005 22:13:13 +0200',
  '04.13.05 22:13',
  '4-7-05 22:13',
  '04/07 22:13',
  'noon on Thu, 07 Apr 2005 22:13:13 +0200',
  '7 Apr 05 10:00 PM',
  '7 Apr 05 12:00 am cest',
  'Apr 2005 10:00',
  '10:00:00 April 7 71',
  '2005-04-07T10',
  '2005-04-07T1030',
  '20050407T103015.5',
  '2005-04-07 103015 0200',
  '2005-04-07 1030 0200',
  '2005-04-07 10:30 PMs',
  '10:30:15.5 2005-04-07',
  '2005-04-07 10:30:15.5 3',
  '1234-04-07 10:30:15 2005',
  'PM 2005-04-07',
  '@1700000000 +0530\nmore',
  '2005-04-07 10:30\n+0200',
];

/** Parts of dates in any order, the same ones every time. */
function mixtures(count: number): string[] {
  const parts = [
    ...['2005-04-07', '04/07/2005', '7 Apr', '2005', '1999', '05', '71', '10:30', '10:30:15', '22'],
    ...['T22', 'T2213', '+0200', '-03:30', '-05', 'Z', 'EST', 'cest', 'PM', 'Thu,', 'May', '1030'],
    ...['221313', '20050407', '1700000000', '@', '123', '12.5', '-'],
  ];
  let state = 7;
  const next = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
  return Array.from({ length: count }, () =>
    Array.from({ length: 2 + next(4) }, () => parts[next(parts.length)]!).join([' ', ''][next(2)]),
  );
}

const noDates = [
  '',
  ' ',
  'now',
  'yesterday',
  '0 +0000',
  '12345678 +0000',
  '4102444800 +0000',
  '@ +0000',
  '2005-04-07',
  '2005-13-32T00:00:00Z',
  '1969-12-31T23:59:59Z',
  '2100-01-01T00:00:00Z',
  '1970-01-01T00:00:00+0100',
  'Thu, 07 Foo 2005 22:13:13 +0200',
];

describe('parseIdentityDate', () => {
  it.each([
    ['@1700000000 +0530', 1700000000, 330],
    ['@5 -0800', 5, -480],
    ['1700000000 -0330', 1700000000, -210],
    ['2005-04-07T22:13:13+02:00', 1112904793, 120],
    ['Thu, 07 Apr 2005 22:13:13 +0200', 1112904793, 120],
    ['Thu Apr 7 22:13:13 2005 +0200', 1112904793, 120],
  ])('reads %j', (text, time, timezone) => {
    expect(parseIdentityDate(text)).toEqual({ time, timezone });
  });

  it.each([...noDates, '@18014398509481984 +0000'])('refuses %j', (text) => {
    expect(() => parseIdentityDate(text)).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        message: `invalid date format: ${text}`,
      }),
    );
  });
});

describe('time zones', () => {
  it.each([
    [0, '+0000', 0],
    [330, '+0530', 530],
    [-210, '-0330', -330],
    [-30, '-0030', -30],
    [840, '+1400', 1400],
    [6039, '+10039', 10039],
  ])('%i minutes are printed %s and stored as %i', (minutes, text, hhmm) => {
    expect(formatTimezone(minutes)).toBe(text);
    expect(parseTimezone(text)).toBe(minutes);
    expect(timezoneToHhmm(minutes)).toBe(hhmm);
    expect(timezoneFromHhmm(hhmm)).toBe(minutes);
  });

  it.each(['', '0530', '+530', '+05:30', 'Z'])('refuses %j', (text) => {
    expect(() => parseTimezone(text)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    );
  });
});

describeWithGit('beside the dates that Git reads', () => {
  const zone = process.env.TZ;
  beforeAll(() => {
    process.env.TZ = 'Asia/Kathmandu';
  });
  afterAll(() => {
    process.env.TZ = zone;
  });

  function readByGit(date: string) {
    const env = { GIT_COMMITTER_DATE: date, TZ: 'Asia/Kathmandu' };
    return git.run(['var', 'GIT_COMMITTER_IDENT'], { env });
  }

  it.each(dates)('reads %j alike', (date) => {
    const { time, timezone } = parseIdentityDate(date);
    const { stdout } = readByGit(date);
    expect(stdout.slice(stdout.lastIndexOf('>') + 2).trim()).toBe(
      `${time} ${formatTimezone(timezone)}`,
    );
  });

  it.each(noDates.filter((date) => date !== ''))('refuses %j alike', (date) => {
    const { code, stderr } = readByGit(date);
    expect(code).toBe(128);
    expect(() => parseIdentityDate(date)).toThrow(stderr.replace(/^fatal: /, '').slice(0, -1));
  });

  it('reads or refuses parts of dates in any order alike', () => {
    const texts = [...guesses, ...mixtures(300)];
    const ours = texts.map((text) => {
      try {
        const { time, timezone } = parseIdentityDate(text);
        return [text, `${time} ${formatTimezone(timezone)}`];
      } catch (error) {
        return [text, (error as Error).message];
      }
    });
    const theirs = texts.map((text) => {
      const { code, stdout, stderr } = readByGit(text);
      if (code !== 0) return [text, stderr.replace(/^fatal: /, '').slice(0, -1)];
      return [text, stdout.slice(stdout.lastIndexOf('>') + 2).trim()];
    });
    expect(ours).toEqual(theirs);
  }, 30_000);
});
