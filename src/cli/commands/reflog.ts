// `reftable reflog`: what refs pointed at before. Each subcommand has a file of its own.

import type { Command } from '../commands.ts';
import { HelpRequest, UsageError } from '../failure.ts';

export const help = `usage: reftable reflog [show] [-<n>] [--date=<format>] [<ref>[@{<specifier>}]...]
   or: reftable reflog list
   or: reftable reflog exists <ref>
   or: reftable reflog write <ref> <old-oid> <new-oid> <message>
   or: reftable reflog delete [--rewrite] [--updateref]
                              [--dry-run | -n] [--verbose] <ref>@{<specifier>}...
   or: reftable reflog drop [--all [--single-worktree] | <refs>...]
   or: reftable reflog expire [--expire=<time>] [--expire-unreachable=<time>]
                              [--rewrite] [--updateref]
                              [--dry-run | -n] [--verbose] [--all [--single-worktree] | <refs>...]

    show                  the log of a ref, HEAD by default, newest entry first
    list                  the refs that have a log
    exists                whether a ref has one
    write                 add an entry, whatever the ref is
    delete                remove entries
    drop                  remove logs with all their entries
    expire                remove old entries, by default those of more than 90 days

'reftable reflog <subcommand> -h' tells of the options.
`;

const SUBCOMMANDS = new Map<string, () => Promise<Command>>([
  ['show', () => import('../reflog/show.ts')],
  ['list', () => import('../reflog/list.ts')],
  ['exists', () => import('../reflog/exists.ts')],
  ['write', () => import('../reflog/write.ts')],
  ['delete', () => import('../reflog/delete.ts')],
  ['drop', () => import('../reflog/drop.ts')],
  ['expire', () => import('../reflog/expire.ts')],
]);

export async function run(args: readonly string[]): Promise<number> {
  if (args.length === 1 && args[0] === '-h') throw new HelpRequest();
  const named = SUBCOMMANDS.get(args[0] ?? '');
  const load = named ?? SUBCOMMANDS.get('show')!;
  const subcommand = await load();
  try {
    return await subcommand.run(named === undefined ? args : args.slice(1));
  } catch (error) {
    if (error instanceof UsageError || error instanceof HelpRequest) error.help = subcommand.help;
    throw error;
  }
}
