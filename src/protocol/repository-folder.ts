// A folder whose repositories are served: which of them a client means by a path.

import { realpathSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { RefError } from '../errors.ts';
import type { RepositoryDirs } from '../repository/git-dir.ts';
import { enterRepository } from './served-repository.ts';

/**
 * Finds repositories in `folder`, which may be one itself, and in the folders below it, as `git upload-pack` would.
 * A path begins with a slash, which is the folder. None that leads out of it finds anything, be it by `..` or by a
 * symbolic link.
 */
export function repositoriesIn(
  folder: string,
  env: Record<string, string | undefined>,
): (path: string) => RepositoryDirs | undefined {
  const root = realpathSync(resolve(folder));
  return (path) => {
    if (path.includes('\0') || path.split(/[/\\]/).includes('..')) return undefined;
    try {
      const { at, ...dirs } = enterRepository(join(root, path), { env });
      const real = realpathSync(at);
      return `${real}${sep}`.startsWith(root.endsWith(sep) ? root : root + sep) ? dirs : undefined;
    } catch (error) {
      if (error instanceof RefError) return undefined;
      throw error;
    }
  };
}
