// A ref store on a stack of reftables.

import { RefError } from '../errors.ts';
import type { Compression } from '../format/compression.ts';
import type { ObjectFormat } from '../format/object-format.ts';
import type { Identity } from '../reflog/identity.ts';
import type { ReflogPolicy } from '../reflog/policy.ts';
import type { Stack, StackStats } from '../stack/stack.ts';
import { TableWriter } from '../table/table-writer.ts';
import { DEFAULT_BLOCK_SIZE } from '../table/table-writer-options.ts';
import { logTail } from './log-tail.ts';
import { orderByName, planTransaction } from './plan.ts';
import type {
  RefSnapshot,
  RefStore,
  RefUpdate,
  TransactionOptions,
  TransactionResult,
} from './ref-store.ts';
import { tableView } from './ref-view.ts';
import { ReftableSnapshot } from './reftable-snapshot.ts';
import { TableReader } from './table-reader.ts';
import { UpdateBatch } from './update-batch.ts';
import { writePlan } from './write-plan.ts';

/** How a store writes. */
export interface ReftableStoreOptions {
  objectFormat: ObjectFormat;
  compression: Compression;
  policy: ReflogPolicy;
  /** Who makes a change, where a transaction does not say. */
  committer: () => Identity;
  /** How long to wait for the lock, ms; 0: one try, -1: for ever. */
  lockTimeout: number;
  /** Bytes; `undefined` for the default of 4096. */
  blockSize: number | undefined;
  /** Records; `undefined` for the default of 16. */
  restartInterval: number | undefined;
  indexObjects: boolean;
}

export class ReftableStore extends TableReader implements RefStore {
  readonly #stack: Stack;
  readonly #options: ReftableStoreOptions;

  /** Owns `stack` and closes it. */
  constructor(stack: Stack, options: ReftableStoreOptions) {
    super(() => stack.current());
    this.#stack = stack;
    this.#options = options;
  }

  get objectFormat(): ObjectFormat {
    return this.#options.objectFormat;
  }

  /** What the stack has done so far. */
  get stats(): Readonly<StackStats> {
    return this.#stack.stats;
  }

  snapshot(): RefSnapshot {
    return new ReftableSnapshot(this.#stack.current().retain());
  }

  /**
   * Throws `BAD_NAME`, `INVALID_ARGUMENT`, `EXPECTED_OLD_VALUE`, `NAME_CONFLICT`, `RECORD_TOO_LARGE`,
   * `LOCKED`, `IO`, and what reading the stack throws; the refs are then as they were.
   */
  async transaction(
    updates: readonly RefUpdate[] | UpdateBatch,
    options: TransactionOptions = {},
  ): Promise<TransactionResult> {
    const { objectFormat, policy, lockTimeout, blockSize = DEFAULT_BLOCK_SIZE } = this.#options;
    const batch =
      updates instanceof UpdateBatch ? updates : UpdateBatch.from(updates, objectFormat);
    if (batch.objectFormat !== objectFormat) {
      const message = `expected a batch of ${objectFormat} object ids, found ${batch.objectFormat}`;
      throw new RefError('INVALID_ARGUMENT', message);
    }
    if (batch.count === 0) return { updateIndex: undefined };
    const order = orderByName(batch);
    const committer = options.committer ?? this.#options.committer();
    const log = logTail(committer, options.message ?? '', blockSize);
    const addition = await this.#stack.beginAddition({ timeout: lockTimeout });
    try {
      const { updateIndex } = addition;
      const view = tableView(() => this.#stack.current().merged);
      const createReflog = options.createReflog ?? false;
      const plan = planTransaction(batch, order, { view, policy, createReflog });
      if (plan === undefined) return { updateIndex: undefined };
      const writer = this.#writer(updateIndex);
      writePlan(plan, writer, updateIndex, log);
      const table = writer.finish();
      if (table.refCount + table.logCount === 0) return { updateIndex: undefined };
      await addition.commit(table);
      return { updateIndex };
    } finally {
      await addition.abort();
    }
  }

  close(): void {
    this.#stack.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #writer(updateIndex: number): TableWriter {
    const { compression, objectFormat, blockSize, restartInterval, indexObjects } = this.#options;
    return new TableWriter({
      compression,
      objectFormat,
      blockSize,
      restartInterval,
      indexObjects,
      minUpdateIndex: updateIndex,
      maxUpdateIndex: updateIndex,
    });
  }
}
