// The transactions of a store that wait to be committed, in the order in which they came. Whoever holds the
// lock commits all that wait, so that they share it, a table and its way to the disk; those that come
// meanwhile are the next group.

import { monotonicNow } from '../../clock.ts';
import { RefError } from '../../errors.ts';
import { contains } from '../worktrees/reach.ts';
import type { PendingTransaction } from './pending-transaction.ts';

/**
 * A group's updates, at most: planning them holds the event loop, for some tens of milliseconds. A larger batch
 * goes alone, and is written faster so.
 */
const GROUP_UPDATES = 512;

/** A timer may fire a little too early, ms. */
const TIMER_TOLERANCE = 2;

/** What the queue asks of its store. */
export interface CommitQueueHost<Held> {
  /** Takes the writers' lock for `next`, waiting at most `timeout` ms (0: one try, -1: for ever). */
  lock(timeout: number, next: PendingTransaction): Promise<Held>;
  /**
   * Commits as many of the first of `group` as can go together, gives the lock back and settles them; returns
   * the rest. A prepared transaction keeps the lock beyond that: the next ones wait for it as for anybody's.
   * Never throws.
   */
  commit(held: Held, group: readonly PendingTransaction[]): Promise<PendingTransaction[]>;
}

export class CommitQueue<Held> {
  readonly #lockTimeout: number;
  readonly #loadHost: () => Promise<CommitQueueHost<Held>>;
  #waiting: PendingTransaction[] = [];
  #isRunning = false;
  /** How long the lock was waited for in all tries that are over, ms. */
  #waited = 0;
  /** When the try that is under way began. */
  #askedAt: number | undefined;

  /**
   * `lockTimeout` is for how long a transaction waits while others have the lock, ms; 0: one try, -1: for ever. The
   * host is loaded when it is needed, for those who only read do without.
   */
  constructor(lockTimeout: number, loadHost: () => Promise<CommitQueueHost<Held>>) {
    this.#lockTimeout = lockTimeout;
    this.#loadHost = loadHost;
  }

  /** Runs, in ms, while the lock is waited for. */
  get clock(): number {
    return this.#waited + (this.#askedAt === undefined ? 0 : monotonicNow() - this.#askedAt);
  }

  /** Settles the transaction when its turn has come, or its time is up. */
  push(transaction: PendingTransaction): void {
    this.#waiting.push(transaction);
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      // Those that come in the same turn of the event loop, one after the other as their objects are found, go with
      // the first: without fsync, nothing in a commit lets the loop turn, and each would be committed alone.
      await new Promise(setImmediate);
      await this.#commitNext();
    }
    this.#isRunning = false;
  }

  async #commitNext(): Promise<void> {
    let host: CommitQueueHost<Held>;
    let held: Held;
    try {
      host = await this.#loadHost();
      held = await this.#lock(host);
    } catch (error) {
      this.#refuse(error);
      return;
    }
    // Only now: those that came while the lock was waited for go with the others.
    const rest = await host.commit(held, this.#takeGroup());
    this.#waiting.unshift(...rest);
  }

  /** Waits for the lock until the time of the first in the queue is up. */
  async #lock(host: CommitQueueHost<Held>): Promise<Held> {
    const lockTimeout = this.#lockTimeout;
    const next = this.#waiting[0]!;
    const left = lockTimeout - (this.clock - next.queuedAt);
    this.#askedAt = monotonicNow();
    try {
      return await host.lock(lockTimeout < 0 ? -1 : Math.max(left, 0), next);
    } finally {
      this.#waited = this.clock;
      this.#askedAt = undefined;
    }
  }

  /**
   * The lock was not to be had: for those whose time is up that is the end, unless it is for all. Those that want
   * the locks of other stacks have a try of their own.
   */
  #refuse(error: unknown): void {
    const isLocked = error instanceof RefError && error.code === 'LOCKED';
    const lockTimeout = this.#lockTimeout;
    const patience = lockTimeout < 0 ? Infinity : lockTimeout - TIMER_TOLERANCE;
    const { reach: asked } = this.#waiting[0]!;
    const isOver = ({ queuedAt, reach }: PendingTransaction) =>
      contains(asked, reach) &&
      contains(reach, asked) &&
      (!isLocked || this.#waited - queuedAt >= patience);
    const over = this.#waiting.filter(isOver);
    this.#waiting = this.#waiting.filter((transaction) => !isOver(transaction));
    for (const transaction of over) transaction.reject(error);
  }

  /** Takes the next ones that may go together off the queue. */
  #takeGroup(): PendingTransaction[] {
    let count = 0;
    let updates = 0;
    for (const { batch, goesAlone } of this.#waiting) {
      updates += batch.count;
      if (count > 0 && (goesAlone || updates > GROUP_UPDATES)) break;
      count++;
      if (goesAlone) break;
    }
    return this.#waiting.splice(0, count);
  }
}
