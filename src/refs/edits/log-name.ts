// Which names a reflog may have that is written to by itself.

import { RefError } from '../../errors.ts';
import { checkRefName, isPseudoref, isSafeRefName } from '../ref-name.ts';

/** Throws `BAD_NAME`, in Git's words. `ends`: a bad name may lose its reflog, as long as it is safe. */
export function checkLogName(name: string, ends: boolean): void {
  if (isPseudoref(name)) {
    const message = `refusing to update reflog for pseudoref '${name}'`;
    throw new RefError('BAD_NAME', message, { ref: name });
  }
  const isGood = ends
    ? isSafeRefName(name)
    : checkRefName(name, { allowOneLevel: true }) === undefined;
  if (isGood) return;
  const message = `refusing to update reflog with bad name '${name}'`;
  throw new RefError('BAD_NAME', message, { ref: name });
}
