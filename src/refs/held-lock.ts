// What commits are made under: the lock of one stack, or of all the stacks that a transaction writes to; and what
// their records go into.

import type { LogRecord, RefRecord } from '../format/records.ts';
import type { StackTail } from '../stack/addition.ts';
import type { WrittenTable } from '../table/table-writer.ts';

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
export interface RecordWriter {
  addRef(record: RefRecord): void;
  addDirectRef(
    names: Uint8Array,
    start: number,
    end: number,
    shared: number,
    updateIndex: number,
    oids: Uint8Array,
    at: number,
  ): void;
  addLog(record: LogRecord): void;
  addLogEntry(
    keys: Uint8Array,
    start: number,
    end: number,
    shared: number,
    value: Uint8Array,
  ): void;
  finish(): WrittenTable;
}
