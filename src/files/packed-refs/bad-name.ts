// Names that `check-ref-format` refuses. Git lists such a ref as broken, unless the name leads out of `refs/`: to Git,
// that is no ref at all.

import { RefError } from '../../errors.ts';
import { decodeText } from '../../format/text.ts';
import { checkRefName, isSafeRefName } from '../../refs/ref-name.ts';

/** Whether the name `bytes[start, end)` is bad. Throws `CORRUPT_REF`, in Git's words, where it is none. */
export function isBadName(path: string, bytes: Uint8Array, start: number, end: number): boolean {
  const nul = bytes.subarray(start, end).indexOf(0);
  if (nul >= 0) throw noName(path, 'contains embedded NULL', decodeText(bytes, start, start + nul));
  const name = decodeText(bytes, start, end);
  if (checkRefName(name, { allowOneLevel: true }) === undefined) return false;
  if (!isSafeRefName(name)) throw noName(path, 'is dangerous', name);
  return true;
}

function noName(path: string, why: string, name: string): RefError {
  return new RefError('CORRUPT_REF', `packed refname ${why}: ${name}`, { file: path });
}
