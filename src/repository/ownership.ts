// Whether what a repository brings along may be run: a repository that somebody else has put where this user
// works must not make them run its programs.

import { statSync } from 'node:fs';
import { RefError } from '../errors.ts';
import type { Config } from './config.ts';

/**
 * Throws `UNSUPPORTED_REPOSITORY`, in Git's words, unless the folder `shown` belongs to `user`, who runs this, or their
 * own configuration names it in `safe.directory`.
 */
export function assertOwned(shown: string, config: Config, user = process.geteuid?.()): void {
  if (user === undefined || statSync(shown).uid === user || isSafe(shown, config)) return;
  const message =
    `detected dubious ownership in repository at '${shown}'\n` +
    'To add an exception for this directory, call:\n\n' +
    `\tgit config --global --add safe.directory ${shown}`;
  throw new RefError('UNSUPPORTED_REPOSITORY', message, { file: shown });
}

/** What the repository says of itself does not count. */
function isSafe(folder: string, config: Config): boolean {
  let isNamed = false;
  for (const { key, value, scope } of config.entries) {
    if (key !== 'safe.directory' || scope === 'local' || scope === 'worktree') continue;
    if (value === '' || value === null) isNamed = false;
    else if (value === '*' || value === folder) isNamed = true;
    else if (value.endsWith('/*') && folder.startsWith(value.slice(0, -1))) isNamed = true;
  }
  return isNamed;
}
