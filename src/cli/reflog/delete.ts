// `reftable reflog delete`: removes single entries.

import { parseApproximateDate } from '../../reflog/approximate-date.ts';
import type { RefStore } from '../../refs/ref-store.ts';
import { parseArguments } from '../arguments.ts';
import { fail } from '../failure.ts';
import { openRepository } from '../repository.ts';
import { findLog, forEachLog } from './logs.ts';
import { tellOf } from './verdicts.ts';

export const help = `usage: reftable reflog delete [--rewrite] [--updateref]
                              [--dry-run | -n] [--verbose] <ref>@{<specifier>}...

    -n, --dry-run         do not actually prune any entries
    --rewrite             rewrite the old SHA1 with the new SHA1 of the entry that now precedes it
    --updateref           update the reference to the value of the top reflog entry
    --verbose             print extra information on screen

Of entries before a date, the newest goes.
`;

export async function run(args: readonly string[]): Promise<number> {
  const { options, operands } = parseArguments(args, {
    'dry-run': { short: 'n' },
    rewrite: {},
    updateref: {},
    verbose: {},
  });
  if (operands.length === 0) fail('no reflog specified to delete', 255);
  const store = openRepository();
  const dryRun = options['dry-run'] === true;
  const tell = options.verbose === true ? tellOf(dryRun) : undefined;
  return forEachLog(operands, async (given) => {
    const start = given.indexOf('@{');
    if (start === -1) fail(`not a reflog: ${given}`, 255);
    const name = findLog(store, given.slice(0, start), `no reflog for '${given}'`);
    let left = placeFromOldest(store, name, given.slice(start + 2));
    await store.expireReflog(name, {
      shouldExpire: (entry) => {
        left--;
        tell?.(entry, left === 0);
        return left === 0;
      },
      rewrite: options.rewrite === true,
      updateRef: options.updateref === true,
      dryRun,
    });
  });
}

/** Which entry is meant, the oldest being the first; none, if the number is not that of one. */
function placeFromOldest(store: RefStore, name: string, specifier: string): number {
  const entries = [...store.reflog(name)];
  const number = /^(?:\s*([+-]?\d+))?\}/.exec(specifier);
  if (number !== null) return entries.length - Number(number[1] ?? 0);
  const now = Math.floor(Date.now() / 1000);
  // Anything is a date to Git, if only now.
  const time = parseApproximateDate(specifier, now) ?? now;
  return entries.filter(({ committer }) => time === 0 || committer.time < time).length;
}
