// The cleaning of a stack: what is in its place but belongs to it no more, or never did.

import type { Compression } from '../format/compression.ts';
import { Table } from '../table/table.ts';
import type { StackSnapshot } from './stack-snapshot.ts';
import type { TableStore } from './table-store.ts';

/**
 * Removes the tables that no list names and the leftovers of dead writers. The writers' lock must be held, and
 * `snapshot` be the stack as it is; so nobody is about to list one of these tables. Like Git, leaves a table
 * that goes beyond the stack's last update index. Throws `IO`.
 */
export function cleanStack(
  store: TableStore,
  snapshot: StackSnapshot,
  compression: Compression,
): void {
  const listed = new Set(snapshot.names);
  for (const name of store.tables()) {
    if (listed.has(name)) continue;
    const last = lastUpdateIndex(store, name, compression);
    if (last !== undefined && last <= snapshot.lastUpdateIndex) store.remove(name);
  }
  store.removeLeftovers();
}

/** `undefined` for what cannot be read: it may be no table of ours. */
function lastUpdateIndex(
  store: TableStore,
  name: string,
  compression: Compression,
): number | undefined {
  try {
    const table = Table.open(store.open(name), compression);
    table.close();
    return table.maxUpdateIndex;
  } catch {
    return undefined;
  }
}
