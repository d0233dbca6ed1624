// What was written and is not in the store yet, because it could not be there by itself:
//
// - What a fetch writes. isomorphic-git writes the refs first and the pack afterwards, but a ref is only pointed at an
//   object that exists. They become one transaction when the pack is there. Of a fetch that fails, nothing stays.
// - That the stash was removed. Dropping one of several removes the ref first, with which its reflog would go, and then
//   writes the reflog that it has read.

import type { RefUpdate } from '../refs/ref-store.ts';

/** What a ref is going to be. */
export type RefValue = { oid: string; target?: undefined } | { oid?: undefined; target: string };

export const STASH = 'refs/stash';

export class HeldRefs {
  readonly #values = new Map<string, RefValue>();
  #stashIsDeleted = false;
  /** Whether a fetch has begun, and its pack is not there yet. */
  #isFetching = false;

  get isFetching(): boolean {
    return this.#isFetching;
  }

  get stashIsDeleted(): boolean {
    return this.#stashIsDeleted;
  }

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  /** `undefined` for a ref of which nothing is held. */
  get(name: string): RefValue | 'deleted' | undefined {
    if (name === STASH && this.#stashIsDeleted) return 'deleted';
    return this.#values.get(name);
  }

  values(): Iterable<[string, RefValue]> {
    return this.#values;
  }

  set(name: string, value: RefValue): void {
    this.#values.set(name, value);
  }

  delete(name: string): boolean {
    return this.#values.delete(name);
  }

  deleteStash(): void {
    this.#stashIsDeleted = true;
  }

  keepStash(): void {
    this.#stashIsDeleted = false;
  }

  /** What one that failed left is forgotten. */
  beginFetch(): void {
    this.#values.clear();
    this.#isFetching = true;
  }

  endFetch(): void {
    this.#isFetching = false;
  }

  /** The updates that make the store what is held, which is held no more. */
  take(): RefUpdate[] {
    const updates = Array.from(this.#values, ([name, value]) => updateTo(name, value));
    this.#values.clear();
    return updates;
  }
}

/** Makes a ref what is to be in its file: the ref itself, whatever it is now. */
export function updateTo(ref: string, { oid, target }: RefValue): RefUpdate {
  if (target === undefined) return { type: 'update', ref, newOid: oid!, deref: false };
  return { type: 'symref-update', ref, newTarget: target };
}
