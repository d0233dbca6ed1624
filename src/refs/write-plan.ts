// Writes what a transaction was planned to do as the records of one table.

import { encodeLogTail, type LogTail, logKeySuffix } from '../format/record-encoder.ts';
import type { TableWriter } from '../table/table-writer.ts';
import type { Plan } from './plan.ts';
import { DELETES } from './update-batch.ts';

/** `log` is what all log entries have in common, its message with the final newline. */
export function writePlan(
  plan: Plan,
  writer: TableWriter,
  updateIndex: number,
  log: LogTail,
): void {
  const { batch, entries } = plan;
  const { names, nameEnds, newOids, oidLength } = batch;
  for (const entry of entries) {
    if (!plan.writesRef(entry)) continue;
    const target = batch.targets.get(entry)?.newTarget;
    if (target === undefined && !batch.has(entry, DELETES)) {
      const start = batch.nameStart(entry);
      writer.addDirectRef(names, start, nameEnds[entry]!, updateIndex, newOids, entry * oidLength);
    } else {
      writer.addRef({ name: batch.name(entry), updateIndex, target });
    }
  }

  const tail = encodeLogTail(log);
  const suffix = logKeySuffix(updateIndex);
  const oids = new Uint8Array(2 * oidLength);
  let key = new Uint8Array(256);
  for (const entry of entries) {
    if (plan.deletesLog(entry)) {
      const name = batch.name(entry);
      for (const logged of plan.logIndexes(entry)) writer.addLog({ name, updateIndex: logged });
    } else if (plan.isLogged(entry) && plan.copyLoggedOids(entry, oids)) {
      const start = batch.nameStart(entry);
      const length = nameEnds[entry]! - start;
      if (length + suffix.length > key.length) key = new Uint8Array(2 * (length + suffix.length));
      for (let i = 0; i < length; i++) key[i] = names[start + i]!;
      for (let i = 0; i < suffix.length; i++) key[length + i] = suffix[i]!;
      writer.addLogEntry(key, length + suffix.length, oids, tail);
    }
  }
}
