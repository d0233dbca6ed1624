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

  it.each([
    ...noDates,
    // Git guesses at these.
    '@18014398509481984 +0000',
    '1700000000 +0560',
    '2005-04-07T22:60:00Z',
    '2005-04-07T25:00:00Z',
    '04/07/2005 22:13:13 +0200',
    'noon on Thu, 07 Apr 2005 22:13:13 +0200',
  ])('refuses %j', (text) => {
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
});
