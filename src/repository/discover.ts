// Finding the repository that a folder belongs to, as Git's setup does.

import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { parseConfigBoolean } from '../config-value.ts';
import { RefError } from '../errors.ts';
import { environmentBoolean } from './config-environment.ts';

/** Where a repository's parts are, as absolute paths. */
export interface GitDirs {
  /** The repository itself, or a linked worktree's part of it: holds `HEAD`. */
  gitDir: string;
  /** What all worktrees share: holds `config` and `objects`. The same as `gitDir` but in a linked worktree. */
  commonDir: string;
  /**
   * The root of the work tree, as far as it can be told without the configuration: `core.bare` and
   * `core.worktree` may say otherwise. `undefined` where a bare repository, or a `.git` folder from
   * within, was found.
   */
  workTree?: string;
  /** How Git names `gitDir` in what it says: `.git`, `.`, as it was given to it, or the real path. */
  shownAs: string;
}

/** A repository, before it is known how it was come to. */
type FoundDirs = Pick<GitDirs, 'gitDir' | 'commonDir'>;

/** In bytes. */
const MAX_GIT_FILE_SIZE = 2 ** 20;

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

/** The folder's path without symbolic links, whose parents are those that Git would walk. */
function physicalPath(start: string): string {
  const cwd = process.cwd();
  const path = resolve(cwd, start);
  if (path === cwd) return cwd;
  try {
    return realpathSync.native(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'No such file or directory' : code;
    throw notARepository(`cannot change to '${start}': ${reason}`, start, cause);
  }
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
function withWorkTree(found: FoundDirs, shownAs: string, start: string, given: string): GitDirs {
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
      return env.GIT_WORK_TREE === undefined
        ? bare
        : withWorkTree(bare, bare.shownAs, start, env.GIT_WORK_TREE);
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

/**
 * The repository at a path, which may be a folder or a file that points to one (`gitdir: PATH`);
 * `undefined` if it is neither.
 *
 * Throws `NOT_A_REPOSITORY` if it is a file but does not point to a repository.
 */
function repositoryAt(path: string, base: string, env: Environment): FoundDirs | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (stats.isDirectory()) {
    const commonDir = commonDirOf(path, base, env);
    return commonDir === undefined ? undefined : { gitDir: path, commonDir };
  }
  if (!stats.isFile()) throw notARepository(`not a regular file: '${path}'`, path);
  const gitDir = readGitFile(path, stats.size);
  const commonDir = commonDirOf(gitDir, base, env);
  if (commonDir === undefined) {
    throw notARepository(`gitfile does not point to a valid repository: ${path}`, path);
  }
  return { gitDir: realpathSync.native(gitDir), commonDir };
}

/** The path that a `.git` file names. */
function readGitFile(path: string, size: number): string {
  if (size > MAX_GIT_FILE_SIZE)
    throw notARepository(`too large to be a .git file: '${path}'`, path);
  const text = readTextFile(path);
  if (!text.startsWith('gitdir: ')) throw notARepository(`invalid gitfile format: ${path}`, path);
  const target = text.slice('gitdir: '.length).replace(/[\r\n]+$/, '');
  if (target === '') throw notARepository(`no path in gitfile: ${path}`, path);
  return resolve(dirname(path), target);
}

/** The common folder of the repository that `folder` holds, `undefined` if it holds none. */
function commonDirOf(folder: string, base: string, env: Environment): string | undefined {
  if (!hasHead(folder)) return undefined;
  const commonDir =
    env.GIT_COMMON_DIR === undefined
      ? (linkedCommonDir(folder) ?? folder)
      : resolve(base, env.GIT_COMMON_DIR);
  const objects =
    env.GIT_OBJECT_DIRECTORY === undefined
      ? join(commonDir, 'objects')
      : resolve(base, env.GIT_OBJECT_DIRECTORY);
  return isEnterable(objects) && isEnterable(join(commonDir, 'refs')) ? commonDir : undefined;
}

/** Whether the folder has a `HEAD` that is a symref or an object id, the first sign of a repository. */
function hasHead(folder: string): boolean {
  const path = join(folder, 'HEAD');
  // Not by opening it alone: a folder on the way up has none, and an exception costs more than this.
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  // As old Gits made it; of an unborn branch it dangles.
  if (stats.isSymbolicLink()) return readlinkSync(path).startsWith('refs/');
  if (!stats.isFile()) return false;
  return /^(?:ref:[ \t\r\n]*refs\/|[0-9a-f]{40})/i.test(readTextFile(path));
}

function isEnterable(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Where a linked worktree's `commondir` file points; `undefined` in the main one. Throws `NOT_A_REPOSITORY`, `IO`. */
export function linkedCommonDir(gitDir: string): string | undefined {
  const file = join(gitDir, 'commondir');
  if (!existsSync(file)) return undefined;
  const target = readTextFile(file).replace(/[\r\n]+$/, '');
  try {
    // `..` counts from where the folder really is.
    return realpathSync.native(resolve(realpathSync.native(gitDir), target));
  } catch (cause) {
    throw notARepository(`not a git repository: '${resolve(gitDir, target)}'`, file, cause);
  }
}

function readTextFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new RefError('IO', `error reading ${path}`, { file: path, cause });
  }
}

function notARepository(message: string, file: string, cause?: unknown): RefError {
  return new RefError('NOT_A_REPOSITORY', message, { file, cause });
}
