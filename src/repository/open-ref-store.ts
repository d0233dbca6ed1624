// Finding a repository, making one and opening its refs, whatever the backend: the face that checks what callers
// pass.

import { RefError } from '../errors.ts';
import type { RefStore } from '../refs/ref-store.ts';
import { type OpenRefStoreOptions, openBackend } from './backend.ts';
import { discoverGitDir as findGitDirs, type GitDirs } from './discover.ts';
import type { InitOptions, InitResult } from './init.ts';
import { complaintAbout } from './options-schema.ts';

export interface DiscoverOptions {
  /** The variables that Git would look at (`GIT_DIR`, `GIT_CEILING_DIRECTORIES`, …). Default: the process's. */
  env?: Record<string, string | undefined> | undefined;
}

/**
 * Opens the refs of the repository at `gitDir` (`.git`, the folder of a bare repository, or a linked worktree's
 * folder in `worktrees/`).
 *
 * Throws `NOT_A_REPOSITORY`; `UNSUPPORTED_REPOSITORY` for a format, an extension or a ref storage that is
 * not known, saying which was found; `INVALID_CONFIG`; `INVALID_ARGUMENT` for arguments of another shape.
 */
export function openRefStore(gitDir: string, options: OpenRefStoreOptions = {}): RefStore {
  checkArguments('gitDir', gitDir, options, 'open');
  return openBackend(gitDir, options);
}

/**
 * Finds the repository for a folder as Git does: `$GIT_DIR` if it is set, else the first of the folder and its
 * parents that has a `.git` folder or file, or is a bare repository. `gitDir` of what it gives is what
 * `openRefStore` takes. Who owns the repository is not looked at. `env` is where Git's variables are looked for;
 * default: the process's.
 *
 * Throws `NOT_A_REPOSITORY`; `INVALID_CONFIG` for a variable that is no boolean; `IO`; `INVALID_ARGUMENT` for
 * arguments of another shape.
 */
export function discoverGitDir(start: string, options: DiscoverOptions = {}): GitDirs {
  checkArguments('start', start, options, 'discover');
  return findGitDirs(start, { env: options.env ?? process.env });
}

/**
 * Makes an empty repository for the folder `directory`, which is made if it is not there, with its refs in a
 * reftable stack, or in files. Where there is one already, only what is missing is made.
 *
 * Rejects with `BAD_NAME` for an initial branch that is none; `UNSUPPORTED_REPOSITORY` where there is a repository
 * of another object format or ref storage; `INVALID_CONFIG`; `IO`; `INVALID_ARGUMENT` for arguments of another
 * shape.
 */
export async function initRepository(
  directory: string,
  options: InitOptions = {},
): Promise<InitResult> {
  checkArguments('directory', directory, options, 'init');
  const { initRepository: makeRepository } = await import('./init.ts');
  return makeRepository(directory, options);
}

function checkArguments(
  name: string,
  path: unknown,
  options: unknown,
  of: Parameters<typeof complaintAbout>[1],
): void {
  if (typeof path !== 'string' || path === '') {
    const found = typeof path === 'string' ? 'an empty string' : typeof path;
    throw new RefError('INVALID_ARGUMENT', `${name}: expected a path, found ${found}`);
  }
  const complaint = complaintAbout(options, of);
  if (complaint !== undefined) throw new RefError('INVALID_ARGUMENT', complaint);
}
