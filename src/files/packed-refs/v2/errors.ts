// What is wrong with a file of version 2, and where.

import { RefError } from '../../../errors.ts';

/** `CORRUPT_REF`: something else was expected at byte `offset` of the file. */
export function badBytes(path: string, offset: number, expected: string, found: string): RefError {
  const message = `${path}: at byte ${offset}: expected ${expected}, found ${found}`;
  return new RefError('CORRUPT_REF', message, { file: path });
}
