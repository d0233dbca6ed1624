// The repository at a path: a folder that is one, or a `.git` file that points to one.

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
import { dirname, join, resolve } from 'node:path';
import { RefError } from '../errors.ts';

/** A repository, before it is known how it was come to. */
export interface RepositoryDirs {
  /** The repository itself, or a linked worktree's part of it: holds `HEAD`. */
  gitDir: string;
  /** What all worktrees share: holds `config` and `objects`. The same as `gitDir` but in a linked worktree. */
  commonDir: string;
}

/** In bytes. */
const MAX_GIT_FILE_SIZE = 2 ** 20;

type Environment = Record<string, string | undefined>;

/** The folder's path without symbolic links, whose parents are those that Git would walk. */
export function physicalPath(start: string): string {
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

/**
 * The repository at a path, which may be a folder or a file that points to one (`gitdir: PATH`);
 * `undefined` if it is neither.
 *
 * Throws `NOT_A_REPOSITORY` if it is a file but does not point to a repository.
 */
export function repositoryAt(
  path: string,
  base: string,
  env: Environment,
): RepositoryDirs | undefined {
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
export function commonDirOf(folder: string, base: string, env: Environment): string | undefined {
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

export function notARepository(message: string, file: string, cause?: unknown): RefError {
  return new RefError('NOT_A_REPOSITORY', message, { file, cause });
}
