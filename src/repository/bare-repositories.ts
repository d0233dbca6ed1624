// Whether a bare repository may be used that was come upon and not named (`safe.bareRepository`): one that is part of
// another repository's files brings a configuration of its own along.

import { RefError } from '../errors.ts';
import { badSetting, type Config } from './config.ts';

/** Bare for who is inside of them, but parts of a repository that was made here. */
const PARTS = /\/\.git(?:$|\/(?:worktrees|modules)\/)/;

/**
 * Throws `UNSUPPORTED_REPOSITORY`, in Git's words, where the user's own configuration allows only what is named;
 * `INVALID_CONFIG` where it says neither `all` nor `explicit`.
 */
export function assertBareAllowed(gitDir: string, config: Config): void {
  // What the repository says of itself does not count.
  const entry = config.entries.findLast(
    ({ key, scope }) => key === 'safe.barerepository' && scope !== 'local' && scope !== 'worktree',
  );
  if (entry === undefined || entry.value === 'all') return;
  if (entry.value !== 'explicit') {
    const error = badSetting(entry, `missing value for '${entry.key}'`);
    // Git has no reason for a wrong value.
    throw entry.value === null ? error : new RefError(error.code, error.message);
  }
  if (PARTS.test(gitDir)) return;
  const message = `cannot use bare repository '${gitDir}' (safe.bareRepository is 'explicit')`;
  throw new RefError('UNSUPPORTED_REPOSITORY', message, { file: gitDir });
}
