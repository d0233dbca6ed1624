// Answers a reader's questions from the files of a repository.

import { compareText } from '../format/text.ts';
import type {
  DirectRef,
  Ref,
  ReflogEntry,
  ReflogOptions,
  RefReader,
  RefsOptions,
} from '../refs/ref-store.ts';
import { resolveRef } from '../refs/resolve.ts';
import { mergedWithShared } from '../refs/worktrees/merged-names.ts';
import type { FilesView } from './files-view.ts';

/** Reads a ref of which the file is damaged: `read` and `resolve` throw `CORRUPT_REF`; listing leaves it out. */
export class FilesReader implements RefReader {
  protected readonly view: FilesView;

  constructor(view: FilesView) {
    this.view = view;
  }

  read(name: string): Ref | undefined {
    return this.view.ref(name) as Ref | undefined;
  }

  resolve(name: string): DirectRef | undefined {
    return resolveRef(name, (at) => this.view.ref(at)) as DirectRef | undefined;
  }

  /** The files are read at once, for a ref that is packed meanwhile would be missed. */
  *refs(options: RefsOptions = {}): IterableIterator<Ref> {
    const { prefix = '', after, includeRoot = false } = options;
    const isAfter = (name: string) => after === undefined || compareText(name, after) > 0;
    if (includeRoot) {
      for (const ref of this.view.loose.rootRefs()) {
        const isWhole = ref.oid !== undefined || ref.target !== undefined;
        if (isWhole && ref.name.startsWith(prefix) && isAfter(ref.name)) yield ref as Ref;
      }
    }
    for (const ref of this.view.refs(prefix)) {
      if (isAfter(ref.name)) yield ref as Ref;
    }
  }

  *refsPointingAt(oid: string): IterableIterator<DirectRef> {
    const wanted = oid.toLowerCase();
    for (const ref of this.view.refs('')) {
      if (ref.oid === wanted || ref.peeled === wanted) yield ref as DirectRef;
    }
  }

  reflog(name: string, options: ReflogOptions = {}): IterableIterator<ReflogEntry> {
    const path = this.view.paths.log(name);
    return options.order === 'oldest-first'
      ? this.view.logs.oldestFirst(path)
      : this.view.logs.newestFirst(path);
  }

  hasReflog(name: string): boolean {
    return this.view.hasReflog(name);
  }

  reflogNames(): IterableIterator<string> {
    const { own, shared } = this.view.paths.logFolders;
    const all = this.view.logs.names(shared);
    if (!this.view.paths.isLinked) return all;
    return mergedWithShared(this.view.logs.names(own), all, (name) => name);
  }
}
