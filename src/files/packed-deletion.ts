// Taking refs that are deleted out of packed-refs: under its lock from before the first of them is gone until the last
// is, so that nobody packs one meanwhile. To Git it is a transaction of its own, and its hook is asked about that, too.

import type { ObjectFormat } from '../format/object-format.ts';
import { compareText } from '../format/text.ts';
import { HookedTransaction, type TransactionHook } from '../refs/transaction/transaction-hook.ts';
import { UpdateBatch } from '../refs/transaction/update-batch.ts';
import type { FilesHost } from './files-host.ts';
import type { LockedPackedRefs } from './packed-refs/locked-packed-refs.ts';

export class PackedDeletion {
  readonly #held: LockedPackedRefs;
  /** Until it is told how the transaction ended. */
  #hooked: HookedTransaction | undefined;

  /** Whether packed-refs has any of them. */
  #changes = false;
  #isOver = false;

  private constructor(held: LockedPackedRefs, hooked: HookedTransaction | undefined) {
    this.#held = held;
    this.#hooked = hooked;
  }

  /** Locks packed-refs, and prepares what it is to be where it has any of the names. Throws `LOCKED`, `IO`, `HOOK_DECLINED`. */
  static async prepare(
    host: FilesHost,
    names: readonly string[],
    { objectFormat, hook }: { objectFormat: ObjectFormat; hook: TransactionHook | undefined },
  ): Promise<PackedDeletion> {
    const hooked = hook && new HookedTransaction(hook, batchOf(names, objectFormat));
    const held = await host.packed.lock();
    const deletion = new PackedDeletion(held, hooked);
    try {
      const packedNames = names.filter((name) => held.refs.find(name) !== undefined);
      if (packedNames.length === 0) {
        await deletion.#tell('aborted');
        return deletion;
      }
      await hooked?.ask('preparing');
      packedNames.sort(compareText);
      deletion.#changes = true;
      await held.write(packedNames.map((name) => ({ name, oid: undefined })));
      await hooked?.ask('prepared');
      return deletion;
    } catch (error) {
      await held.release();
      throw error;
    }
  }

  async commit(): Promise<void> {
    if (this.#changes) await this.#held.commit();
    await this.#tell('committed');
  }

  /** Gives the lock back. */
  async end(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await this.#held.release();
    await this.#tell('aborted');
  }

  async #tell(state: 'committed' | 'aborted'): Promise<void> {
    const hooked = this.#hooked;
    this.#hooked = undefined;
    await hooked?.tell(state);
  }
}

function batchOf(names: readonly string[], objectFormat: ObjectFormat): UpdateBatch {
  return UpdateBatch.from(
    names.map((ref) => ({ type: 'delete', ref, deref: false })),
    objectFormat,
  );
}
