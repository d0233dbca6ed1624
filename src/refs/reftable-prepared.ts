// A prepared transaction of a ref store on reftables, as its caller has it.

import { RefError } from '../errors.ts';
import type { HeldCommit } from './held-commit.ts';
import type { PreparedTransaction, TransactionResult } from './ref-store.ts';

export class ReftablePrepared implements PreparedTransaction {
  /** `undefined` if there are no updates: then there is nothing to lock. */
  readonly #held: HeldCommit | undefined;
  #isOver = false;

  constructor(held: HeldCommit | undefined) {
    this.#held = held;
  }

  async commit(): Promise<TransactionResult> {
    if (this.#isOver)
      throw new RefError('CLOSED', 'the transaction was committed or aborted before');
    this.#isOver = true;
    return this.#held?.commit() ?? { updateIndex: undefined, rejected: [] };
  }

  async abort(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await this.#held?.abort();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.abort();
  }
}
