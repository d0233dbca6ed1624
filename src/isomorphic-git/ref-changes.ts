// What is done to the files of refs and reflogs, as transactions of a store.

import { RefError } from '../errors.ts';
import { isOid } from '../format/object-format.ts';
import type { RefStore } from '../refs/ref-store.ts';
import { fsError } from './fs-error.ts';
import { type HeldRefs, type RefValue, STASH, updateTo } from './held-refs.ts';
import { logName, type RefFiles } from './ref-files.ts';
import { parseReflog } from './reflog-text.ts';

export class RefChanges {
  readonly #store: RefStore;
  readonly #held: HeldRefs;
  readonly #files: RefFiles;

  constructor(store: RefStore, held: HeldRefs, files: RefFiles) {
    this.#store = store;
    this.#held = held;
    this.#files = files;
  }

  /** Makes a file say `text`. Throws `EINVAL` for what no such file says, and what a transaction throws. */
  async write(inside: string, text: string, path: string): Promise<void> {
    const log = logName(inside);
    if (log !== undefined) return this.#writeReflog(log, text, path);
    const value = this.#parse(text);
    if (value === undefined || inside === 'packed-refs') throw fsError('EINVAL', 'open', path);
    if (inside === STASH) this.#held.keepStash();
    const before = this.#files.ref(inside);
    if (before?.oid === value.oid && before?.target === value.target) return;
    if (this.#held.isFetching && (await this.#isMissing(value))) {
      this.#held.set(inside, value);
      return;
    }
    this.#held.delete(inside);
    await this.#store.transaction([updateTo(inside, value)]);
  }

  /** Throws `ENOENT`, `EPERM`, and what a transaction throws. */
  async remove(inside: string, path: string): Promise<void> {
    const log = logName(inside);
    const isThere = log === undefined ? this.#files.ref(inside) : this.#files.hasReflog(log);
    if (!isThere) throw fsError('ENOENT', 'unlink', path);
    // A repository without it is none.
    if (inside === 'HEAD') throw fsError('EPERM', 'unlink', path);
    if (log !== undefined) {
      await this.deleteStash();
      return this.#store.deleteReflog(log);
    }
    const wasHeld = this.#held.delete(inside);
    if (wasHeld && this.#store.read(inside) === undefined) return;
    if (inside === STASH && !this.#store.reflog(STASH).next().done) return this.#held.deleteStash();
    await this.#delete(inside);
  }

  /** Deletes the stash, if that is still to be done. */
  async deleteStash(): Promise<void> {
    if (!this.#held.stashIsDeleted) return;
    this.#held.keepStash();
    await this.#delete(STASH);
  }

  /** Gives a ref another name, and its reflog with it. */
  async rename(from: string, to: string, path: string): Promise<void> {
    if (this.#files.ref(from) === undefined) throw fsError('ENOENT', 'rename', path);
    await this.#store.renameRef(from, to);
  }

  /** Makes what is held one transaction. What cannot be made is left out, and the first of it thrown. */
  async publish(): Promise<void> {
    this.#held.endFetch();
    const updates = this.#held.take();
    if (updates.length === 0) return;
    const { rejected } = await this.#store.transaction(updates, { batchUpdates: true });
    const [first] = rejected;
    if (first === undefined) return;
    const code = first.reason === 'refname conflict' ? 'NAME_CONFLICT' : 'INVALID_NEW_VALUE';
    throw new RefError(code, first.message, { ref: first.ref });
  }

  async #delete(ref: string): Promise<void> {
    await this.#store.transaction([{ type: 'delete', ref, deref: false }]);
  }

  #parse(text: string): RefValue | undefined {
    const target = /^ref:\s*(\S+)\s*$/.exec(text)?.[1];
    if (target !== undefined) return { target };
    const oid = text.trim().toLowerCase();
    return isOid(oid, this.#store.objectFormat) ? { oid } : undefined;
  }

  async #isMissing({ oid, target }: RefValue): Promise<boolean> {
    if (target !== undefined) return this.#store.read(target) === undefined;
    return (await this.#store.objects?.lookup([oid]))?.get(oid) === 'missing';
  }

  /** Drops the entries that are not in the text, and adds those that are only there. */
  async #writeReflog(name: string, text: string, path: string): Promise<void> {
    const wanted = parseReflog(text);
    if (wanted === undefined) throw fsError('EINVAL', 'open', path);
    let kept = 0;
    const isKept = ({ newOid, message }: { newOid: string; message: string }): boolean => {
      const next = wanted[kept];
      if (next?.newOid !== newOid || next.message !== message) return false;
      kept++;
      return true;
    };
    const entries = [...this.#store.reflog(name, { order: 'oldest-first' })].map(isKept);
    if (entries.includes(false)) {
      let at = 0;
      await this.#store.expireReflog(name, { shouldExpire: () => entries[at++] === false });
    }
    for (const entry of wanted.slice(kept)) await this.#store.writeReflogEntry(name, entry);
  }
}
