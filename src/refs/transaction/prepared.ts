// A prepared transaction as its caller has it, whatever the backend holds meanwhile.

import { RefError } from '../../errors.ts';
import type { PreparedTransaction, TransactionResult } from '../ref-store.ts';
import type { HookedTransaction } from './transaction-hook.ts';

/** What a backend has locked and checked. Each ends it, in any case. */
export interface HeldTransaction {
  commit(): Promise<TransactionResult>;
  abort(): Promise<void>;
}

export class Prepared implements PreparedTransaction {
  /** `undefined` if there are no updates: then there is nothing to lock. */
  readonly #held: HeldTransaction | undefined;
  readonly #hook: HookedTransaction | undefined;
  #isOver = false;

  constructor(held: HeldTransaction | undefined, hook: HookedTransaction | undefined) {
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
