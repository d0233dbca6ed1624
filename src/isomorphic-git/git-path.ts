// Which file of a repository a path may be, as far as the path tells: which folder would be the repository, and what
// is asked for in it.

import { isRootRef } from '../refs/ref-name.ts';

/** A file or folder that holds refs or reflogs in the files format. */
export interface RefPath {
  /** The folder that is the repository, if it is one. */
  gitDir: string;
  /** `HEAD`, `refs/…`, `logs/…`, `packed-refs`: below the repository, without a slash at the end. */
  inside: string;
}

/** Nearly all paths are of files that are none of these, and pass by this alone. */
const MAY_BE_REF = /(?:^|\/)(?:[A-Z_]*HEAD|[A-Z]+_[A-Z_]+|packed-refs|refs|logs)(?:\/|$)/;

/** What a path may be, the shortest repository first. */
export function refPaths(path: string): RefPath[] {
  if (!MAY_BE_REF.test(path)) return [];
  const parts = path.split('/').filter((part, i) => i === 0 || (part !== '' && part !== '.'));
  const found: RefPath[] = [];
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!;
    const isLast = i === parts.length - 1;
    const isFolder = part === 'refs' || part === 'logs';
    if (!isFolder && !(isLast && (part === 'packed-refs' || isRootRef(part)))) continue;
    const gitDir = i === 1 && parts[0] === '' ? '/' : parts.slice(0, i).join('/') || '.';
    found.push({ gitDir, inside: parts.slice(i).join('/') });
  }
  return found;
}

/** The repository whose file of this name the path is; `undefined` if it is another file. */
export function repositoryOf(path: string, inside: string): string | undefined {
  return path.endsWith(`/${inside}`) ? path.slice(0, -inside.length - 1) : undefined;
}

/** The repository whose pack the path is the index of; that is written last, when the objects are there. */
export function repositoryOfPackIndex(path: string): string | undefined {
  return /^(.*)\/objects\/pack\/[^/]+\.idx$/.exec(path)?.[1];
}
