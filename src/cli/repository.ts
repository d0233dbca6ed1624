// The repository that a command works on: the one around the current folder, or `$GIT_DIR`.

import { realpathSync } from 'node:fs';
import { basename, relative } from 'node:path';
import type { RepositoryObjects } from '../objects/repository-objects.ts';
import type { RefReader, RefStore } from '../refs/ref-store.ts';
import { openBackend } from '../repository/backend.ts';
import { assertBareAllowed } from '../repository/bare-repositories.ts';
import type { Config } from '../repository/config.ts';
import { readConfig } from '../repository/config-layers.ts';
import { discoverGitDir, type GitDirs } from '../repository/discover.ts';
import { linkedGitDirs } from '../repository/linked-git-dirs.ts';
import { repositoryObjects } from '../repository/objects.ts';
import { repositoryFormat } from '../repository/repository-format.ts';
import { hint } from './output.ts';

interface FoundRepository {
  readonly dirs: GitDirs;
  /** The settings that hold in it. */
  readonly config: Config;
}

let found: FoundRepository | undefined;
let objects: RepositoryObjects | undefined;

/** Finds the repository and reads its configuration, once for all who ask. Throws `RefError`. */
export function findRepository(): FoundRepository {
  if (found === undefined) {
    const { env } = process;
    const dirs = discoverGitDir('.', { env });
    const { gitDir, commonDir, shownAs } = dirs;
    const config = readConfig(gitDir, { env, commonDir, shownAs });
    if (dirs.isBare === true) assertBareAllowed(gitDir, config);
    found = { dirs, config };
  }
  return found;
}

/** What the repository's refs point at. Throws `RefError`. */
export function openObjects(): RepositoryObjects {
  const { dirs, config } = findRepository();
  const { objectFormat } = repositoryFormat(config);
  objects ??= repositoryObjects(dirs.commonDir, objectFormat, process.env);
  return objects;
}

/** Opens the refs of the repository. The process's end closes them. Throws `RefError`. */
export function openRepository(): RefStore {
  const { dirs, config } = findRepository();
  const { gitDir, commonDir, workTree, shownAs } = dirs;
  return openBackend(gitDir, {
    ...{ config, commonDir, hasWorkTree: workTree !== undefined, workTree, shownAs },
    prefix: prefixIn(workTree),
    isFound: process.env.GIT_DIR === undefined,
    advise: hint,
    objects: openObjects(),
  });
}

/** Where in the work tree we stand: empty, or a path that ends in a slash. */
function prefixIn(workTree: string | undefined): string {
  const path = workTree === undefined ? '' : relative(workTree, process.cwd());
  return path === '' || path.startsWith('..') ? '' : `${path}/`;
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
