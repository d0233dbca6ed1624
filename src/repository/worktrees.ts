// The worktrees of a repository: the main one, whose refs are in the stack that all share, and the linked ones, each
// with a folder in `worktrees/` and a stack in that.

import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { WorktreeStacks } from '../refs/worktrees/worktree-stacks.ts';
import type { Stack } from '../stack/stack.ts';
import { linkedCommonDir } from './git-dir.ts';

/**
 * The stacks of the worktree at `gitDir`; `open` opens that of a folder. Whose the folder is says its own `commondir`
 * file, and no variable, as with Git.
 */
export function worktreeStacks(gitDir: string, open: (folder: string) => Stack): WorktreeStacks {
  // Whatever folder the process goes to, the lock and the tables stay the same ones.
  const own = resolve(gitDir);
  const commonDir = linkedCommonDir(own);
  const shared = open(join(commonDir ?? own, 'reftable'));
  const openLinked = (id: string) => {
    const folder = join(commonDir ?? own, 'worktrees', id, 'reftable');
    return id !== '' && id !== '.' && id !== '..' && existsSync(folder) ? open(folder) : undefined;
  };
  if (commonDir === undefined) return new WorktreeStacks(shared, { openLinked });
  const linked = { id: basename(own), stack: open(join(own, 'reftable')) };
  return new WorktreeStacks(shared, { linked, openLinked });
}
