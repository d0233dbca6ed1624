// What `update-ref --batch-updates` prints of the updates that it left out.

import type { RejectedUpdate } from '../../refs/ref-store.ts';
import { tellCause } from '../failure.ts';
import { stdout, writeError } from '../output.ts';

/** What C prints for a text that is not there. */
const ABSENT = '(null)';

/** `zero` is the object id of all zeros: what Git prints for a target too. */
export function printRejected(rejected: readonly RejectedUpdate[], zero: string): void {
  for (const { ref, reason, message, cause, newOid, newTarget, oldOid, oldTarget } of rejected) {
    tellCause(cause);
    writeError(`error: ${message}\n`);
    const isNew = newOid ?? (newTarget === undefined ? ABSENT : zero);
    const isOld = oldOid ?? (oldTarget === undefined ? ABSENT : zero);
    stdout.write(`rejected ${ref} ${isNew} ${isOld} ${reason}\n`);
  }
}
