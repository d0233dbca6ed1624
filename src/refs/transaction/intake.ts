// Taking what a caller asks of a store: checked, in the order of its names, with its objects looked up. From here on
// it is for the backend to plan and to commit.

import { RefError } from '../../errors.ts';
import type { ObjectFormat } from '../../format/object-format.ts';
import type { LogTail } from '../../format/record-encoder.ts';
import type { ObjectSource } from '../../objects/object-source.ts';
import type { Identity } from '../../reflog/identity.ts';
import type { RefUpdate, TransactionOptions } from '../ref-store.ts';
import { logTail } from './log-tail.ts';
import { type NameOrder, orderByName } from './name-order.ts';
import { checkObjects } from './object-checks.ts';
import { checkedOptions } from './transaction-options.ts';
import { UpdateBatch } from './update-batch.ts';

export interface IntakeOptions {
  objectFormat: ObjectFormat;
  /** Who makes a change, where a transaction does not say. */
  committer: () => Identity;
  /** What refs point at; without it, nothing that a ref is set to is looked at. */
  objects?: ObjectSource | undefined;
  /** Whether objects are being received that may yet be refused: no ref may name them until then. */
  isQuarantined?: boolean | undefined;
  /** Reflog messages are cut to half of that, bytes. */
  blockSize: number;
}

export interface TakenUpdates {
  batch: UpdateBatch;
  order: NameOrder;
  /** What all reflog entries have in common. Throws what the committer's identity does; asked for where one is written. */
  log: () => LogTail;
  createReflog: boolean;
  batchUpdates: boolean;
}

/** What takes the transactions of one store, one after the other. */
export function openIntake(options: IntakeOptions): TransactionIntake {
  return new TransactionIntake(options);
}

export class TransactionIntake {
  readonly #options: IntakeOptions;
  /** Ends with the object checks of the last transaction that was called for. */
  #checks: Promise<unknown> = Promise.resolve();

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /**
   * What a transaction needs; `undefined` for one without updates. A promise only where objects are looked up:
   * each turn of waiting would let calls that come later go first.
   */
  take(
    updates: readonly RefUpdate[] | UpdateBatch,
    options: TransactionOptions,
  ): TakenUpdates | Promise<TakenUpdates> | undefined {
    const { objectFormat, blockSize, objects, isQuarantined } = this.#options;
    if (isQuarantined === true) {
      const message = 'ref updates forbidden inside quarantine environment';
      throw new RefError('QUARANTINED', message);
    }
    const batch =
      updates instanceof UpdateBatch ? updates : UpdateBatch.from(updates, objectFormat);
    if (batch.objectFormat !== objectFormat) {
      const message = `expected a batch of ${objectFormat} object ids, found ${batch.objectFormat}`;
      throw new RefError('INVALID_ARGUMENT', message);
    }
    const asked = checkedOptions(options);
    batch.take();
    if (batch.count === 0) return undefined;
    const { message = '', createReflog = false, batchUpdates = false } = asked;
    let tail: LogTail | undefined;
    const log = () => {
      tail ??= logTail(asked.committer ?? this.#options.committer(), message, blockSize);
      return tail;
    };
    const taken = () => ({
      batch,
      order: orderByName(batch),
      log,
      createReflog,
      batchUpdates,
    });
    if (objects === undefined) return taken();
    return this.#check(batch, objects, batchUpdates).then(taken);
  }

  /** Checks what the batch points refs at. The transactions stay in the order in which they were called for. */
  async #check(batch: UpdateBatch, objects: ObjectSource, batchUpdates: boolean): Promise<void> {
    const before = this.#checks;
    const check = checkObjects(batch, objects, batchUpdates);
    this.#checks = Promise.allSettled([before, check]);
    await before;
    await check;
  }
}
