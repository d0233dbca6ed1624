// One ref's part of a transaction while it is planned: what an update asks for, checked and in one
// shape, and what is found out about the ref.

import { RefError } from '../errors.ts';
import type { ObjectFormat } from '../format/object-format.ts';
import { isOid, zeroOid } from '../format/object-format.ts';
import type { RefRecord } from '../format/records.ts';
import { checkRefName, isPseudoref, isSafeRefName } from './ref-name.ts';
import type { RefUpdate } from './ref-store.ts';

export interface Step {
  ref: string;
  /** The value to write; all zeros deletes. With `newTarget` undefined too, the step only verifies. */
  newOid: string | undefined;
  newTarget: string | undefined;
  /** The value that must be there; all zeros: none may be. */
  oldOid: string | undefined;
  oldTarget: string | undefined;
  deref: boolean;
  /** Only the reflog is written: the ref itself is changed by another step, or stays. */
  logOnly: boolean;
  /** Came about because `HEAD`, which was updated, names this ref. */
  viaHead: boolean;
  /** The update that the caller asked for, where a symref stands between it and this step. */
  parent: Step | undefined;
  /** The ref as it stands. */
  existing: RefRecord | undefined;
  /** Whether a ref below this name may exist, or be in the transaction: only then is it looked for. */
  crowded: boolean;
  /** The object id that the ref resolves to as it stands; all zeros where it does not. */
  currentOid: string;
}

/** The step that an update asks for. Throws `BAD_NAME`, `INVALID_ARGUMENT`. */
export function stepFor(update: RefUpdate, format: ObjectFormat, zero: string): Step {
  const step: Step = {
    ref: update.ref,
    newOid: undefined,
    newTarget: undefined,
    oldOid: undefined,
    oldTarget: undefined,
    deref: update.deref ?? !update.type.startsWith('symref-'),
    logOnly: false,
    viaHead: false,
    parent: undefined,
    existing: undefined,
    crowded: true,
    currentOid: zero,
  };
  switch (update.type) {
    case 'create':
      step.newOid = oid(update.newOid, format, update.ref, 'newOid');
      step.oldOid = zero;
      if (step.newOid === zero) throw invalid(update.ref, 'newOid: expected an object id', zero);
      break;
    case 'update':
      step.newOid = oid(update.newOid, format, update.ref, 'newOid');
      step.oldOid = optionalOid(update.oldOid, format, update.ref);
      break;
    case 'delete':
      step.newOid = zero;
      step.oldOid = optionalOid(update.oldOid, format, update.ref);
      if (step.oldOid === zero) throw invalid(update.ref, 'oldOid: expected an object id', zero);
      break;
    case 'verify':
      step.oldOid = optionalOid(update.oldOid, format, update.ref) ?? zero;
      break;
    case 'symref-create':
      step.newTarget = target(update.newTarget, update.ref);
      step.oldOid = zero;
      break;
    case 'symref-update':
      step.newTarget = target(update.newTarget, update.ref);
      step.oldTarget = update.oldTarget;
      step.oldOid = optionalOid(update.oldOid, format, update.ref);
      if (step.oldOid !== undefined && step.oldTarget !== undefined) {
        throw invalid(update.ref, 'expected oldOid or oldTarget', 'both');
      }
      break;
    case 'symref-delete':
      step.newOid = zero;
      step.oldTarget = update.oldTarget;
      break;
    case 'symref-verify':
      step.oldTarget = update.oldTarget;
      if (update.oldTarget === undefined) step.oldOid = zero;
      break;
    default:
      throw invalid(
        String((update as RefUpdate).ref),
        'type: expected one of an update',
        `${(update as RefUpdate).type}`,
      );
  }
  if (step.oldTarget !== undefined && step.newTarget === undefined && step.deref) {
    throw invalid(update.ref, 'deref: expected false for an old target', 'true');
  }
  checkName(step, zero);
  return step;
}

/** Whether the step takes the ref away. */
export function deletes(step: Step, zero: string): boolean {
  return step.newTarget === undefined && step.newOid === zero;
}

/** Whether the step writes anything at all. */
export function writes(step: Step): boolean {
  return step.newOid !== undefined || step.newTarget !== undefined;
}

/** The name that the caller gave, for messages. */
export function originalName(step: Step): string {
  let original = step;
  while (original.parent !== undefined) original = original.parent;
  return original.ref;
}

/** A ref that is written needs a good name; one with a bad name may still be deleted or verified. */
function checkName(step: Step, zero: string): void {
  const { ref } = step;
  if (typeof ref !== 'string') throw invalid(String(ref), 'ref: expected a string', typeof ref);
  if (isPseudoref(ref)) {
    throw new RefError('BAD_NAME', `refusing to update pseudoref '${ref}'`, { ref });
  }
  const creates =
    step.newTarget !== undefined || (step.newOid !== undefined && step.newOid !== zero);
  const bad = creates ? checkRefName(ref, ALLOW_ONE_LEVEL) !== undefined : !isSafeRefName(ref);
  if (bad) {
    throw new RefError('BAD_NAME', `refusing to update ref with bad name '${ref}'`, { ref });
  }
}

const ALLOW_ONE_LEVEL = { allowOneLevel: true };

function target(name: string, ref: string): string {
  if (checkRefName(name, ALLOW_ONE_LEVEL) !== undefined) {
    throw new RefError('BAD_NAME', `refusing to set '${ref}' to invalid ref '${name}'`, { ref });
  }
  return name;
}

function optionalOid(
  hex: string | undefined,
  format: ObjectFormat,
  ref: string,
): string | undefined {
  return hex === undefined ? undefined : oid(hex, format, ref, 'oldOid');
}

function oid(hex: string, format: ObjectFormat, ref: string, what: string): string {
  if (typeof hex !== 'string' || !isOid(hex, format)) {
    throw invalid(ref, `${what}: expected ${zeroOid(format).length} hex digits`, `'${hex}'`);
  }
  return hex.toLowerCase();
}

function invalid(ref: string, expected: string, found: string): RefError {
  return new RefError('INVALID_ARGUMENT', `'${ref}': ${expected}, found ${found}`, { ref });
}
