// A reftable repository, open: its store, and the files that isomorphic-git takes it for.

import type { RefStore } from '../refs/ref-store.ts';
import { type HeldRefs, STASH } from './held-refs.ts';
import { RefChanges } from './ref-changes.ts';
import { RefFiles } from './ref-files.ts';

/** A store, and what has to be done before it is read. */
export interface OpenStore {
  store: RefStore;
  /** Brings what is read up to date, where the store does not do so by itself. */
  refresh?: (() => Promise<void>) | undefined;
}

export class ReftableRepository {
  readonly held: HeldRefs;
  readonly files: RefFiles;
  readonly changes: RefChanges;
  readonly #open: OpenStore;
  /** How many calls are under way. */
  #uses = 0;
  /** Called when there are none left. */
  #unused = () => {};

  /**
   * `held` is what this repository did not get yet when it was open before. Reads the names of all refs once:
   * isomorphic-git takes a folder that it cannot list for an empty one, so damage has to be told of before. Throws what
   * reading a store throws, and closes it then.
   */
  static async open(open: OpenStore, held: HeldRefs): Promise<ReftableRepository> {
    try {
      await open.refresh?.();
      for (const _ of open.store.refs({ includeRoot: true }));
    } catch (error) {
      open.store.close();
      throw error;
    }
    return new ReftableRepository(open, held);
  }

  private constructor(open: OpenStore, held: HeldRefs) {
    this.#open = open;
    this.held = held;
    this.files = new RefFiles(open.store, held);
    this.changes = new RefChanges(open.store, held, this.files);
  }

  /** Does something with the file `inside`, on what is up to date. It has to be called for as soon as it was found. */
  async use<T>(inside: string, work: () => T | Promise<T>): Promise<T> {
    this.#uses++;
    try {
      if (inside !== STASH && inside !== `logs/${STASH}`) await this.changes.deleteStash();
      await this.#open.refresh?.();
      return await work();
    } finally {
      if (--this.#uses === 0) this.#unused();
    }
  }

  /** Lets go of the store when nobody uses it any more. */
  async close(): Promise<void> {
    // Who has just found it is about to use it.
    await new Promise(setImmediate);
    if (this.#uses > 0) {
      await new Promise<void>((resolve) => {
        this.#unused = resolve;
      });
    }
    await this.#open.store.idle();
    this.#open.store.close();
  }
}
