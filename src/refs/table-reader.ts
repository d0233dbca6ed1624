// Answers a reader's questions from the tables of one stack snapshot.

import type { StackSnapshot } from '../stack/stack-snapshot.ts';
import { NameWalker } from '../table/name-walker.ts';
import { isExistenceMarker, reflogEntry } from './edits/reflog-entry.ts';
import { isRootRef } from './ref-name.ts';
import type {
  DirectRef,
  Ref,
  ReflogEntry,
  ReflogOptions,
  RefReader,
  RefsOptions,
} from './ref-store.ts';
import { resolveRef } from './resolve.ts';

/**
 * A reader over what `current` gives when it is asked: always the same one, or the newest there is. An
 * iterator goes on with the one that it began with, and holds it until it ends.
 */
export class TableReader implements RefReader {
  readonly #current: () => StackSnapshot;

  constructor(current: () => StackSnapshot) {
    this.#current = current;
  }

  read(name: string): Ref | undefined {
    return this.#current().merged.readRef(name) as Ref | undefined;
  }

  resolve(name: string): DirectRef | undefined {
    const { merged } = this.#current();
    return resolveRef(name, (at) => merged.readRef(at)) as DirectRef | undefined;
  }

  refs(options: RefsOptions = {}): IterableIterator<Ref> {
    const { prefix = '', after, includeRoot = false } = options;
    const below = includeRoot || prefix.startsWith('refs/') ? prefix : 'refs/';
    if (!below.startsWith(prefix)) return [].values();
    // NUL is in no name: this is the first key that can come after `after`.
    const from = after === undefined ? undefined : `${after}\0`;
    const snapshot = this.#current();
    const hold = new Hold(snapshot);
    try {
      const refs = snapshot.merged.refs(below, from, () => hold.release());
      abandoned.register(refs, hold, hold);
      const all = refs as IterableIterator<Ref>;
      return below.startsWith('refs/') ? all : withoutStrays(all);
    } catch (error) {
      hold.release();
      throw error;
    }
  }

  refsPointingAt(oid: string): IterableIterator<DirectRef> {
    const snapshot = this.#current();
    const refs = snapshot.merged.refsPointingAt(oid.toLowerCase());
    return held(snapshot, refs as IterableIterator<DirectRef>);
  }

  reflog(name: string, options: ReflogOptions = {}): IterableIterator<ReflogEntry> {
    const snapshot = this.#current();
    const newestFirst = reflogEntries(snapshot, name);
    if (options.order !== 'oldest-first') return held(snapshot, newestFirst);
    // Entries are stored newest first, so the oldest one is known only when all were read.
    return [...newestFirst].reverse().values();
  }

  hasReflog(name: string): boolean {
    return NameWalker.logs(this.#current().merged).has(name);
  }

  reflogNames(): IterableIterator<string> {
    const snapshot = this.#current();
    return held(snapshot, snapshot.merged.logNames());
  }
}

/** Outside `refs/` only root refs count. */
function* withoutStrays(refs: Iterable<Ref>): IterableIterator<Ref> {
  for (const ref of refs) {
    if (ref.name.startsWith('refs/') || isRootRef(ref.name)) yield ref;
  }
}

function* reflogEntries(snapshot: StackSnapshot, name: string): IterableIterator<ReflogEntry> {
  for (const { updateIndex, entry } of snapshot.merged.log(name)) {
    if (!isExistenceMarker(entry!)) yield reflogEntry(entry!, updateIndex);
  }
}

/** One use of a snapshot, which can be given up once. Knows nothing of who uses it. */
class Hold {
  #snapshot: StackSnapshot | undefined;

  constructor(snapshot: StackSnapshot) {
    this.#snapshot = snapshot.retain();
  }

  release(): void {
    if (this.#snapshot === undefined) return;
    this.#snapshot.release();
    this.#snapshot = undefined;
    abandoned.unregister(this);
  }
}

/** Gives up what an iterator held when nobody can reach the iterator any more. */
const abandoned = new FinalizationRegistry<Hold>((hold) => hold.release());

/** The same items; the snapshot stays open until the iterator ends, is returned from, or is abandoned. */
function held<T>(snapshot: StackSnapshot, items: Iterator<T>): IterableIterator<T> {
  const hold = new Hold(snapshot);
  let done = false;
  const end = () => {
    done = true;
    hold.release();
  };
  const iterator: IterableIterator<T> = {
    next() {
      if (done) return { done: true, value: undefined };
      try {
        const result = items.next();
        if (result.done === true) end();
        return result;
      } catch (error) {
        end();
        throw error;
      }
    },
    return(value) {
      if (!done) end();
      return { done: true, value };
    },
    [Symbol.iterator]() {
      return this;
    },
  };
  abandoned.register(iterator, hold, hold);
  return iterator;
}
