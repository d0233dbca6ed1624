// `reftable reflog expire`: removes entries that are old.

import { parseExpiryDate } from '../../reflog/approximate-date.ts';
import { parseArguments } from '../arguments.ts';
import { die } from '../failure.ts';
import { findRepository, openRepository } from '../repository.ts';
import { allLogs } from './all-logs.ts';
import { type ExpiryLimits, expiryLimits } from './expiry-limits.ts';
import { findLog, forEachLog } from './logs.ts';
import { unreachableTest } from './unreachable.ts';
import { tellOf } from './verdicts.ts';

export const help = `usage: reftable reflog expire [--expire=<time>] [--expire-unreachable=<time>]
                              [--rewrite] [--updateref]
                              [--dry-run | -n] [--verbose] [--all [--single-worktree] | <refs>...]

    -n, --dry-run         do not actually prune any entries
    --rewrite             rewrite the old SHA1 with the new SHA1 of the entry that now precedes it
    --updateref           update the reference to the value of the top reflog entry
    --verbose             print extra information on screen
    --expire <timestamp>  prune entries older than the specified time
    --expire-unreachable <timestamp>
                          prune entries older than <time> that are not reachable from the current tip of the branch
    --all                 process the reflogs of all references
    --single-worktree     limits processing to reflogs from the current worktree only

--stale-fix is refused: it reads every tree that there is.
`;

export async function run(args: readonly string[]): Promise<number> {
  const now = Math.floor(Date.now() / 1000);
  const { options, operands } = parseArguments(args, {
    'dry-run': { short: 'n' },
    rewrite: {},
    updateref: {},
    verbose: {},
    expire: { takes: 'text', cannotBeNegated: true },
    'expire-unreachable': { takes: 'text', cannotBeNegated: true },
    'stale-fix': {},
    all: {},
    'single-worktree': {},
  });
  const given: Partial<ExpiryLimits> = {};
  if (options.expire !== undefined) given.total = timestamp('expire', options.expire, now);
  if (options['expire-unreachable'] !== undefined) {
    given.unreachable = timestamp('expire-unreachable', options['expire-unreachable'], now);
  }
  if (options['stale-fix'] === true) die("'--stale-fix' needs every object there is: use git");
  const store = openRepository();
  const limitsOf = expiryLimits(findRepository().config, given, now);
  const dryRun = options['dry-run'] === true;

  const expire = async (name: string, tell: ReturnType<typeof tellOf> | undefined) => {
    const limits = limitsOf(name);
    const isUnreachable = unreachableTest(store, name, limits);
    await store.expireReflog(name, {
      shouldExpire: async (entry, tip) => {
        const { time } = entry.committer;
        const goes =
          time < limits.total || (time < limits.unreachable && (await isUnreachable(entry, tip)));
        tell?.(entry, goes);
        return goes;
      },
      rewrite: options.rewrite === true,
      updateRef: options.updateref === true,
      dryRun,
    });
  };

  const verbose = options.verbose === true;
  let exitCode = 0;
  if (options.all === true) {
    const tell = verbose ? tellOf(dryRun) : undefined;
    const names = allLogs(store, options['single-worktree'] === true);
    exitCode |= await forEachLog(names, (name) => expire(name, tell));
  }
  // As in Git, a dry run does not show in what is told of refs that are named.
  const tell = verbose ? tellOf(false) : undefined;
  exitCode |= await forEachLog(operands, (operand) =>
    expire(findLog(store, operand, `reflog could not be found: '${operand}'`), tell),
  );
  return exitCode;
}

function timestamp(option: string, text: string, now: number): number {
  const time = parseExpiryDate(text, now);
  return time ?? die(`invalid timestamp '${text}' given to '--${option}'`);
}
