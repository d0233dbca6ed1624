// Whether an entry tells of what its ref does not lead to any more.

import { zeroOid } from '../../format/object-format.ts';
import type { ReflogEntry, RefStore } from '../../refs/ref-store.ts';
import { warn } from '../output.ts';
import type { ExpiryLimits } from './expiry-limits.ts';

const HEAD_OF_A_WORKTREE = /^(?:main-worktree\/|worktrees\/[^/]+\/)?HEAD$/;

type EntryTest = (entry: ReflogEntry, tip: string | undefined) => boolean | Promise<boolean>;

/**
 * A test for the entries of one log. `HEAD` leads to all that the refs lead to, any other ref to what its own commit
 * does; a symref leads to nothing. Where the objects would have to tell, the entry counts as reachable, with a
 * warning.
 */
export function unreachableTest(
  store: RefStore,
  name: string,
  { total, unreachable }: ExpiryLimits,
): EntryTest {
  // Whoever keeps nothing longer for being reachable need not ask.
  if (unreachable <= total) return () => true;
  const zero = zeroOid(store.objectFormat);
  let hasWarned = false;
  return ({ oldOid, newOid }, tip) => {
    const isHead = HEAD_OF_A_WORKTREE.test(name);
    if (!isHead && tip === undefined) return true;
    const isTip = (oid: string) => (isHead ? !store.refsPointingAt(oid).next().done : oid === tip);
    if ([oldOid, newOid].every((oid) => oid === zero || isTip(oid))) return false;
    if (!hasWarned) {
      warn(`'${name}': without objects, entries are kept that may tell of unreachable ones`);
      hasWarned = true;
    }
    return false;
  };
}
