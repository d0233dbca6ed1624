// What a caller asks for of one ref, checked: as flags, object ids and targets, which is how a batch keeps it.

import { RefError } from '../../errors.ts';
import { isOid, type ObjectFormat, oidSize, zeroOid } from '../../format/object-format.ts';
import type { RefUpdate } from '../ref-store.ts';
import {
  CREATES,
  DELETES,
  DEREF,
  EXPECTS_NONE,
  EXPECTS_OID,
  EXPECTS_TARGET,
  SETS_TARGET,
  STARTS_NO_LOG,
  WRITES,
} from './update-flags.ts';
import { checkedTarget, checkUpdatedName } from './update-names.ts';

export interface Targets {
  newTarget: string | undefined;
  oldTarget: string | undefined;
}

interface CheckedUpdate {
  ref: string;
  flags: number;
  /** Hex. */
  newOid?: string;
  /** Hex. */
  oldOid?: string;
  /** Of a symref. */
  targets?: Targets;
}

/** Throws `BAD_NAME`, `INVALID_ARGUMENT`. */
export function checkUpdate(update: RefUpdate, objectFormat: ObjectFormat): CheckedUpdate {
  if (typeof update !== 'object' || update === null) {
    throw new RefError('INVALID_ARGUMENT', `expected an update, found ${String(update)}`);
  }
  // Read once: what is checked has to be what is written, whatever a getter says the next time.
  const asked = { ...update };
  const { ref } = asked;
  if (typeof ref !== 'string') throw invalid(String(ref), 'ref: expected a string', typeof ref);
  const isSymref = typeof asked.type === 'string' && asked.type.startsWith('symref-');
  const checked = isSymref ? symrefUpdate(asked, objectFormat) : oidUpdate(asked, objectFormat);
  if (asked.deref ?? !isSymref) checked.flags |= DEREF;
  const has = (flag: number) => (checked.flags & flag) !== 0;
  if (has(EXPECTS_TARGET) && !has(SETS_TARGET) && has(DEREF)) {
    throw invalid(ref, 'deref: expected false for an old target', 'true');
  }
  checkUpdatedName(ref, has(WRITES) && !has(DELETES), has(SETS_TARGET));
  return checked;
}

function oidUpdate(update: RefUpdate, objectFormat: ObjectFormat): CheckedUpdate {
  const { ref } = update;
  const zero = zeroOid(objectFormat);
  switch (update.type) {
    case 'create': {
      const newOid = checkedOid(update.newOid, ref, 'newOid', objectFormat);
      if (newOid === zero) throw invalid(ref, 'newOid: expected an object id', 'zeros');
      return { ref, flags: WRITES | EXPECTS_NONE | CREATES, newOid };
    }
    case 'update': {
      const newOid = checkedOid(update.newOid, ref, 'newOid', objectFormat);
      const writes = newOid === zero ? WRITES | DELETES : WRITES;
      if (update.oldOid === undefined) return { ref, flags: writes, newOid };
      const { flags, oldOid } = expectation(update.oldOid, ref, objectFormat);
      return { ref, flags: writes | flags, newOid, oldOid };
    }
    case 'delete': {
      const writes = WRITES | DELETES | STARTS_NO_LOG;
      if (update.oldOid === undefined) return { ref, flags: writes };
      const { flags, oldOid } = expectation(update.oldOid, ref, objectFormat);
      if (oldOid === zero) throw invalid(ref, 'oldOid: expected an object id', 'zeros');
      return { ref, flags: writes | flags, oldOid };
    }
    case 'verify':
      if (update.oldOid === undefined) return { ref, flags: EXPECTS_NONE };
      return { ref, ...expectation(update.oldOid, ref, objectFormat) };
  }
  throw invalid(ref, 'type: expected one of an update', `'${update.type}'`);
}

function symrefUpdate(update: RefUpdate, objectFormat: ObjectFormat): CheckedUpdate {
  const { ref } = update;
  switch (update.type) {
    case 'symref-create': {
      const targets = { newTarget: checkedTarget(update.newTarget, ref), oldTarget: undefined };
      return { ref, flags: WRITES | SETS_TARGET | EXPECTS_NONE, targets };
    }
    case 'symref-update': {
      const { oldTarget } = update;
      const targets = { newTarget: checkedTarget(update.newTarget, ref), oldTarget };
      const writes = WRITES | SETS_TARGET;
      if (update.oldOid === undefined) {
        return { ref, flags: writes | expectsTarget(oldTarget), targets };
      }
      if (oldTarget !== undefined) throw invalid(ref, 'expected oldOid or oldTarget', 'both');
      const { flags, oldOid } = expectation(update.oldOid, ref, objectFormat);
      return { ref, flags: writes | flags, oldOid, targets };
    }
    case 'symref-delete': {
      const { oldTarget } = update;
      const writes = WRITES | DELETES | STARTS_NO_LOG;
      const targets = { newTarget: undefined, oldTarget };
      return { ref, flags: writes | expectsTarget(oldTarget), targets };
    }
    case 'symref-verify': {
      const { oldTarget } = update;
      const flags = oldTarget === undefined ? EXPECTS_NONE : EXPECTS_TARGET;
      return { ref, flags, targets: { newTarget: undefined, oldTarget } };
    }
  }
  throw invalid(ref, 'type: expected one of an update', `'${update.type}'`);
}

function expectsTarget(oldTarget: string | undefined): number {
  return oldTarget === undefined ? 0 : EXPECTS_TARGET;
}

/** All zeros say that there must be no such ref. */
function expectation(oid: string, ref: string, objectFormat: ObjectFormat) {
  const oldOid = checkedOid(oid, ref, 'oldOid', objectFormat);
  return { flags: oldOid === zeroOid(objectFormat) ? EXPECTS_NONE : EXPECTS_OID, oldOid };
}

function checkedOid(hex: string, ref: string, what: string, objectFormat: ObjectFormat): string {
  if (typeof hex === 'string' && isOid(hex, objectFormat)) return hex;
  throw invalid(ref, `${what}: expected ${2 * oidSize(objectFormat)} hex digits`, `'${hex}'`);
}

function invalid(ref: string, expected: string, found: string): RefError {
  return new RefError('INVALID_ARGUMENT', `'${ref}': ${expected}, found ${found}`, { ref });
}
