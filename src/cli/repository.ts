// The repository that a command works on: the one around the current folder, or `$GIT_DIR`.

import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import type { RefReader, RefStore } from '../refs/ref-store.ts';
import { openBackend } from '../repository/backend.ts';
import type { Config } from '../repository/config.ts';
import { readConfig } from '../repository/config-layers.ts';
import { discoverGitDir, type GitDirs } from '../repository/discover.ts';
import { linkedGitDirs } from '../repository/worktrees.ts';
import { hint } from './output.ts';

interface FoundRepository {
  readonly dirs: GitDirs;
  /** The settings that hold in it. */
  readonly config: Config;
}

let found: FoundRepository | undefined;

/** Finds the repository and reads its configuration, once for all who ask. Throws `RefError`. */
export function findRepository(): FoundRepository {
  if (found === undefined) {
    const { env } = process;
    const dirs = discoverGitDir('.', { env });
    const { gitDir, commonDir, shownAs } = dirs;
    found = { dirs, config: readConfig(gitDir, { env, commonDir, shownAs }) };
  }
  return found;
}

/** Opens the refs of the repository. The process's end closes them. Throws `RefError`. */
export function openRepository(): RefStore {
  const { dirs, config } = findRepository();
  const { gitDir, commonDir, workTree, shownAs } = dirs;
  return openBackend(gitDir, {
    ...{ config, commonDir, hasWorkTree: workTree !== undefined, workTree, shownAs },
    isFound: process.env.GIT_DIR === undefined,
    advise: hint,
  });
}

/** The refs of the repository's other worktrees, and what their own are called from here. Throws `RefError`. */
export function openOtherWorktrees(): { prefix: string; refs: RefReader }[] {
  const { gitDir, commonDir } = findRepository().dirs;
  const own = realpathSync(gitDir);
  const main = { prefix: 'main-worktree/', folder: commonDir };
  const linked = linkedGitDirs(commonDir).map((folder) => ({
    prefix: `worktrees/${basename(folder)}/`,
    folder,
  }));
  return [main, ...linked]
    .filter(({ folder }) => realpathSync(folder) !== own)
    .map(({ prefix, folder }) => ({ prefix, refs: openBackend(folder, { commonDir }) }));
}
