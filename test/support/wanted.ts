// Tests that want a program which not every machine has: without it they are skipped and a line says so, or fail
// where it is required.

import { describe, it } from 'vitest';

interface Wanted {
  isThere: boolean;
  /** What there would have to be (`Git to compare with`). */
  what: string;
  /** The variable that is 1 where it is required. */
  requiredBy: string;
  /** What to do about it. */
  advice: string;
}

/** `describe`, for tests that want it. */
export function describeWith(
  { isThere, what, requiredBy, advice }: Wanted,
  name: string,
  fn: () => void,
): void {
  if (isThere) {
    describe(name, fn);
  } else if (process.env[requiredBy] === '1') {
    describe(name, () => {
      it(`has ${what}`, () => {
        throw new Error(`${requiredBy} is 1, but there is no ${what}: ${advice}`);
      });
    });
  } else {
    console.warn(`SKIPPED, no ${what}: "${name}". ${advice}`);
    describe.skip(name, fn);
  }
}
