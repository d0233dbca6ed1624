// The writers for the tables that a store appends.

import type { StackTail } from '../stack/addition.ts';
import { MergingTableWriter } from '../table/merging-writer.ts';
import { TableWriter } from '../table/table-writer.ts';
import type { TableWriterOptions } from '../table/table-writer-options.ts';

/** How all tables of a store are written. */
export type TableWriting = Pick<
  TableWriterOptions,
  'compression' | 'objectFormat' | 'blockSize' | 'restartInterval' | 'indexObjects'
>;

/** A writer for a table with these update indexes, which merges `merged` into it. */
export function tableWriter(
  { compression, objectFormat, blockSize, restartInterval, indexObjects }: TableWriting,
  minUpdateIndex: number,
  maxUpdateIndex: number,
  merged?: StackTail,
): TableWriter {
  const options = {
    ...{ compression, objectFormat, blockSize, restartInterval, indexObjects },
    ...{ minUpdateIndex, maxUpdateIndex },
  };
  if (merged === undefined) return new TableWriter(options);
  return new MergingTableWriter(options, merged.tables, merged.start === 0);
}
