// Commits transactions under the locks of the stacks that they write to. Nearly all write to one, and go the short
// way: its lock, one table. The others' tables are written side by side.

import type { ObjectFormat } from '../../format/object-format.ts';
import { type TableWriting, tableWriter } from '../table-writing.ts';
import type { CommitQueueHost } from '../transaction/commit-queue.ts';
import { type CommitContext, commitGroup } from '../transaction/group-commit.ts';
import type { OpenWriter } from '../transaction/held-commit.ts';
import type { HeldLock } from '../transaction/held-lock.ts';
import type { PendingTransaction } from '../transaction/pending-transaction.ts';
import { contains, type Reach, withAdded } from './reach.ts';
import { SplitAddition } from './split-addition.ts';
import type { WorktreeStacks } from './worktree-stacks.ts';
import { worktreeView } from './worktree-view.ts';

export interface ReachCommitOptions extends Pick<CommitContext, 'policy' | 'blockSize'> {
  tables: TableWriting & { objectFormat: ObjectFormat };
}

/** Locks that are held, and for which stacks. */
interface HeldReach {
  lock: HeldLock;
  reach: Reach;
  writer: OpenWriter;
}

export class ReachCommits implements CommitQueueHost<HeldReach> {
  readonly #stacks: WorktreeStacks;
  readonly #options: ReachCommitOptions;

  constructor(stacks: WorktreeStacks, options: ReachCommitOptions) {
    this.#stacks = stacks;
    this.#options = options;
  }

  async lock(timeout: number, { reach }: PendingTransaction): Promise<HeldReach> {
    const { tables } = this.#options;
    const writer: OpenWriter = (min, max, merged) => tableWriter(tables, min, max, merged);
    const [only, ...others] = reach.stacks;
    if (only !== undefined && others.length + reach.prefixes.size === 0) {
      return { lock: await only.beginAddition({ timeout }), reach, writer };
    }
    const lock = await SplitAddition.lock(this.#stacks, reach.stacks, timeout);
    const split: OpenWriter = (min, max) => lock.writer(tables.objectFormat, min, max, writer);
    return { lock, reach, writer: split };
  }

  async commit(
    { lock, reach, writer }: HeldReach,
    group: readonly PendingTransaction[],
  ): Promise<PendingTransaction[]> {
    const { policy, blockSize } = this.#options;
    const stacks = this.#stacks;
    let count = 1;
    while (count < group.length && contains(reach, group[count]!.reach)) count++;
    const rest = await commitGroup(lock, group.slice(0, count), {
      view: () => worktreeView(stacks, reach),
      policy,
      blockSize,
      writer,
      reachesFurther(transaction, before) {
        transaction.reach = withAdded(transaction.reach, transaction.batch, before, stacks);
        return !contains(reach, transaction.reach);
      },
    });
    return [...rest, ...group.slice(count)];
  }
}
