// Commits transactions under the lock: one alone, or a group of them in one table. In a group each is planned
// over the stack with what those before it write laid on top, has an update index of its own if it writes
// anything, and fails alone if it is refused.

import type { RefView } from '../ref-view.ts';
import { endingWith, HeldCommit, type OpenWriter } from './held-commit.ts';
import type { HeldLock } from './held-lock.ts';
import type { PendingTransaction } from './pending-transaction.ts';
import { PendingWrites } from './pending-writes.ts';
import type { PlanContext } from './plan.ts';
import { fitAnywhere, planRecords } from './plan-records.ts';
import { planTransaction } from './planner.ts';

/** What a commit needs of its store. */
export interface CommitContext {
  /** The stack as it stands. */
  view(): RefView;
  policy: PlanContext['policy'];
  /** Bytes. */
  blockSize: number;
  writer: OpenWriter;
  /**
   * Whether planning has added names to a batch, behind `count` entries, that are in a stack which is not locked. The
   * transaction is told, so that it is when its turn comes again.
   */
  reachesFurther(transaction: PendingTransaction, count: number): boolean;
}

/**
 * Commits as many of the first of `group` as can go together, gives the lock back and settles them; returns
 * the rest. A prepared transaction keeps the lock beyond that. Never throws.
 */
export async function commitGroup(
  addition: HeldLock,
  group: readonly PendingTransaction[],
  context: CommitContext,
): Promise<PendingTransaction[]> {
  if (group.length === 1) {
    return (await commitAlone(addition, group[0]!, context)) ? [] : [...group];
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

/** `false` if nothing was done, because the transaction needs more locks. */
async function commitAlone(
  addition: HeldLock,
  transaction: PendingTransaction,
  context: CommitContext,
): Promise<boolean> {
  try {
    const held = await planUnderLock(addition, transaction, context);
    if (held === undefined) return false;
    if (transaction.hold === undefined) {
      transaction.resolve(await held.commit());
    } else {
      addition.linger();
      transaction.hold(held);
    }
  } catch (error) {
    transaction.reject(error);
  }
  return true;
}

/** Throws what planning throws, and gives the lock back then; and where more are needed, for which nothing is given. */
async function planUnderLock(
  addition: HeldLock,
  transaction: PendingTransaction,
  context: CommitContext,
): Promise<HeldCommit | undefined> {
  const { batch, order, createReflog, batchUpdates } = transaction;
  const { policy } = context;
  const { count } = batch;
  const unplan = batch.mark();
  try {
    const planContext = { view: context.view(), policy, createReflog, batchUpdates };
    const plan = planTransaction(batch, order, planContext);
    if (!context.reachesFurther(transaction, count)) {
      return new HeldCommit(addition, transaction, plan, context.writer);
    }
    unplan();
    await addition.abort();
    return undefined;
  } catch (error) {
    await addition.abort();
    throw error;
  }
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

  /** Adds one more transaction, whatever its verdict; or adds nothing and returns `false` if it has to go alone, or needs more locks. */
  add(transaction: PendingTransaction): boolean {
    const { batch, order, log, createReflog, batchUpdates } = transaction;
    const { writes: view, context, nextUpdateIndex: updateIndex } = this;
    const { count } = batch;
    const unplan = batch.mark();
    try {
      const { policy } = context;
      const planContext = { view, policy, createReflog, batchUpdates };
      const plan = planTransaction(batch, order, planContext);
      if (context.reachesFurther(transaction, count)) {
        unplan();
        return false;
      }
      const { rejected } = plan;
      const records = planRecords(plan, updateIndex, log);
      const isNothing = records.refs.length + records.entries.length === 0;
      if (isNothing) {
        this.verdicts.push(() => transaction.resolve({ updateIndex: undefined, rejected }));
      } else if (!fitAnywhere(records, context.blockSize)) {
        // Whether they fit where they would come alone is found out by writing them.
        transaction.goesAlone = true;
        unplan();
        return false;
      } else {
        this.writes.add(records);
        this.nextUpdateIndex++;
        this.verdicts.push(() => transaction.resolve({ updateIndex, rejected }));
      }
    } catch (error) {
      this.verdicts.push(() => transaction.reject(error));
    }
    return true;
  }

  /** Writes the table, if there is anything to write, and gives the lock back. */
  async commit(addition: HeldLock): Promise<void> {
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
