// Whether an entry tells of what its ref does not lead to any more.

import { zeroOid } from '../../format/object-format.ts';
import type { ReflogEntry, RefStore } from '../../refs/ref-store.ts';
import { Failure } from '../failure.ts';
import { History } from '../history.ts';
import { warn } from '../output.ts';
import type { ExpiryLimits } from './expiry-limits.ts';

const HEAD_OF_A_WORKTREE = /^(?:main-worktree\/|worktrees\/[^/]+\/)?HEAD$/;

type EntryTest = (entry: ReflogEntry, tip: string | undefined) => boolean | Promise<boolean>;

/** The commits that a ref leads to; `nothing` where it is not at one, `unknown` where objects cannot be read. */
type Reach = ReadonlySet<string> | 'nothing' | 'unknown';

/**
 * A test for the entries of one log. `HEAD` leads to all that the refs lead to, any other ref to what its own commit
 * does; a symref leads to nothing, and then every entry goes. Where objects cannot be read, entries count as
 * reachable, with a warning.
 */
export function unreachableTest(
  store: RefStore,
  name: string,
  { total, unreachable }: ExpiryLimits,
): EntryTest {
  // Whoever keeps nothing longer for being reachable need not ask.
  if (unreachable <= total) return () => true;
  const zero = zeroOid(store.objectFormat);
  const history = new History(store.objects);
  let reach: Promise<Reach> | undefined;
  return async ({ oldOid, newOid }, tip) => {
    reach ??= reachOf(store, history, name, tip);
    const reached = await reach;
    if (typeof reached === 'string') return reached === 'nothing';
    for (const oid of [oldOid, newOid]) {
      const commit = oid === zero ? undefined : await history.commitOf(oid);
      if (commit !== undefined && !reached.has(commit)) return true;
    }
    return false;
  };
}

async function reachOf(
  store: RefStore,
  history: History,
  name: string,
  tip: string | undefined,
): Promise<Reach> {
  const isHead = HEAD_OF_A_WORKTREE.test(name);
  if (!isHead && tip === undefined) return 'nothing';
  const tips = isHead ? Array.from(store.refs(), ({ oid }) => oid) : [tip];
  const oids = tips.filter((oid) => oid !== undefined);
  try {
    const found = await store.objects?.lookup(oids);
    if (found !== undefined && oids.every((oid) => found.get(oid) !== 'unknown')) {
      const commits = await Promise.all(oids.map((oid) => history.commitOf(oid)));
      const known = commits.filter((commit) => commit !== undefined);
      return !isHead && known.length === 0 ? 'nothing' : await history.ancestors(known);
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
  warn(`'${name}': not all objects can be read: entries are kept that may be unreachable`);
  return 'unknown';
}
