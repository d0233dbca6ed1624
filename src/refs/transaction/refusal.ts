// Why one update of a transaction cannot be made. Where updates may fail one by one, it is left out for that, and
// told of; else the whole transaction fails with it.

import { RefError, type RefErrorCode } from '../../errors.ts';
import { zeroOid } from '../../format/object-format.ts';
import type { RejectedUpdate, RejectionReason } from '../ref-store.ts';
import type { UpdateBatch } from './update-batch.ts';
import { CREATES, EXPECTS_NONE, EXPECTS_OID, SETS_TARGET, WRITES } from './update-flags.ts';

const CODES = {
  'invalid new value provided': 'INVALID_NEW_VALUE',
  'refname conflict': 'NAME_CONFLICT',
  'reference already exists': 'EXPECTED_OLD_VALUE',
  'reference does not exist': 'EXPECTED_OLD_VALUE',
  'incorrect old value provided': 'EXPECTED_OLD_VALUE',
  'expected symref but found regular ref': 'EXPECTED_OLD_VALUE',
} as const satisfies Record<RejectionReason, string>;

/** `NAME_CONFLICT`, `EXPECTED_OLD_VALUE`, `INVALID_NEW_VALUE` or, for files, `LOCKED`, about a single ref. */
export class Refusal extends RefError {
  readonly reason: RejectionReason;

  /** `code` is another than the reason's where the reason is the nearest that Git has. */
  constructor(
    reason: RejectionReason,
    message: string,
    ref: string,
    { code = CODES[reason], cause }: { code?: RefErrorCode | undefined; cause?: unknown } = {},
  ) {
    super(code, message, { ref, cause });
    this.reason = reason;
  }
}

/** What to tell the caller of an entry that was left out. */
export function rejectedUpdate(
  batch: UpdateBatch,
  entry: number,
  { reason, message, cause }: Refusal,
): RejectedUpdate {
  const setsOid = batch.has(entry, WRITES) && !batch.has(entry, SETS_TARGET);
  const targets = batch.targets.get(entry);
  const isEarlyCreation = reason === 'invalid new value provided' && batch.has(entry, CREATES);
  return {
    ref: batch.name(entry),
    reason,
    message,
    cause,
    newOid: setsOid ? batch.newOid(entry) : undefined,
    newTarget: targets?.newTarget,
    // A creation whose object is refused is one that Git has not noted yet to expect nothing.
    oldOid: isEarlyCreation ? undefined : expectedOid(batch, entry),
    oldTarget: targets?.oldTarget,
  };
}

function expectedOid(batch: UpdateBatch, entry: number): string | undefined {
  // The column of old object ids holds none for a ref that is to be created.
  if (batch.has(entry, EXPECTS_NONE)) return zeroOid(batch.objectFormat);
  return batch.has(entry, EXPECTS_OID) ? batch.oldOid(entry) : undefined;
}
