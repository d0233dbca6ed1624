// A prepared transaction of a ref store on reftables, as its caller has it.

import { RefError } from '../../errors.ts';
import type { PreparedTransaction, TransactionResult } from '../ref-store.ts';
import type { HeldCommit } from './held-commit.ts';
import type { HookedTransaction } from './transaction-hook.ts';

export class ReftablePrepared implements PreparedTransaction {
  /** `undefined` if there are no updates: then there is nothing to lock. */
  readonly #held: HeldCommit | undefined;
  readonly #hook: HookedTransaction | undefined;
  #isOver = false;

  constructor(held: HeldCommit | undefined, hook: HookedTransaction | undefined) {
    this.#held = held;
    this.#hook = hook;
  }

  async commit(): Promise<TransactionResult> {
    if (this.#isOver)
      throw new RefError('CLOSED', 'the transaction was committed or aborted before');
    this.#isOver = true;
    const result = (await this.#held?.commit()) ?? { updateIndex: undefined, rejected: [] };
    await this.#hook?.tell('committed');
    return result;
  }

  async abort(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await this.#held?.abort();
    await this.#hook?.tell('aborted');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.abort();
  }
}
