// Commits transactions under the lock: one alone, or a group of them in one table. In a group each is planned
// over the stack with what those before it write laid on top, has an update index of its own if it writes
// anything, and fails alone if it is refused.

import { ReftableFormatError } from '../errors.ts';
import type { LogTail } from '../format/record-encoder.ts';
import type { Addition, StackTail } from '../stack/addition.ts';
import type { TableWriter, WrittenTable } from '../table/table-writer.ts';
import type { PendingTransaction } from './pending-transaction.ts';
import { PendingWrites } from './pending-writes.ts';
import { type Plan, type PlanContext, planTransaction } from './plan.ts';
import { fitAnywhere, planRecords } from './plan-records.ts';
import type { RefView } from './ref-view.ts';
import { writePlan } from './write-plan.ts';

/** What a commit needs of its store. */
export interface CommitContext {
  /** The stack as it stands. */
  view(): RefView;
  policy: PlanContext['policy'];
  /** Bytes. */
  blockSize: number;
  /** A writer for a table with these update indexes, which merges others into it. */
  writer(minUpdateIndex: number, maxUpdateIndex: number, merged?: StackTail): TableWriter;
}

/**
 * Commits as many of the first of `group` as can go together, gives the lock back and settles them; returns
 * the rest. Never throws.
 */
export async function commitGroup(
  addition: Addition,
  group: readonly PendingTransaction[],
  context: CommitContext,
): Promise<PendingTransaction[]> {
  if (group.length === 1) {
    await commitAlone(addition, group[0]!, context);
    return [];
  }
  const planned = new PlannedGroup(addition.updateIndex, context);
  let count = 0;
  while (count < group.length && planned.add(group[count]!)) count++;
  try {
    await planned.commit(addition);
    planned.settle();
  } catch (error) {
    // Even to those that were refused: what they found was not to be.
    for (const transaction of group.slice(0, count)) transaction.reject(error);
  }
  return group.slice(count);
}

async function commitAlone(
  addition: Addition,
  transaction: PendingTransaction,
  context: CommitContext,
): Promise<void> {
  const { batch, order, createReflog, resolve, reject } = transaction;
  const { updateIndex } = addition;
  try {
    const isWritten = await endingWith(addition, async () => {
      const planContext = { view: context.view(), policy: context.policy, createReflog };
      const plan = planTransaction(batch, order, planContext);
      if (plan === undefined) return false;
      const { table, merged } = writeTable(plan, transaction.log, addition, context);
      if (table.refCount + table.logCount === 0) return false;
      await addition.commit(table, merged);
      return true;
    });
    resolve({ updateIndex: isWritten ? updateIndex : undefined });
  } catch (error) {
    reject(error);
  }
}

/** A table, and those of the stack that are merged into it. */
interface Written {
  table: WrittenTable;
  merged?: StackTail | undefined;
}

function writeTable(
  plan: Plan,
  log: LogTail,
  addition: Addition,
  { writer }: CommitContext,
): Written {
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

class PlannedGroup {
  private readonly context: CommitContext;
  private readonly writes: PendingWrites;
  private readonly firstUpdateIndex: number;
  private nextUpdateIndex: number;
  /** What to tell the callers once the table is written. */
  private readonly verdicts: (() => void)[] = [];

  constructor(updateIndex: number, context: CommitContext) {
    this.context = context;
    this.writes = new PendingWrites(context.view());
    this.firstUpdateIndex = updateIndex;
    this.nextUpdateIndex = updateIndex;
  }

  /** Adds one more transaction, whatever its verdict; or adds nothing and returns `false` if it has to go alone. */
  add(transaction: PendingTransaction): boolean {
    const { batch, order, log, createReflog } = transaction;
    const { writes: view, context, nextUpdateIndex: updateIndex } = this;
    const unplan = batch.mark();
    try {
      const plan = planTransaction(batch, order, { view, policy: context.policy, createReflog });
      const records = plan && planRecords(plan, updateIndex, log);
      const isNothing = !records || records.refs.length + records.entries.length === 0;
      if (isNothing) {
        this.verdicts.push(() => transaction.resolve({ updateIndex: undefined }));
      } else if (!fitAnywhere(records, context.blockSize)) {
        // Whether they fit where they would come alone is found out by writing them.
        transaction.goesAlone = true;
        unplan();
        return false;
      } else {
        this.writes.add(records);
        this.nextUpdateIndex++;
        this.verdicts.push(() => transaction.resolve({ updateIndex }));
      }
    } catch (error) {
      this.verdicts.push(() => transaction.reject(error));
    }
    return true;
  }

  /** Writes the table, if there is anything to write, and gives the lock back. */
  async commit(addition: Addition): Promise<void> {
    const { writes, context, firstUpdateIndex, nextUpdateIndex } = this;
    await endingWith(addition, async () => {
      if (writes.isEmpty) return;
      const writer = context.writer(firstUpdateIndex, nextUpdateIndex - 1);
      writes.writeTo(writer);
      await addition.commit(writer.finish());
    });
  }

  settle(): void {
    for (const tell of this.verdicts) tell();
  }
}

/** Runs `work`, and then gives the lock back if that did not. */
async function endingWith<T>(addition: Addition, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await addition.abort();
  }
}
