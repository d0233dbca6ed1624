// Where the linked worktrees of a repository are.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The folders of the linked worktrees of the repository at `commonDir`, in order. */
export function linkedGitDirs(commonDir: string): string[] {
  const folder = join(commonDir, 'worktrees');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .map((id) => join(folder, id))
    .filter((gitDir) => existsSync(join(gitDir, 'commondir')));
}
