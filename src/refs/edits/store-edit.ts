// A change of a store that is no transaction: one table, written under the lock.

import type { ObjectFormat } from '../../format/object-format.ts';
import type { LogRecord, RefRecord } from '../../format/records.ts';
import type { ObjectSource } from '../../objects/object-source.ts';
import type { Identity } from '../../reflog/identity.ts';
import type { Addition } from '../../stack/addition.ts';
import type { MergedTable } from '../../table/merged-table.ts';
import { type TableWriting, tableWriter } from '../table-writing.ts';

/** What an edit asks of its store. */
export interface EditHost {
  readonly objectFormat: ObjectFormat;
  /** Bytes. */
  readonly blockSize: number;
  /** Tells what annotated tags point at. */
  readonly objects: ObjectSource | undefined;
  /** Who makes a change, where the caller does not say. */
  committer(): Identity;
  /** Takes the writers' lock. */
  lock(): Promise<Addition>;
  readonly tables: TableWriting;
}

/** What an edit writes: each list in the order of a table. */
export interface EditRecords {
  refs?: readonly RefRecord[];
  logs: readonly LogRecord[];
  /** The last update index of all records; by default the first one that is free. */
  lastUpdateIndex?: number;
}

/**
 * Takes the lock, asks `plan` what to write, over the stack as it is then and with the first update index that is
 * free, and writes that. `plan` calls `linger` before it waits for somebody outside. Nothing is written for `undefined`, or where there are no records.
 */
export async function editStore(
  host: EditHost,
  plan: (
    stack: MergedTable,
    updateIndex: number,
    linger: () => void,
  ) => EditRecords | undefined | Promise<EditRecords | undefined>,
): Promise<void> {
  const addition = await host.lock();
  try {
    const { updateIndex } = addition;
    const records = await plan(addition.snapshot.merged, updateIndex, () => addition.linger());
    if (records === undefined) return;
    const { refs = [], logs, lastUpdateIndex = updateIndex } = records;
    if (refs.length + logs.length === 0) return;
    const writer = tableWriter(host.tables, updateIndex, lastUpdateIndex);
    for (const ref of refs) writer.addRef(ref);
    for (const log of logs) writer.addLog(log);
    await addition.commit(writer.finish());
  } finally {
    await addition.abort();
  }
}
