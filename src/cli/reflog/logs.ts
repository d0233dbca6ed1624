// The logs that a subcommand is called for, one after the other, and what becomes of those that it fails for.

import { RefError } from '../../errors.ts';
import type { RefReader } from '../../refs/ref-store.ts';
import { Failure, fail } from '../failure.ts';
import { writeError } from '../output.ts';
import { findLogs } from '../ref-names.ts';
import { expandName } from '../revisions/branch-shorthand.ts';

/** Git's `error` gives -1, which ends a process so. */
const ERROR_EXIT_CODE = 255;

/** The full name of the log that is meant. Throws `Failure` with this message if there is none. */
export function findLog(refs: RefReader, given: string, message: string): string {
  const name = expandName(refs, given) ?? given;
  return findLogs(refs, name)[0]?.name ?? fail(message, ERROR_EXIT_CODE);
}

/** Does it for each; what goes wrong with one is told, and does not keep the others from being done. */
export async function forEachLog(
  names: readonly string[],
  work: (name: string) => Promise<void>,
): Promise<number> {
  let exitCode = 0;
  for (const name of names) {
    try {
      await work(name);
    } catch (error) {
      const isExpected =
        error instanceof RefError || (error instanceof Failure && error.kind === 'error');
      if (!isExpected) throw error;
      writeError(`error: ${error.message}\n`);
      exitCode = ERROR_EXIT_CODE;
    }
  }
  return exitCode;
}
