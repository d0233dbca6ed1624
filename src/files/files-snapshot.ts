// A view of a files store that stays as it is: packed-refs is held as it was, and a loose ref is remembered as it was
// found first. Files cannot be had all at one instant: what nobody has asked for yet may still change, as for Git.

import { RefError } from '../errors.ts';
import type { RefRecord } from '../format/records.ts';
import type { RefSnapshot } from '../refs/ref-store.ts';
import type { FilesHost } from './files-host.ts';
import { FilesReader } from './files-reader.ts';
import { FilesView } from './files-view.ts';
import type { LooseRef, LooseSource } from './loose-refs.ts';
import type { PackedRefs } from './packed-refs/packed-refs.ts';
import type { PackedRefsFile } from './packed-refs/packed-refs-file.ts';

export class FilesSnapshot extends FilesReader implements RefSnapshot {
  readonly #packed: HeldPackedRefs;

  constructor({ view, packed }: FilesHost) {
    const held = new HeldPackedRefs(packed);
    const loose = new RememberedRefs(view.loose, held);
    super(new FilesView(view.paths, loose, view.logs, () => held.refs));
    this.#packed = held;
    forgotten.register(this, held, this);
  }

  close(): void {
    forgotten.unregister(this);
    this.#packed.release();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** The packed refs of the moment: that of the first question, or of the last loose ref that had gone. */
class HeldPackedRefs {
  readonly #file: PackedRefsFile;
  #refs: PackedRefs | undefined;
  #isClosed = false;

  constructor(file: PackedRefsFile) {
    this.#file = file;
    this.#refs = file.current().retain();
  }

  get refs(): PackedRefs {
    if (this.#refs !== undefined && !this.#isClosed) return this.#refs;
    throw new RefError('CLOSED', 'the snapshot is closed');
  }

  /** A file that was not there may have been packed since packed-refs was read. */
  catchUp(): void {
    const now = this.#file.current();
    if (now === this.refs) return;
    this.refs.release();
    this.#refs = now.retain();
  }

  release(): void {
    if (!this.#isClosed) this.#refs?.release();
    this.#isClosed = true;
  }
}

/** The safety net for snapshots that nobody closed. */
const forgotten = new FinalizationRegistry<HeldPackedRefs>((held) => held.release());

/** Loose refs as they were found first. */
class RememberedRefs implements LooseSource {
  readonly #loose: LooseSource;
  readonly #packed: HeldPackedRefs;
  readonly #byName = new Map<string, LooseRef>();
  #all: readonly RefRecord[] | undefined;
  #root: readonly RefRecord[] | undefined;

  constructor(loose: LooseSource, packed: HeldPackedRefs) {
    this.#loose = loose;
    this.#packed = packed;
  }

  read(name: string): LooseRef {
    if (this.#byName.has(name)) return this.#byName.get(name);
    const found = this.#loose.read(name);
    if (found === undefined && this.#packed.refs.find(name) === undefined) this.#packed.catchUp();
    this.#byName.set(name, found);
    return found;
  }

  isFolder(name: string): boolean {
    return this.#loose.isFolder(name);
  }

  refs(prefix: string): IterableIterator<RefRecord> {
    if (this.#all === undefined) {
      this.#all = [...this.#loose.refs('refs/')];
      this.#packed.catchUp();
    }
    return this.#all.filter(({ name }) => name.startsWith(prefix)).values();
  }

  rootRefs(): IterableIterator<RefRecord> {
    this.#root ??= [...this.#loose.rootRefs()];
    return this.#root.values();
  }
}
