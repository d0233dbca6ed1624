// Writes what a transaction was planned to do as the records of one table.

import { writeOid } from '../../format/object-format.ts';
import { encodeLogTail, type LogTail, logKeySuffix } from '../../format/record-encoder.ts';
import type { RecordWriter } from './held-lock.ts';
import type { Plan } from './plan.ts';
import { DELETES, SETS_TARGET } from './update-flags.ts';

/** `log` is what all log entries have in common, its message with the final newline. */
export function writePlan(
  plan: Plan,
  writer: RecordWriter,
  updateIndex: number,
  log: LogTail,
): void {
  const refs = new RefRecords(plan, writer, updateIndex);
  for (const entry of plan.entries) refs.write(entry);
  const logs = new LogRecords(plan, writer, updateIndex, log);
  for (const entry of plan.entries) logs.write(entry);
}

// A method called for each entry, not one long loop: what is called often is compiled well soon.

/** Writes the refs, one after the other. */
class RefRecords {
  private readonly plan: Plan;
  private readonly writer: RecordWriter;
  private readonly updateIndex: number;
  /** The entry that was written last; -1 for none. */
  private last = -1;

  constructor(plan: Plan, writer: RecordWriter, updateIndex: number) {
    this.plan = plan;
    this.writer = writer;
    this.updateIndex = updateIndex;
  }

  write(entry: number): void {
    const { plan, writer, updateIndex } = this;
    if (!plan.writesRef(entry)) return;
    const { batch } = plan;
    const peeled = batch.peeled.get(entry);
    if (batch.has(entry, DELETES | SETS_TARGET)) {
      const target = batch.targets.get(entry)?.newTarget;
      writer.addRef({ name: batch.name(entry), updateIndex, target });
    } else if (peeled !== undefined) {
      writer.addRef({ name: batch.name(entry), updateIndex, oid: batch.newOid(entry), peeled });
    } else {
      const { names, nameStarts, newOids, oidLength } = batch;
      writer.addDirectRef(
        names,
        nameStarts[entry]!,
        nameStarts[entry + 1]!,
        plan.sharedWith(this.last, entry),
        updateIndex,
        newOids,
        entry * oidLength,
      );
    }
    this.last = entry;
  }
}

/** Writes the reflog entries, and tombstones for those that go with their ref. */
class LogRecords {
  private readonly plan: Plan;
  private readonly writer: RecordWriter;
  /** What stands behind the name in each key. */
  private readonly keySuffix: Uint8Array;
  /** The key that was put together last. */
  private key = new Uint8Array(256);
  /** The value that was put together last: the object ids change, what stands behind them does not. */
  private readonly value: Uint8Array;
  /** Whether the old object id in `value` is all zeros. */
  private oldIsZero = true;
  private last = -1;

  constructor(plan: Plan, writer: RecordWriter, updateIndex: number, log: LogTail) {
    this.plan = plan;
    this.writer = writer;
    this.keySuffix = logKeySuffix(updateIndex);
    const tail = encodeLogTail(log);
    this.value = new Uint8Array(2 * plan.batch.oidLength + tail.length);
    this.value.set(tail, 2 * plan.batch.oidLength);
  }

  write(entry: number): void {
    const { plan } = this;
    const { batch } = plan;
    if (plan.deletesLog(entry)) {
      const name = batch.name(entry);
      for (const updateIndex of plan.logIndexes(entry)) this.writer.addLog({ name, updateIndex });
      this.last = -1;
    } else if (plan.isLogged(entry) && this.setNewOid(entry)) {
      this.setOldOid(plan.oldOid(entry));
      const shared = plan.sharedWith(this.last, entry);
      const length = this.setKey(entry, shared);
      this.writer.addLogEntry(this.key, 0, length, shared, this.value);
      this.last = entry;
    }
  }

  /** `false` if there is none to log: a symref is set to nothing. */
  private setNewOid(entry: number): boolean {
    const { value } = this;
    const { batch } = this.plan;
    const { newOids, oidLength } = batch;
    if (batch.has(entry, SETS_TARGET)) {
      const oid = this.plan.oidBehindTarget(entry);
      if (oid !== undefined) writeOid(value, oidLength, oid);
      return oid !== undefined;
    }
    const from = entry * oidLength;
    for (let i = 0; i < oidLength; i++) value[oidLength + i] = newOids[from + i]!;
    return true;
  }

  private setOldOid(hex: string | undefined): void {
    if (hex !== undefined) writeOid(this.value, 0, hex);
    else if (!this.oldIsZero) this.value.fill(0, 0, this.plan.batch.oidLength);
    this.oldIsZero = hex === undefined;
  }

  /** Puts the entry's key together, whose first `shared` bytes are there already; returns its length. */
  private setKey(entry: number, shared: number): number {
    const { keySuffix } = this;
    const { names, nameStarts } = this.plan.batch;
    const start = nameStarts[entry]!;
    const nameLength = nameStarts[entry + 1]! - start;
    const length = nameLength + keySuffix.length;
    let from = Math.max(shared, 0);
    if (length > this.key.length) {
      this.key = new Uint8Array(2 * length);
      from = 0;
    }
    const { key } = this;
    for (let i = from; i < nameLength; i++) key[i] = names[start + i]!;
    for (let i = 0; i < keySuffix.length; i++) key[nameLength + i] = keySuffix[i]!;
    return length;
  }
}
