// The append of one table to each of several stacks, all of whose locks are held from `lock` to `commit` or `abort`.
//
// The locks are taken in one order, whatever the transaction, so that two of ours never wait for each other: the
// worktrees' before the shared one, as Git takes them for a commit. spec/locking.md tells more.

import { monotonicNow } from '../../clock.ts';
import type { ObjectFormat } from '../../format/object-format.ts';
import type { Addition } from '../../stack/addition.ts';
import type { Stack } from '../../stack/stack.ts';
import type { WrittenTable } from '../../table/table-writer.ts';
import type { HeldLock, RecordWriter } from '../transaction/held-lock.ts';
import { type SplitTable, SplitWriter } from './split-writer.ts';
import type { WorktreeStacks } from './worktree-stacks.ts';

type OpenTable = (minUpdateIndex: number, maxUpdateIndex: number) => RecordWriter;

export class SplitAddition implements HeldLock {
  /** The first update index, as the shared stack counts if it is written to. */
  readonly updateIndex: number;
  readonly #stacks: WorktreeStacks;
  /** In the order of their locks. */
  readonly #additions: ReadonlyMap<Stack, Addition>;

  private constructor(stacks: WorktreeStacks, additions: ReadonlyMap<Stack, Addition>) {
    this.#stacks = stacks;
    this.#additions = additions;
    const counting = additions.get(stacks.shared) ?? [...additions.values()][0]!;
    this.updateIndex = counting.updateIndex;
  }

  /** Takes the locks of `wanted`, all within `timeout` ms (0: one try each, -1: for ever). Throws `LOCKED`, `IO`. */
  static async lock(
    stacks: WorktreeStacks,
    wanted: Iterable<Stack>,
    timeout: number,
  ): Promise<SplitAddition> {
    const { shared } = stacks;
    const rank = (stack: Stack) => (stack === shared ? 1 : 0);
    const inOrder = [...wanted].sort(
      (a, b) => rank(a) - rank(b) || (a.store.location < b.store.location ? -1 : 1),
    );
    const deadline = monotonicNow() + timeout;
    const additions = new Map<Stack, Addition>();
    try {
      for (const stack of inOrder) {
        const left = timeout < 0 ? -1 : Math.max(deadline - monotonicNow(), 0);
        additions.set(stack, await stack.beginAddition({ timeout: left }));
      }
      return new SplitAddition(stacks, additions);
    } catch (error) {
      for (const addition of additions.values()) await addition.abort().catch(() => {});
      throw error;
    }
  }

  /** A writer for the records of all the stacks; `open` makes one for a table. */
  writer(
    objectFormat: ObjectFormat,
    minUpdateIndex: number,
    maxUpdateIndex: number,
    open: OpenTable,
  ): SplitWriter {
    const targets = new Map(
      [...this.#additions].map(([stack, { updateIndex }]) => [
        stack,
        { offset: updateIndex - this.updateIndex, open },
      ]),
    );
    const stacks = this.#stacks;
    return new SplitWriter({ stacks, targets, objectFormat, minUpdateIndex, maxUpdateIndex });
  }

  allToMerge(): undefined {
    return undefined;
  }

  linger(): void {
    for (const addition of this.#additions.values()) addition.linger();
  }

  /**
   * Appends one table after the other, each durably, and gives the locks back. As with Git, those that were appended
   * stay where a later one fails. Throws as `Addition.commit`.
   */
  async commit(table: WrittenTable): Promise<void> {
    const { tables } = table as SplitTable;
    try {
      for (const [stack, addition] of this.#additions) {
        const part = tables.get(stack);
        if (part !== undefined) await addition.commit(part);
      }
    } finally {
      await this.abort();
    }
  }

  /** Gives all locks back. Throws `IO` where one cannot be removed. */
  async abort(): Promise<void> {
    const aborts = [...this.#additions.values()].map((addition) => addition.abort());
    await Promise.allSettled(aborts);
    await Promise.all(aborts);
  }
}
