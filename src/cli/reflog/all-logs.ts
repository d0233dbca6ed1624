// All logs that there are, in whichever worktree.

import type { RefReader } from '../../refs/ref-store.ts';
import { isPerWorktree } from '../../refs/worktrees/worktree-ref.ts';
import { openOtherWorktrees } from '../repository.ts';

/**
 * The names of the logs that `refs` has, and, unless a single worktree is asked for, of those that other worktrees
 * have for themselves (`worktrees/ID/HEAD`).
 */
export function allLogs(refs: RefReader, isSingleWorktree: boolean): string[] {
  const names = [...refs.reflogNames()];
  if (isSingleWorktree) return names;
  for (const { prefix, refs: others } of openOtherWorktrees()) {
    for (const name of others.reflogNames()) {
      if (isPerWorktree(name)) names.push(prefix + name);
    }
  }
  return names;
}
