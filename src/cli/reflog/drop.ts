// `reftable reflog drop`: removes logs with all their entries.

import { parseArguments } from '../arguments.ts';
import { Failure } from '../failure.ts';
import { openRepository } from '../repository.ts';
import { allLogs } from './all-logs.ts';
import { findLog, forEachLog } from './logs.ts';

export const help = `usage: reftable reflog drop [--all [--single-worktree] | <refs>...]

    --all                 drop the reflogs of all references
    --single-worktree     drop reflogs from the current worktree only
`;

export async function run(args: readonly string[]): Promise<number> {
  const { options, operands } = parseArguments(args, { all: {}, 'single-worktree': {} });
  if (options.all === true && operands.length > 0) {
    throw new Failure('usage', 'references specified along with --all', 129);
  }
  const store = openRepository();
  if (options.all === true) {
    const names = allLogs(store, options['single-worktree'] === true);
    return forEachLog(names, (name) => store.deleteReflog(name));
  }
  return forEachLog(operands, (given) => {
    const name = findLog(store, given, `reflog could not be found: '${given}'`);
    return store.deleteReflog(name);
  });
}
