// What a transaction is planned over: the refs and reflogs as they stand, read only. Each question is
// cheapest when asked for names in ascending order.

import type { LogRecord, RefRecord } from '../format/records.ts';
import type { MergedTable } from '../table/merged-table.ts';
import { NameWalker } from '../table/name-walker.ts';

export interface RefView {
  /** The ref itself, symrefs not followed. */
  ref(name: string): RefRecord | undefined;
  /** The first ref whose name is at least `name`. */
  firstFrom(name: string): string | undefined;
  hasReflog(name: string): boolean;
  /** The entries of a ref's log, newest first. */
  log(name: string): Iterable<LogRecord>;
}

/**
 * The view of what `current` gives. It is asked before each answer, as Git asks whether its stack is
 * still current: that is free while the lock is held, and the stack counts it.
 */
export function tableView(current: () => MergedTable): RefView {
  let merged: MergedTable | undefined;
  let refs: NameWalker;
  let logs: NameWalker;
  const refresh = (): MergedTable => {
    const now = current();
    if (now !== merged) {
      merged = now;
      refs = NameWalker.refs(now);
      logs = NameWalker.logs(now);
    }
    return now;
  };
  return {
    ref(name) {
      refresh();
      return refs.ref(name);
    },
    firstFrom(name) {
      refresh();
      return refs.firstFrom(name);
    },
    hasReflog(name) {
      refresh();
      return logs.has(name);
    },
    log(name) {
      const table = refresh();
      return logs.has(name) ? table.log(name) : [];
    },
  };
}
