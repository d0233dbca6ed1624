// Opening the refs of a repository, whatever its backend: the face that checks what callers pass.

import { RefError } from '../errors.ts';
import type { RefStore } from '../refs/ref-store.ts';
import { type OpenRefStoreOptions, openBackend } from './backend.ts';
import { complaintAbout } from './options-schema.ts';

/**
 * Opens the refs of the repository at `gitDir` (`.git`, the folder of a bare repository, or a linked worktree's
 * folder in `worktrees/`).
 *
 * Throws `NOT_A_REPOSITORY`; `UNSUPPORTED_REPOSITORY` for a format, an extension or a ref storage that is
 * not known, saying which was found; `INVALID_CONFIG`; `INVALID_ARGUMENT` for arguments of another shape.
 */
export function openRefStore(gitDir: string, options: OpenRefStoreOptions = {}): RefStore {
  if (typeof gitDir !== 'string' || gitDir === '') {
    const found = typeof gitDir === 'string' ? 'an empty string' : typeof gitDir;
    throw new RefError('INVALID_ARGUMENT', `gitDir: expected a path, found ${found}`);
  }
  const complaint = complaintAbout(options);
  if (complaint !== undefined) throw new RefError('INVALID_ARGUMENT', complaint);
  return openBackend(gitDir, options);
}
