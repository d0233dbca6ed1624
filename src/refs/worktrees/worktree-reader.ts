// Answers a reader's questions from the stacks of a repository, as Git does in one of its worktrees: the shared
// refs and the worktree's own as one, in byte order, and those of the other worktrees by their long names.

import type { RefRecord } from '../../format/records.ts';
import type { Stack } from '../../stack/stack.ts';
import type { StackSnapshot } from '../../stack/stack-snapshot.ts';
import type { MergedTable } from '../../table/merged-table.ts';
import type {
  DirectRef,
  Ref,
  ReflogEntry,
  ReflogOptions,
  RefReader,
  RefsOptions,
} from '../ref-store.ts';
import { resolveRef } from '../resolve.ts';
import { TableReader } from '../table-reader.ts';
import { mergedWithShared } from './merged-names.ts';
import type { WorktreeStacks } from './worktree-stacks.ts';

export class WorktreeReader implements RefReader {
  readonly #stacks: WorktreeStacks;
  readonly #current: (stack: Stack) => StackSnapshot;
  readonly #readers = new Map<Stack, TableReader>();
  readonly #shared: TableReader;
  readonly #own: TableReader;

  /** `current` gives the tables of a stack: always the same ones, or the newest there are. */
  constructor(stacks: WorktreeStacks, current: (stack: Stack) => StackSnapshot) {
    this.#stacks = stacks;
    this.#current = current;
    this.#shared = this.#readerOf(stacks.shared);
    this.#own = this.#readerOf(stacks.own);
  }

  read(name: string): Ref | undefined {
    if (this.#stacks.isPlain(name)) return this.#shared.read(name);
    const { stack, name: there } = this.#stacks.locate(name);
    const ref = stack && this.#readerOf(stack).read(there);
    return ref === undefined || there === name ? ref : { ...ref, name };
  }

  resolve(name: string): DirectRef | undefined {
    return resolveRef(name, this.#lookingOnce()) as DirectRef | undefined;
  }

  refs(options: RefsOptions = {}): IterableIterator<Ref> {
    const shared = this.#shared.refs(options);
    if (!this.#stacks.isLinked) return shared;
    return mergedWithShared(this.#own.refs(options), shared, ({ name }) => name);
  }

  refsPointingAt(oid: string): IterableIterator<DirectRef> {
    const shared = this.#shared.refsPointingAt(oid);
    if (!this.#stacks.isLinked) return shared;
    return mergedWithShared(this.#own.refsPointingAt(oid), shared, ({ name }) => name);
  }

  reflog(name: string, options: ReflogOptions = {}): IterableIterator<ReflogEntry> {
    const { stack, name: there } = this.#stacks.locate(name);
    return stack ? this.#readerOf(stack).reflog(there, options) : [].values();
  }

  hasReflog(name: string): boolean {
    const { stack, name: there } = this.#stacks.locate(name);
    return stack !== undefined && this.#readerOf(stack).hasReflog(there);
  }

  reflogNames(): IterableIterator<string> {
    const shared = this.#shared.reflogNames();
    if (!this.#stacks.isLinked) return shared;
    return mergedWithShared(this.#own.reflogNames(), shared, (name) => name);
  }

  #readerOf(stack: Stack): TableReader {
    let reader = this.#readers.get(stack);
    if (reader === undefined) {
      reader = new TableReader(() => this.#current(stack));
      this.#readers.set(stack, reader);
    }
    return reader;
  }

  /** Reads refs; whether a stack has changed is asked once, however many of its refs a chain of symrefs has. */
  #lookingOnce(): (name: string) => RefRecord | undefined {
    const stacks = this.#stacks;
    let shared: MergedTable | undefined;
    let others: Map<Stack, MergedTable> | undefined;
    const tables = (stack: Stack): MergedTable => {
      if (stack === stacks.shared) {
        shared ??= this.#current(stack).merged;
        return shared;
      }
      others ??= new Map();
      let found = others.get(stack);
      if (found === undefined) {
        found = this.#current(stack).merged;
        others.set(stack, found);
      }
      return found;
    };
    return (name) => {
      if (stacks.isPlain(name)) return tables(stacks.shared).readRef(name);
      const { stack, name: there } = stacks.locate(name);
      const record = stack && tables(stack).readRef(there);
      return record === undefined || there === name ? record : { ...record, name };
    };
  }
}
