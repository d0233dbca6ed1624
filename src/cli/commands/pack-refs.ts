// `reftable pack-refs`: merges the tables of a repository, and removes what dead writers left; or packs loose refs.

import { RefError } from '../../errors.ts';
import { ReftableStore } from '../../refs/reftable-store.ts';
import { parseArguments } from '../arguments.ts';
import { fail, UsageError } from '../failure.ts';
import { openRepository } from '../repository.ts';

export const help = `usage: reftable pack-refs [--all] [--no-prune] [--auto] [--include <pattern>] [--exclude <pattern>]

    --auto                merge only tables that are out of proportion, or pack where there are many
                          loose refs

For refs that are files (a stack of tables is packed as a whole):
    --all                 pack all, and not only tags
    --no-prune            leave the files of what was packed
    --include <pattern>, --exclude <pattern>
                          which refs to pack, and which of them not

In a linked worktree only the refs that it has for itself are packed.
`;

/** What Git's exit code is when others write or compact for too long. */
const LOCKED_EXIT_CODE = 255;

export async function run(args: readonly string[]): Promise<number> {
  const { options, operands } = parseArguments(args, {
    all: {},
    prune: {},
    auto: {},
    include: { takes: 'texts' },
    exclude: { takes: 'texts' },
  });
  if (operands.length > 0) throw new UsageError();
  const store = openRepository();
  try {
    const include = options.include ?? ['refs/tags/*'];
    await store.optimize({
      auto: options.auto === true,
      prune: options.prune !== false,
      include: options.all === true ? [...include, '*'] : include,
      exclude: options.exclude,
    });
  } catch (error) {
    const isStack = store instanceof ReftableStore;
    if (!isStack || !(error instanceof RefError) || error.code !== 'LOCKED') throw error;
    fail(`unable to compact stack: ${error.message}`, LOCKED_EXIT_CODE);
  }
  return 0;
}
