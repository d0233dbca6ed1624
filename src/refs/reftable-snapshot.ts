// A view of a reftable store that later transactions do not move.

import { RefError } from '../errors.ts';
import type { Stack } from '../stack/stack.ts';
import type { StackSnapshot } from '../stack/stack-snapshot.ts';
import type { RefSnapshot } from './ref-store.ts';
import { WorktreeReader } from './worktrees/worktree-reader.ts';
import type { WorktreeStacks } from './worktrees/worktree-stacks.ts';

/** The tables of each stack that was asked for, held until they are released. */
class HeldSnapshots {
  #snapshots: Map<Stack, StackSnapshot> | undefined = new Map();

  of(stack: Stack): StackSnapshot {
    if (this.#snapshots === undefined) throw new RefError('CLOSED', 'the snapshot is closed');
    let snapshot = this.#snapshots.get(stack);
    if (snapshot === undefined) {
      snapshot = stack.current().retain();
      this.#snapshots.set(stack, snapshot);
    }
    return snapshot;
  }

  release(): void {
    for (const snapshot of this.#snapshots?.values() ?? []) snapshot.release();
    this.#snapshots = undefined;
  }
}

/** The safety net for snapshots that nobody closed. */
const forgotten = new FinalizationRegistry<HeldSnapshots>((held) => held.release());

export class ReftableSnapshot extends WorktreeReader implements RefSnapshot {
  readonly #held: HeldSnapshots;

  /** Each stack as it is now; that of another worktree as it is when it is asked for the first time. */
  constructor(stacks: WorktreeStacks) {
    const held = new HeldSnapshots();
    super(stacks, (stack) => held.of(stack));
    this.#held = held;
    forgotten.register(this, held, this);
    held.of(stacks.shared);
    held.of(stacks.own);
  }

  close(): void {
    forgotten.unregister(this);
    this.#held.release();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
