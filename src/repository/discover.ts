// Finding the repository that a folder belongs to, as Git's setup does.

import { realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { parseConfigBoolean } from '../config-value.ts';
import { environmentBoolean } from './config-environment.ts';
import {
  commonDirOf,
  notARepository,
  physicalPath,
  type RepositoryDirs,
  repositoryAt,
} from './git-dir.ts';

/** Where a repository's parts are, as absolute paths. */
export interface GitDirs extends RepositoryDirs {
  /**
   * The root of the work tree, as far as it can be told without the configuration: `core.bare` and
   * `core.worktree` may say otherwise. `undefined` where a bare repository, or a `.git` folder from
   * within, was found.
   */
  workTree?: string;
  /** Whether it is a folder of a repository's own that was come upon, not the `.git` of another one. */
  isBare?: boolean;
  /** How Git names `gitDir` in what it says: `.git`, `.`, as it was given to it, or the real path. */
  shownAs: string;
}

type Environment = Record<string, string | undefined>;

/**
 * Finds the repository for a folder: `$GIT_DIR` if it is set, else the first of the folder and its
 * parents that has a `.git` folder or file, or is a bare repository. Honours `GIT_COMMON_DIR`,
 * `GIT_WORK_TREE`, `GIT_OBJECT_DIRECTORY`, `GIT_CEILING_DIRECTORIES` and
 * `GIT_DISCOVERY_ACROSS_FILESYSTEM`. Who owns the repository is not looked at
 * (`safe.directory`): that is done where one of its hooks is to be run.
 *
 * Throws `NOT_A_REPOSITORY`, in Git's words.
 */
export function discoverGitDir(start: string, { env }: { env: Environment }): GitDirs {
  const folder = physicalPath(start);
  return env.GIT_DIR === undefined
    ? searchUpwards(folder, env)
    : explicitGitDir(folder, env.GIT_DIR, env);
}

function explicitGitDir(folder: string, given: string, env: Environment): GitDirs {
  const found = repositoryAt(resolve(folder, given), folder, env);
  if (found === undefined) throw notARepository(`not a git repository: '${given}'`, given);
  const shownAs = statSync(resolve(folder, given)).isFile() ? found.gitDir : given;
  const isImplicit = env.GIT_WORK_TREE === undefined;
  if (isImplicit && !environmentBoolean(env, 'GIT_IMPLICIT_WORK_TREE', true)) {
    return { ...found, shownAs };
  }
  return withWorkTree(found, shownAs, folder, env.GIT_WORK_TREE ?? '.');
}

/** Git goes to the root of the work tree from within it, where a name that counts from elsewhere fails. */
function withWorkTree(
  found: RepositoryDirs,
  shownAs: string,
  start: string,
  given: string,
): GitDirs {
  const workTree = resolve(start, given);
  const isInside = start.startsWith(join(workTree, sep)) && start !== workTree;
  return { ...found, workTree, shownAs: isInside ? realpathSync.native(found.gitDir) : shownAs };
}

function searchUpwards(start: string, env: Environment): GitDirs {
  const ceiling = ceilingLength(start, env.GIT_CEILING_DIRECTORIES);
  let device: number | undefined;
  for (let folder = start; ; ) {
    const found = repositoryAt(join(folder, '.git'), start, env);
    if (found !== undefined) {
      const shownAs = found.gitDir === join(folder, '.git') ? '.git' : found.gitDir;
      if (env.GIT_WORK_TREE === undefined) return { ...found, workTree: folder, shownAs };
      const fromStart = folder === start ? shownAs : found.gitDir;
      return withWorkTree(found, fromStart, start, env.GIT_WORK_TREE);
    }
    const commonDir = commonDirOf(folder, start, env);
    if (commonDir !== undefined) {
      const bare = { gitDir: folder, commonDir, shownAs: folder === start ? '.' : folder };
      const dirs =
        env.GIT_WORK_TREE === undefined
          ? bare
          : withWorkTree(bare, bare.shownAs, start, env.GIT_WORK_TREE);
      return { ...dirs, isBare: true };
    }

    const parent = dirname(folder);
    if (parent === folder || parent.length <= ceiling) {
      throw notARepository('not a git repository (or any of the parent directories): .git', start);
    }
    if (!mayCrossFileSystems(env)) {
      device ??= statSync(folder).dev;
      if (statSync(parent).dev !== device) {
        throw notARepository(
          `not a git repository (or any parent up to mount point ${parent})\n` +
            'Stopping at filesystem boundary (GIT_DISCOVERY_ACROSS_FILESYSTEM not set).',
          start,
        );
      }
    }
    folder = parent;
  }
}

function mayCrossFileSystems(env: Environment): boolean {
  return parseConfigBoolean(env.GIT_DISCOVERY_ACROSS_FILESYSTEM ?? 'false') === true;
}

/**
 * The length of the longest path in `GIT_CEILING_DIRECTORIES` that the folder lies below, -1 if there is
 * none: that folder and its parents are not searched. Entries after an empty one are not freed of
 * symbolic links, which may be slow on a network.
 */
function ceilingLength(folder: string, list: string | undefined): number {
  let longest = -1;
  let isPhysical = false;
  for (const entry of list === undefined ? [] : list.split(delimiter)) {
    if (entry === '') isPhysical = true;
    if (!isAbsolute(entry)) continue;
    let ceiling = entry;
    if (!isPhysical) {
      try {
        ceiling = realpathSync.native(entry);
      } catch {
        continue;
      }
    }
    if (ceiling.endsWith(sep)) ceiling = ceiling.slice(0, -1);
    if (folder.startsWith(ceiling + sep) && folder.length > ceiling.length + 1) {
      longest = Math.max(longest, ceiling.length);
    }
  }
  return longest;
}
