// The repository that a command works on: the one around the current folder, or `$GIT_DIR`.

import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import type { RefReader, RefStore } from '../refs/ref-store.ts';
import { openBackend } from '../repository/backend.ts';
import type { Config } from '../repository/config.ts';
import { readConfig } from '../repository/config-layers.ts';
import { discoverGitDir } from '../repository/discover.ts';
import { linkedGitDirs } from '../repository/worktrees.ts';
import { hint } from './output.ts';

/** Opens the refs of the repository. The process's end closes them. Throws `RefError`. */
export function openRepository(): RefStore {
  const { env } = process;
  const { gitDir, commonDir, workTree, shownAs } = discoverGitDir('.', { env });
  return openBackend(gitDir, {
    ...{ commonDir, hasWorkTree: workTree !== undefined, workTree, shownAs },
    isFound: env.GIT_DIR === undefined,
    advise: hint,
  });
}

/** The refs of the repository's other worktrees, and what their own are called from here. Throws `RefError`. */
export function openOtherWorktrees(): { prefix: string; refs: RefReader }[] {
  const { gitDir, commonDir } = discoverGitDir('.', { env: process.env });
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

/** Reads the settings that hold in the repository. Throws `RefError`. */
export function readRepositoryConfig(): Config {
  const { gitDir, commonDir, shownAs } = discoverGitDir('.', { env: process.env });
  return readConfig(gitDir, { env: process.env, commonDir, shownAs });
}
