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
  const planWriter = new PlanWriter(plan, writer, updateIndex, log);
  for (const entry of plan.entries) planWriter.writeRef(entry);
  for (const entry of plan.entries) planWriter.writeLog(entry);
}

// A method an entry, not one long loop: called often, it is compiled well soon.
class PlanWriter {
  private readonly plan: Plan;
  private readonly writer: TableWriter;
  private readonly updateIndex: number;
  /** What stands behind the name in the key, and behind the object ids in the value, of a log entry. */
  private readonly keySuffix: Uint8Array;
  private readonly tail: Uint8Array;
  private key = new Uint8Array(256);
  private readonly oids: Uint8Array;

  constructor(plan: Plan, writer: TableWriter, updateIndex: number, log: LogTail) {
    this.plan = plan;
    this.writer = writer;
    this.updateIndex = updateIndex;
    this.keySuffix = logKeySuffix(updateIndex);
    this.tail = encodeLogTail(log);
    this.oids = new Uint8Array(2 * plan.batch.oidLength);
  }

  writeRef(entry: number): void {
    const { plan, writer, updateIndex } = this;
    if (!plan.writesRef(entry)) return;
    const { batch } = plan;
    const target = batch.targets.get(entry)?.newTarget;
    if (target !== undefined || batch.has(entry, DELETES)) {
      writer.addRef({ name: batch.name(entry), updateIndex, target });
      return;
    }
    const { names, nameEnds, newOids, oidLength } = batch;
    const start = batch.nameStart(entry);
    writer.addDirectRef(names, start, nameEnds[entry]!, updateIndex, newOids, entry * oidLength);
  }

  writeLog(entry: number): void {
    const { plan, writer, oids, tail } = this;
    if (plan.deletesLog(entry)) {
      const name = plan.batch.name(entry);
      for (const logged of plan.logIndexes(entry)) writer.addLog({ name, updateIndex: logged });
    } else if (plan.isLogged(entry) && plan.copyLoggedOids(entry, oids)) {
      const length = this.assembleKey(entry);
      writer.addLogEntry(this.key, length, oids, tail);
    }
  }

  /** Puts the log entry's key together in `key` and returns its length. */
  private assembleKey(entry: number): number {
    const { keySuffix } = this;
    const { names, nameEnds } = this.plan.batch;
    const start = this.plan.batch.nameStart(entry);
    const nameLength = nameEnds[entry]! - start;
    const length = nameLength + keySuffix.length;
    if (length > this.key.length) this.key = new Uint8Array(2 * length);
    const { key } = this;
    for (let i = 0; i < nameLength; i++) key[i] = names[start + i]!;
    for (let i = 0; i < keySuffix.length; i++) key[nameLength + i] = keySuffix[i]!;
    return length;
  }
}
