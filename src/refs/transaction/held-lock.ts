// What commits are made under: the lock of one stack, or of all the stacks that a transaction writes to; and what
// their records go into.

import type { StackTail } from '../../stack/addition.ts';
import type { TableWriter, WrittenTable } from '../../table/table-writer.ts';

/** An `Addition`, or several. */
export interface HeldLock {
  /** The first update index that the new table may use. */
  readonly updateIndex: number;
  allToMerge(size: number): StackTail | undefined;
  linger(): void;
  commit(table: WrittenTable, merged?: StackTail): Promise<void>;
  abort(): Promise<void>;
}

/** A `TableWriter`, or one for each of several stacks. */
export type RecordWriter = Pick<
  TableWriter,
  'addRef' | 'addDirectRef' | 'addLog' | 'addLogEntry' | 'finish'
>;
