// A transaction that was called for and is not settled yet: checked, in the order of its names, and with
// the promise that its caller waits for.

import type { LogTail } from '../format/record-encoder.ts';
import type { NameOrder } from './name-order.ts';
import type { TransactionResult } from './ref-store.ts';
import type { UpdateBatch } from './update-batch.ts';

interface TransactionParts {
  batch: UpdateBatch;
  order: NameOrder;
  log: LogTail;
  createReflog: boolean;
  /** What the queue's clock showed when it came, ms. */
  queuedAt: number;
}

export class PendingTransaction {
  readonly batch: UpdateBatch;
  readonly order: NameOrder;
  readonly log: LogTail;
  readonly createReflog: boolean;
  readonly queuedAt: number;
  /** Whether it was found to need a table of its own. */
  goesAlone = false;
  readonly settled: Promise<TransactionResult>;
  resolve!: (result: TransactionResult) => void;
  reject!: (reason: unknown) => void;

  constructor({ batch, order, log, createReflog, queuedAt }: TransactionParts) {
    this.batch = batch;
    this.order = order;
    this.log = log;
    this.createReflog = createReflog;
    this.queuedAt = queuedAt;
    this.settled = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}
