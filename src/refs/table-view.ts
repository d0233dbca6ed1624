// The view of a stack's tables that a transaction is planned over.

import type { MergedTable } from '../table/merged-table.ts';
import { NameWalker } from '../table/name-walker.ts';
import type { RefView } from './ref-view.ts';

/**
 * The view of what `current` gives. It is asked before each answer, as Git asks whether its stack is
 * still current: that is free while the lock is held, and the stack counts it.
 */
export function tableView(current: () => MergedTable): RefView {
  let merged: MergedTable | undefined;
  // Made when they are asked for the first time: most transactions do not ask for reflogs.
  let refWalker: NameWalker | undefined;
  let logWalker: NameWalker | undefined;
  const refresh = (): MergedTable => {
    const now = current();
    if (now !== merged) {
      merged = now;
      refWalker = undefined;
      logWalker = undefined;
    }
    return now;
  };
  const refs = (): NameWalker => {
    const table = refresh();
    refWalker ??= NameWalker.refs(table);
    return refWalker;
  };
  const logs = (): NameWalker => {
    const table = refresh();
    logWalker ??= NameWalker.logs(table);
    return logWalker;
  };
  return {
    ref: (name) => refs().ref(name),
    firstFrom: (name) => refs().firstFrom(name),
    hasReflog: (name) => logs().has(name),
    log: (name) => (logs().has(name) ? refresh().log(name) : []),
  };
}
