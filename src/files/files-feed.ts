// The changes of refs that are files: what is read when somebody asks is compared with what was read before. Files
// tell nothing of the steps between.

import type { Ref, RefChange, RefReader } from '../refs/ref-store.ts';
import type { ChangeFeed } from '../refs/watching/change-feed.ts';
import type { CheckedWatchOptions } from '../refs/watching/watch-options.ts';

type Watched = Pick<CheckedWatchOptions, 'prefix' | 'includeRoot'>;

export class FilesFeed implements ChangeFeed {
  readonly #reader: RefReader;
  readonly #watched: Watched;
  #seen: ReadonlyMap<string, Ref>;

  constructor(reader: RefReader, { prefix, includeRoot }: Watched) {
    this.#reader = reader;
    this.#watched = { prefix, includeRoot };
    this.#seen = this.#read();
  }

  /** Nothing rings: the files are in as many folders as names have, and are looked at as often as is asked for. */
  listen(): () => void {
    return () => {};
  }

  async *changes(): AsyncIterableIterator<RefChange> {
    const seen = this.#seen;
    const now = this.#read();
    this.#seen = now;
    for (const [name, before] of seen) {
      if (!now.has(name)) yield change(name, before, undefined);
    }
    for (const [name, ref] of now) {
      const before = seen.get(name);
      if (before?.oid !== ref.oid || before?.target !== ref.target) yield change(name, before, ref);
    }
  }

  close(): void {}

  #read(): Map<string, Ref> {
    return new Map(Array.from(this.#reader.refs(this.#watched), (ref) => [ref.name, ref]));
  }
}

function change(name: string, before: Ref | undefined, now: Ref | undefined): RefChange {
  return {
    name,
    oldOid: before?.oid,
    oldTarget: before?.target,
    newOid: now?.oid,
    newTarget: now?.target,
    updateIndex: undefined,
  };
}
