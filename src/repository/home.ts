// Paths in the configuration that begin with a user's home folder: `~/…` and `~user/…`.

import { readFileSync, realpathSync } from 'node:fs';

/**
 * A path with its home folder, freed of symbolic links if `real`; another path is given back as it is.
 * `undefined` where there is no such folder.
 */
export function expandHome(
  path: string,
  env: Record<string, string | undefined>,
  { real = false } = {},
): string | undefined {
  const match = /^~([^/]*)(?=\/|$)/.exec(path);
  if (match === null) return path;
  const user = match[1]!;
  const home = user === '' ? env.HOME : homeOf(user);
  if (home === undefined) return undefined;
  const rest = path.slice(match[0].length);
  if (!real || user !== '') return home + rest;
  try {
    return realpathSync.native(home) + rest;
  } catch {
    return home + rest;
  }
}

function homeOf(user: string): string | undefined {
  try {
    const entries = readFileSync('/etc/passwd', 'utf8').split('\n');
    return entries.find((entry) => entry.startsWith(`${user}:`))?.split(':')[5];
  } catch {
    return undefined;
  }
}
