// The refs of a repository as files have them: a ref's own file counts, and packed-refs where it has none. Files are
// read first, because who packs a ref writes packed-refs before it removes the file.

import type { LogRecord, RefRecord } from '../format/records.ts';
import { compareText } from '../format/text.ts';
import type { RefView } from '../refs/ref-view.ts';
import { tryResolve } from '../refs/resolve.ts';
import type { LooseSource } from './loose-refs.ts';
import type { PackedRef } from './packed-refs/packed-ref.ts';
import type { PackedRefs } from './packed-refs/packed-refs.ts';
import type { RefPaths } from './ref-paths.ts';
import type { ReflogFiles } from './reflog-files.ts';

export class FilesView implements RefView {
  readonly paths: RefPaths;
  readonly loose: LooseSource;
  readonly logs: ReflogFiles;
  readonly #packed: () => PackedRefs;

  /** `packed` gives the records of packed-refs as they are now. */
  constructor(paths: RefPaths, loose: LooseSource, logs: ReflogFiles, packed: () => PackedRefs) {
    this.paths = paths;
    this.loose = loose;
    this.logs = logs;
    this.#packed = packed;
  }

  /** Throws `CORRUPT_REF`, `IO`. */
  ref(name: string): RefRecord | undefined {
    const loose = this.loose.read(name);
    if (loose !== undefined && loose !== 'folder') return loose;
    const packed = this.#packed().find(name);
    return packed && recordOf(packed);
  }

  firstFrom(name: string): string | undefined {
    // What lies below a name is asked for most, and found without reading the rest.
    const prefix = name.endsWith('/') ? name : '';
    for (const ref of this.refs(prefix)) {
      if (compareText(ref.name, name) >= 0) return ref.name;
    }
    return undefined;
  }

  /** The refs below `refs/` whose names begin with `prefix`, in byte order. Throws `CORRUPT_REF`, `IO`. */
  refs(prefix: string): IterableIterator<RefRecord> {
    const below = 'refs/'.startsWith(prefix) ? 'refs/' : prefix;
    if (!below.startsWith('refs/')) return [].values();
    const loose = [...this.loose.refs(below)];
    return merged(loose, this.#packed().from(below, below));
  }

  /** What a ref is at, or the one that it leads to; `undefined` where that is nothing. Throws `IO`. */
  resolvedOid(name: string): string | undefined {
    const found = tryResolve(name, this);
    return found === 'broken' ? undefined : found?.oid;
  }

  hasReflog(name: string): boolean {
    return this.logs.exists(this.paths.log(name));
  }

  /** Nothing asks for them: a reflog goes with its file. */
  log(): Iterable<LogRecord> {
    return [];
  }

  /** What packed-refs has, by itself: the files are held against a new name by its lock. */
  get packedView(): RefView {
    return {
      ref: (name) => {
        const packed = this.#packed().find(name);
        return packed && recordOf(packed);
      },
      firstFrom: (name) => this.#packed().firstFrom(name),
      hasReflog: (name) => this.hasReflog(name),
      log: () => [],
    };
  }
}

function* merged(
  loose: readonly RefRecord[],
  packed: Iterator<PackedRef>,
): IterableIterator<RefRecord> {
  const nextPacked = (): PackedRef | undefined => {
    for (;;) {
      const { value, done } = packed.next();
      if (done === true) return undefined;
      if (!value.hasBadName) return value;
    }
  };
  let record = nextPacked();
  for (const ref of loose) {
    while (record !== undefined && compareText(record.name, ref.name) < 0) {
      yield recordOf(record);
      record = nextPacked();
    }
    if (record?.name === ref.name) record = nextPacked();
    if (ref.oid !== undefined || ref.target !== undefined) yield ref;
  }
  for (; record !== undefined; record = nextPacked()) yield recordOf(record);
}

function recordOf(packed: PackedRef): RefRecord {
  const { name, oid, peeled } = packed;
  return { name, updateIndex: 0, oid, peeled };
}
