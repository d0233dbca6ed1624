// Objects as isomorphic-git reads them, where that is installed: those in packs, too. It knows SHA-1 alone, and takes
// the packs that it reads into memory.

import type { GitObject } from './object-source.ts';

/** Where to read. */
export interface IsomorphicPlace {
  /** A file system as isomorphic-git takes it. */
  fs: unknown;
  /** The repository. */
  gitdir: string;
  /** Where isomorphic-git keeps the indexes and packs that it has read. */
  cache: object;
}

/** As much of isomorphic-git as is used; its own types would have to be installed with ours. */
interface ObjectReader {
  readObject(
    options: IsomorphicPlace & { oid: string; format: 'content' },
  ): Promise<{ type: GitObject['type']; object: Uint8Array }>;
}

// No literal in the import: the package is optional, so that neither the build nor the types may need it.
const PACKAGE: string = 'isomorphic-git';

let reader: Promise<ObjectReader | undefined> | undefined;

function isomorphicGit(): Promise<ObjectReader | undefined> {
  reader ??= import(PACKAGE).then(
    (module: ObjectReader & { default?: ObjectReader }) => module.default ?? module,
    () => undefined,
  );
  return reader;
}

/** The object; `missing` if there is none, `unknown` if isomorphic-git is not there. */
export async function readByIsomorphicGit(
  place: IsomorphicPlace,
  oid: string,
): Promise<GitObject | 'missing' | 'unknown'> {
  const git = await isomorphicGit();
  if (git === undefined) return 'unknown';
  try {
    const { type, object } = await git.readObject({ ...place, oid, format: 'content' });
    return { type, content: object };
  } catch (error) {
    if ((error as { code?: unknown }).code === 'NotFoundError') return 'missing';
    throw error;
  }
}
