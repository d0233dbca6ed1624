// The changes of the refs in one stack, as a worktree sees them.

import { RefError } from '../../errors.ts';
import type { Stack } from '../../stack/stack.ts';
import type { StackSnapshot } from '../../stack/stack-snapshot.ts';
import { isRootRef } from '../ref-name.ts';
import type { RefChange } from '../ref-store.ts';
import { isPerWorktree } from '../worktrees/worktree-ref.ts';
import type { WorktreeStacks } from '../worktrees/worktree-stacks.ts';
import type { ChangeFeed } from './change-feed.ts';
import { changesBetween } from './stack-changes.ts';
import type { CheckedWatchOptions } from './watch-options.ts';

/** What a worktree sees: what all share, and what it has for itself. */
export function stackFeeds(
  stacks: WorktreeStacks,
  { prefix, includeRoot }: CheckedWatchOptions,
): ChangeFeed[] {
  const isWatched = (name: string) => name.startsWith('refs/') || (includeRoot && isRootRef(name));
  const own = new StackFeed(stacks.own, prefix, isWatched);
  if (!stacks.isLinked) return [own];
  // Of what the main worktree has for itself in the shared stack, nothing is seen.
  const isShared = (name: string) => isWatched(name) && !isPerWorktree(name);
  return [own, new StackFeed(stacks.shared, prefix, isShared)];
}

class StackFeed implements ChangeFeed {
  readonly #stack: Stack;
  readonly #prefix: string;
  readonly #accepts: (name: string) => boolean;
  /** What was told of: its tables stay open, whatever becomes of their files. */
  #seen: StackSnapshot;

  /** What changes from now on of the refs whose names begin with `prefix` and are accepted. */
  constructor(stack: Stack, prefix: string, accepts: (name: string) => boolean) {
    this.#stack = stack;
    this.#prefix = prefix;
    this.#accepts = accepts;
    this.#seen = stack.current().retain();
  }

  listen(persistent: boolean, changed: () => void): () => void {
    return this.#stack.store.watchList(persistent, changed);
  }

  async *changes(): AsyncIterableIterator<RefChange> {
    const seen = this.#seen;
    const now = this.#stack.current();
    if (now === seen) return;
    if (now.names.length === 0) this.#assertThere();
    this.#seen = now.retain();
    try {
      for await (const change of changesBetween(seen, now, this.#prefix)) {
        if (this.#accepts(change.name)) yield change;
      }
    } finally {
      seen.release();
    }
  }

  close(): void {
    this.#seen.release();
  }

  /** A repository may have no refs; one that was moved, or migrated to another ref storage, has no list of tables. */
  #assertThere(): void {
    const { store } = this.#stack;
    const list = store.readList();
    store.releaseList(list);
    if (list.isMissing !== true) return;
    const { location: file } = store;
    const message = `${file}: the refs that were watched are gone; open the repository again`;
    throw new RefError('NOT_A_REPOSITORY', message, { file });
  }
}
