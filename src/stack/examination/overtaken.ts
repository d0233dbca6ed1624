// Whether a stack has overtaken a table that it does not list: what compaction has merged it has, but not what
// was lost when somebody wrote a new list beside old tables, whatever the update indexes say.

import type { RefRecord } from '../../format/records.ts';
import { encodeText } from '../../format/text.ts';
import { MergedTable } from '../../table/merged-table.ts';
import type { Table } from '../../table/table.ts';

/**
 * The names of the refs in `table` of which the `listed` tables, oldest first, have neither the same record nor a
 * later one, be it a tombstone. Throws `ReftableFormatError`.
 */
export function* refsNotOvertaken(
  table: Table,
  listed: readonly Table[],
): IterableIterator<string> {
  const newestFirst = listed.toReversed();
  for (const record of new MergedTable([table]).refs()) {
    const key = encodeText(record.name);
    let current: RefRecord | undefined;
    for (const each of newestFirst) {
      current = each.readRef(key, record.name);
      if (current !== undefined) break;
    }
    if (current === undefined || !hasOvertaken(current, record)) yield record.name;
  }
}

function hasOvertaken(current: RefRecord, record: RefRecord): boolean {
  if (current.updateIndex !== record.updateIndex) return current.updateIndex > record.updateIndex;
  return current.oid === record.oid && current.target === record.target;
}
