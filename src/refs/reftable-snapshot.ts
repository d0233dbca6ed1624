// A view of a reftable store that later transactions do not move.

import { RefError } from '../errors.ts';
import type { StackSnapshot } from '../stack/stack-snapshot.ts';
import type { RefSnapshot } from './ref-store.ts';
import { TableReader } from './table-reader.ts';

/** The safety net for snapshots that nobody closed. */
const forgotten = new FinalizationRegistry<StackSnapshot>((snapshot) => snapshot.release());

export class ReftableSnapshot extends TableReader implements RefSnapshot {
  #snapshot: StackSnapshot | undefined;

  /** Takes over one use of `snapshot`. */
  constructor(snapshot: StackSnapshot) {
    super(() => this.#open());
    this.#snapshot = snapshot;
    forgotten.register(this, snapshot, this);
  }

  close(): void {
    if (this.#snapshot === undefined) return;
    forgotten.unregister(this);
    this.#snapshot.release();
    this.#snapshot = undefined;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #open(): StackSnapshot {
    if (this.#snapshot !== undefined) return this.#snapshot;
    throw new RefError('CLOSED', 'the snapshot is closed');
  }
}
