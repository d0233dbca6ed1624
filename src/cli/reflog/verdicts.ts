// What `--verbose` tells of each entry of a log.

import type { ReflogEntry } from '../../refs/ref-store.ts';
import { stdout } from '../output.ts';

/** Prints whether entries go, or would. */
export function tellOf(isDryRun: boolean): (entry: ReflogEntry, goes: boolean) => void {
  const going = isDryRun ? 'would prune' : 'prune';
  return ({ message }, goes) => stdout.write(`${goes ? going : 'keep'} ${message}\n`);
}
