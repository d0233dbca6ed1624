// The list of tables, told from the tables themselves: only where they fit together in exactly one way.

import { updateIndexes } from './finding.ts';
import type { TableReading } from './table-examination.ts';

export interface TableInFolder {
  name: string;
  reading: TableReading;
}

/**
 * The names for a new list, or why none can be told: the tables that are there must be sound, and their update
 * indexes run from 1 on without a gap or an overlap, for a gap may be a lost table, and of two tables that
 * overlap one may have taken the other's place. `remembered` are names that a damaged list still tells, in
 * its order.
 */
export function planList(
  tables: readonly TableInFolder[],
  remembered: readonly string[],
): { names: string[] } | { whyNot: string } {
  const faulty = tables.find(({ reading }) => reading.fault !== undefined);
  if (faulty !== undefined) return { whyNot: `${faulty.name} is damaged` };
  const ordered = tables
    .map(({ name, reading }) => ({ name, ...reading.header! }))
    .sort((a, b) => a.minUpdateIndex - b.minUpdateIndex);
  let expected = 1;
  for (const { name, minUpdateIndex, maxUpdateIndex } of ordered) {
    if (minUpdateIndex > expected) {
      return { whyNot: `no table has ${updateIndexes(expected, minUpdateIndex - 1)}` };
    }
    if (minUpdateIndex < expected) {
      return { whyNot: `${name} has update indexes that an older table has, too` };
    }
    expected = maxUpdateIndex + 1;
  }
  const names = ordered.map(({ name }) => name);
  const places = remembered.map((name) => names.indexOf(name));
  const missing = places.indexOf(-1);
  if (missing >= 0) return { whyNot: `the list names ${remembered[missing]}, which is not there` };
  if (places.some((place, i) => i > 0 && place < places[i - 1]!)) {
    return { whyNot: 'the list has the tables in another order than their update indexes' };
  }
  return { names };
}
