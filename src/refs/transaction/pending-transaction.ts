// A transaction that was called for and is not settled yet: checked, in the order of its names, and with
// the promise that its caller waits for.

import type { LogTail } from '../../format/record-encoder.ts';
import type { TransactionResult } from '../ref-store.ts';
import type { Reach } from '../worktrees/reach.ts';
import type { HeldCommit } from './held-commit.ts';
import type { TakenUpdates } from './intake.ts';
import type { NameOrder } from './name-order.ts';
import type { UpdateBatch } from './update-batch.ts';

export interface TransactionParts extends Omit<TakenUpdates, 'log'> {
  log: LogTail;
  /** The stacks that it writes to, as far as is known. */
  reach: Reach;
  /** What the queue's clock showed when it came, ms. */
  queuedAt: number;
  /** Takes the transaction over once it is planned under the lock; without it, it is committed then. */
  hold?: ((held: HeldCommit) => void) | undefined;
}

export class PendingTransaction {
  readonly batch: UpdateBatch;
  readonly order: NameOrder;
  readonly log: LogTail;
  readonly createReflog: boolean;
  readonly batchUpdates: boolean;
  /** Grows where planning finds that it writes to more. */
  reach: Reach;
  readonly queuedAt: number;
  readonly hold: ((held: HeldCommit) => void) | undefined;
  /** Whether it needs a table, or the lock, of its own. */
  goesAlone: boolean;
  readonly settled: Promise<TransactionResult>;
  resolve!: (result: TransactionResult) => void;
  reject!: (reason: unknown) => void;

  constructor(parts: TransactionParts) {
    this.batch = parts.batch;
    this.order = parts.order;
    this.log = parts.log;
    this.createReflog = parts.createReflog;
    this.batchUpdates = parts.batchUpdates;
    this.reach = parts.reach;
    this.queuedAt = parts.queuedAt;
    this.hold = parts.hold;
    this.goesAlone = parts.hold !== undefined;
    this.settled = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}
