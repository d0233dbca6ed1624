// Writes what a transaction was planned to do as the records of one table.

import { encodeLogTail, type LogTail } from '../format/record-encoder.ts';
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
  const oids = new Uint8Array(2 * oidLength);
  for (const entry of entries) {
    if (plan.deletesLog(entry)) {
      const name = batch.name(entry);
      for (const logged of plan.logIndexes(entry)) writer.addLog({ name, updateIndex: logged });
    } else if (plan.isLogged(entry)) {
      if (!plan.copyLoggedOids(entry, oids)) continue;
      const start = batch.nameStart(entry);
      writer.addLogEntry(names, start, nameEnds[entry]!, updateIndex, oids, tail);
    }
  }
}
