// A reftable repository, open: its store, and the files that isomorphic-git takes it for.

import type { RefStore } from '../refs/ref-store.ts';
import { HeldRefs, STASH } from './held-refs.ts';
import { RefChanges } from './ref-changes.ts';
import { RefFiles } from './ref-files.ts';

/** A store, and what has to be done before it is read. */
export interface OpenStore {
  store: RefStore;
  /** Brings what is read up to date, where the store does not do so by itself. */
  refresh?: (() => Promise<void>) | undefined;
}

export class ReftableRepository {
  readonly held = new HeldRefs();
  readonly files: RefFiles;
  readonly changes: RefChanges;
  readonly #open: OpenStore;

  /**
   * Reads the names of all refs once: isomorphic-git takes a folder that it cannot list for an empty one, so damage has
   * to be told of before. Throws what reading a store throws, and closes it then.
   */
  static async open(open: OpenStore): Promise<ReftableRepository> {
    try {
      await open.refresh?.();
      for (const _ of open.store.refs({ includeRoot: true }));
    } catch (error) {
      open.store.close();
      throw error;
    }
    return new ReftableRepository(open);
  }

  private constructor(open: OpenStore) {
    this.#open = open;
    this.files = new RefFiles(open.store, this.held);
    this.changes = new RefChanges(open.store, this.held, this.files);
  }

  /** Before anything is done to the file `inside`. */
  async enter(inside: string): Promise<void> {
    if (inside !== STASH && inside !== `logs/${STASH}`) await this.changes.deleteStash();
    await this.#open.refresh?.();
  }

  async close(): Promise<void> {
    await this.#open.store.idle();
    this.#open.store.close();
  }
}
