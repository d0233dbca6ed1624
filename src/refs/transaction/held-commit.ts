// A transaction that was planned, with the writers' lock held: all that is left is to write what the plan says,
// or not to. One that goes alone is committed at once, a prepared one when its caller says so.

import { ReftableFormatError } from '../../errors.ts';
import type { StackTail } from '../../stack/addition.ts';
import type { WrittenTable } from '../../table/table-writer.ts';
import type { TransactionResult } from '../ref-store.ts';
import type { HeldLock, RecordWriter } from './held-lock.ts';
import type { PendingTransaction } from './pending-transaction.ts';
import type { Plan } from './plan.ts';
import { writePlan } from './write-plan.ts';

/** A writer for a table with these update indexes, which merges others into it. */
export type OpenWriter = (
  minUpdateIndex: number,
  maxUpdateIndex: number,
  merged?: StackTail,
) => RecordWriter;

/** A table, and those of the stack that are merged into it. */
interface Written {
  table: WrittenTable;
  merged?: StackTail | undefined;
}

export class HeldCommit {
  private readonly addition: HeldLock;
  private readonly transaction: PendingTransaction;
  private readonly plan: Plan;
  private readonly writer: OpenWriter;

  constructor(addition: HeldLock, transaction: PendingTransaction, plan: Plan, writer: OpenWriter) {
    this.addition = addition;
    this.transaction = transaction;
    this.plan = plan;
    this.writer = writer;
  }

  /** Writes, and gives the lock back in any case. */
  async commit(): Promise<TransactionResult> {
    const { addition, plan } = this;
    return endingWith(addition, async () => {
      const { rejected } = plan;
      if (plan.isEmpty) return { updateIndex: undefined, rejected };
      const { table, merged } = this.write();
      if (table.refCount + table.logCount === 0) return { updateIndex: undefined, rejected };
      await addition.commit(table, merged);
      return { updateIndex: addition.updateIndex, rejected };
    });
  }

  /** Writes nothing, and gives the lock back. */
  abort(): Promise<void> {
    return this.addition.abort();
  }

  private write(): Written {
    const { addition, plan, writer } = this;
    const { log } = this.transaction;
    const { updateIndex } = addition;
    const merged = plan.isLarge ? addition.allToMerge(plan.smallestSize) : undefined;
    if (merged !== undefined) {
      try {
        const merging = writer(merged.tables[0]!.minUpdateIndex, updateIndex, merged);
        writePlan(plan, merging, updateIndex, log);
        return { table: merging.finish(), merged };
      } catch (error) {
        // An older table is damaged: that is in nobody's way to append.
        if (!(error instanceof ReftableFormatError)) throw error;
      }
    }
    const alone = writer(updateIndex, updateIndex);
    writePlan(plan, alone, updateIndex, log);
    return { table: alone.finish() };
  }
}

/** Runs `work`, and then gives the lock back if that did not. */
export async function endingWith<T>(addition: HeldLock, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await addition.abort();
  }
}
