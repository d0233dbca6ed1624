// What all reflog entries of one transaction have in common, checked and as a table stores it.

import type { LogTail } from '../../format/record-encoder.ts';
import { timezoneToHhmm } from '../../reflog/date.ts';
import { type Identity, withoutCrud } from '../../reflog/identity.ts';
import { normalizeReflogMessage } from '../../reflog/message.ts';
import { expectThat } from './transaction-options.ts';

/** A table holds the zone's printed digits in 16 bits with a sign. */
const LAST_HHMM = 0x7fff;

/**
 * For tables of this block size, bytes. From the committer's name and address goes what Git takes away from
 * those in its environment. Throws `INVALID_ARGUMENT` for what no entry can hold.
 */
export function logTail(committer: Identity, message: string, blockSize: number): LogTail {
  const { name, email, time, timezone } = committer;
  expectThat(typeof name === 'string', 'committer.name: expected a string', name);
  expectThat(typeof email === 'string', 'committer.email: expected a string', email);
  const isTime = Number.isSafeInteger(time) && time >= 0;
  expectThat(isTime, 'committer.time: expected seconds since the epoch', time);
  const hhmm = Number.isInteger(timezone) ? timezoneToHhmm(timezone) : Number.NaN;
  const isZone = Math.abs(hhmm) <= LAST_HHMM;
  expectThat(isZone, 'committer.timezone: expected minutes east of UTC', timezone);
  return {
    committerName: withoutCrud(name),
    email: withoutCrud(email),
    time,
    timezone: hhmm,
    message: `${normalizeReflogMessage(message, blockSize)}\n`,
  };
}
