// Which names an update may have, for the ref and for the target of a symref.

import { RefError } from '../../errors.ts';
import { checkRefName, isPseudoref, isSafeRefName } from '../ref-name.ts';

const ALLOW_ONE_LEVEL = { allowOneLevel: true };

/**
 * A ref that is written needs a good name; one with a bad name may still be deleted or verified. A symref outside of
 * `refs/` is in capitals, too, which Git asks of no other ref. Throws `BAD_NAME`, in Git's words.
 */
export function checkUpdatedName(ref: string, isWritten: boolean, isSymref: boolean): void {
  if (isPseudoref(ref)) {
    throw new RefError('BAD_NAME', `refusing to update pseudoref '${ref}'`, { ref });
  }
  const isFine =
    (!isWritten || checkRefName(ref, ALLOW_ONE_LEVEL) === undefined) &&
    ((isWritten && !isSymref) || isSafeRefName(ref));
  if (!isFine) {
    throw new RefError('BAD_NAME', `refusing to update ref with bad name '${ref}'`, { ref });
  }
}

/** The target that `ref` is set to. Throws `BAD_NAME`, in Git's words. */
export function checkedTarget(name: string, ref: string): string {
  if (typeof name !== 'string' || checkRefName(name, ALLOW_ONE_LEVEL) !== undefined) {
    throw new RefError('BAD_NAME', `refusing to set '${ref}' to invalid ref '${name}'`, { ref });
  }
  return name;
}
