// What is wrong with a pack or its index.

import { RefError } from '../../errors.ts';

/** `CORRUPT_OBJECT`: `file: at byte N: expected …, found …`. */
export function damage(file: string, at: number, expected: string, found?: unknown): RefError {
  const isError = found instanceof Error;
  const but = found === undefined ? '' : `, found ${isError ? found.message : found}`;
  const message = `${file}: at byte ${at}: expected ${expected}${but}`;
  return new RefError('CORRUPT_OBJECT', message, { file, cause: isError ? found : undefined });
}
