// `reftable refs`: low-level access to refs, a subcommand for each kind.

import { parseSubcommand } from '../arguments.ts';
import type { Command } from '../commands.ts';
import { HelpRequest, UsageError } from '../failure.ts';

export const help = `usage: reftable refs migrate --ref-format=<format> [<options>]
   or: reftable refs verify [--strict] [--verbose]
   or: reftable refs list [<options>] [<pattern>...]
   or: reftable refs exists <ref>
   or: reftable refs optimize [<options>]
   or: reftable refs create [<options>] <ref> <new-value>
   or: reftable refs delete [<options>] <ref> [<old-value>]
   or: reftable refs update [<options>] <ref> <new-value> [<old-value>]
   or: reftable refs rename [<options>] <old-ref> <new-ref>

    migrate               move all refs to the other ref storage
    verify                tell what is wrong with refs
    list                  the same as for-each-ref
    exists                tell by the exit code whether a ref is there
    optimize              the same as pack-refs
    create, delete, update, rename
                          change one ref

Each has a help of its own, as in reftable refs verify -h.
`;

const SUBCOMMANDS = {
  migrate: () => import('../refs/migrate.ts'),
  verify: () => import('../refs/verify.ts'),
  list: () => import('../refs/list.ts'),
  exists: () => import('../refs/exists.ts'),
  optimize: () => import('../refs/optimize.ts'),
  create: () => import('../refs/create.ts'),
  delete: () => import('../refs/delete.ts'),
  update: () => import('../refs/update.ts'),
  rename: () => import('../refs/rename.ts'),
} satisfies Record<string, () => Promise<Command>>;

const NAMES = Object.keys(SUBCOMMANDS) as (keyof typeof SUBCOMMANDS)[];

export async function run(args: readonly string[]): Promise<number> {
  const { name, rest } = parseSubcommand(args, NAMES);
  const subcommand: Command = await SUBCOMMANDS[name]();
  try {
    return await subcommand.run(rest);
  } catch (error) {
    if (error instanceof UsageError || error instanceof HelpRequest) error.help = subcommand.help;
    throw error;
  }
}
