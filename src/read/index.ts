// `reftable/read`: what HEAD, a branch or the tags of a repository are, at once and whatever format its refs have.
// For tools that ask at start-up and end: it is small, needs no other module, and keeps nothing open.

import { RefError } from '../errors.ts';
import { checkRefName } from '../refs/ref-name.ts';
import { RepositoryRefs } from './repository-refs.ts';

export { RefError, type RefErrorCode, ReftableFormatError } from '../errors.ts';

export interface Head {
  /** The branch that HEAD names, without `refs/heads/`; `undefined` where HEAD is detached, or names no branch. */
  branch: string | undefined;
  /** The object id, hex; `undefined` on a branch that is not born yet. */
  oid: string | undefined;
  /** Whether HEAD holds an object id of its own. */
  detached: boolean;
}

export interface ListedRef {
  /** Without `refs/heads/` or `refs/tags/`. */
  name: string;
  /** The object id, hex. */
  oid: string;
}

export interface ListedTag extends ListedRef {
  /**
   * What an annotated tag comes down to, tags of tags followed; `undefined` for a tag that is no object. In the files
   * format also where neither `packed-refs` tells it nor the tag's object is a file of its own: packs are not read.
   */
  peeled: string | undefined;
}

/**
 * HEAD of the repository that the folder `dir` belongs to: a folder in a work tree (a linked one, or a submodule's,
 * too), or a bare repository. Git's environment variables (`GIT_DIR` and so on) are not looked at.
 *
 * Throws `RefError`s: `NOT_A_REPOSITORY`; `UNSUPPORTED_REPOSITORY` for a format or an extension that is not known, with
 * its name; `INVALID_CONFIG`; `CORRUPT_TABLE`, `CORRUPT_LIST`, `MISSING_TABLE`, `CORRUPT_REF` for what is damaged;
 * `SYMREF_DEPTH` for symrefs in a circle; `IO`.
 */
export function readHead(dir: string): Head {
  return withRefs(dir, (refs) => {
    const { name, ref } = refs.resolve('HEAD');
    const branch = name.startsWith(BRANCHES) ? name.slice(BRANCHES.length) : undefined;
    return { branch, oid: ref?.oid, detached: name === 'HEAD' && ref !== undefined };
  });
}

/**
 * The object id, hex, of the ref with the full name `name` (`refs/heads/main`, `HEAD`), symrefs followed; `undefined`
 * if there is no such ref. Throws as `readHead` does, and `BAD_NAME` for what cannot be a ref's name.
 */
export function readRef(dir: string, name: string): string | undefined {
  const complaint = checkRefName(name, { allowOneLevel: true });
  if (complaint !== undefined) {
    throw new RefError('BAD_NAME', `'${name}' is no ref name: it ${complaint}`, { ref: name });
  }
  return withRefs(dir, (refs) => refs.resolve(name).ref?.oid);
}

/** The branches, in byte order. One whose file is damaged is left out, as by Git. Throws as `readHead` does. */
export function listBranches(dir: string): ListedRef[] {
  return withRefs(dir, (refs) =>
    Array.from(refs.list(BRANCHES), ({ name, ref }) => ({
      name: name.slice(BRANCHES.length),
      oid: ref.oid!,
    })),
  );
}

/** The tags, in byte order. Throws as `listBranches` does, and `CORRUPT_OBJECT`. */
export function listTags(dir: string): ListedTag[] {
  return withRefs(dir, (refs) =>
    Array.from(refs.list(TAGS), ({ name, ref }) => ({
      name: name.slice(TAGS.length),
      oid: ref.oid!,
      peeled: refs.peel(ref),
    })),
  );
}

const BRANCHES = 'refs/heads/';
const TAGS = 'refs/tags/';

function withRefs<T>(dir: string, ask: (refs: RepositoryRefs) => T): T {
  const refs = new RepositoryRefs(dir);
  try {
    return ask(refs);
  } finally {
    refs.close();
  }
}
