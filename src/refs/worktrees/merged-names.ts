// What a linked worktree has for itself and what all share, seen as one.

import { compareText } from '../../format/text.ts';
import { parseWorktreeRef } from './worktree-ref.ts';

/**
 * What a linked worktree has and what is shared, in byte order. Of a name in both its own counts, and what the
 * shared stack has of the main worktree's does not.
 */
export function* mergedWithShared<T>(
  own: Iterator<T>,
  shared: Iterator<T>,
  nameOf: (item: T) => string,
): IterableIterator<T> {
  try {
    let ofOwn = nextOf(own);
    let ofShared = nextOf(shared, isShared);
    while (ofOwn !== undefined || ofShared !== undefined) {
      const order = compare(ofOwn, ofShared);
      yield order <= 0 ? ofOwn! : ofShared!;
      if (order <= 0) ofOwn = nextOf(own);
      if (order >= 0) ofShared = nextOf(shared, isShared);
    }
  } finally {
    own.return?.();
    shared.return?.();
  }

  function isShared(item: T): boolean {
    return parseWorktreeRef(nameOf(item)).worktree === 'shared';
  }

  function compare(a: T | undefined, b: T | undefined): number {
    if (a === undefined) return 1;
    return b === undefined ? -1 : compareText(nameOf(a), nameOf(b));
  }
}

function nextOf<T>(items: Iterator<T>, accepts: (item: T) => boolean = () => true): T | undefined {
  for (let next = items.next(); !next.done; next = items.next()) {
    if (accepts(next.value)) return next.value;
  }
  return undefined;
}
