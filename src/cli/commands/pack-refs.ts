// `reftable pack-refs`: merges the tables of a repository, and removes what dead writers left.

import { RefError } from '../../errors.ts';
import { parseArguments } from '../arguments.ts';
import { fail, UsageError } from '../failure.ts';
import { openRepository } from '../repository.ts';

export const help = `usage: reftable pack-refs [--all] [--no-prune] [--auto] [--include <pattern>] [--exclude <pattern>]

    --auto                merge only tables that are out of proportion
    --all, --no-prune, --include, --exclude
                          for refs that are files; a stack of tables is packed as a whole

In a linked worktree only the refs that it has for itself are packed.
`;

/** What Git's exit code is when others write or compact for too long. */
const LOCKED_EXIT_CODE = 255;

export async function run(args: readonly string[]): Promise<number> {
  const { options, operands } = parseArguments(args, {
    all: {},
    prune: {},
    auto: {},
    include: { takes: 'text' },
    exclude: { takes: 'text' },
  });
  if (operands.length > 0) throw new UsageError();
  const store = openRepository();
  try {
    await store.optimize({ auto: options.auto === true });
  } catch (error) {
    if (!(error instanceof RefError) || error.code !== 'LOCKED') throw error;
    fail(`unable to compact stack: ${error.message}`, LOCKED_EXIT_CODE);
  }
  return 0;
}
