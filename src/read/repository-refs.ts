// The refs of the repository that a folder belongs to, opened for as long as one question takes.

import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { PackedRefsFormat } from '../files/packed-refs/format.ts';
import { isPseudoref } from '../refs/ref-name.ts';
import { resolveRef } from '../refs/resolve.ts';
import { parseWorktreeRef } from '../refs/worktrees/worktree-ref.ts';
import { parseConfig } from '../repository/config.ts';
import {
  commonDirOf,
  notARepository,
  physicalPath,
  type RepositoryDirs,
  repositoryAt,
} from '../repository/git-dir.ts';
import { packedRefsSettings } from '../repository/packed-refs-settings.ts';
import { type RepositoryFormat, repositoryFormat } from '../repository/repository-format.ts';
import { ioError } from '../storage/io-error.ts';
import { openLooseRefs } from './loose-refs.ts';
import { peeledBy } from './peeling.ts';
import { openReftableRefs } from './reftable-refs.ts';
import type { StoredRef, StoredRefs } from './stored-refs.ts';

/** What symrefs lead to. */
export interface Resolution {
  /** The last name, whether or not there is a ref of that name. */
  name: string;
  ref: StoredRef | undefined;
}

export class RepositoryRefs {
  readonly #dirs: RepositoryDirs;
  readonly #format: RepositoryFormat;
  readonly #packedRefs: PackedRefsFormat;
  readonly #open = new Map<string, StoredRefs>();

  /** Throws `NOT_A_REPOSITORY`, `UNSUPPORTED_REPOSITORY`, `INVALID_CONFIG`, `IO`. */
  constructor(dir: string) {
    this.#dirs = findRepository(dir);
    const file = join(this.#dirs.commonDir, 'config');
    const config = parseConfig(readConfigText(file), file);
    this.#format = repositoryFormat(config);
    const { packedRefsVersion: version, hashPackedRefs: isHashed } = packedRefsSettings(config);
    this.#packedRefs = { objectFormat: this.#format.objectFormat, version, isHashed };
  }

  resolve(name: string): Resolution {
    let at = name;
    const ref = resolveRef(name, (next) => {
      at = next;
      return this.#read(next);
    });
    return { name: at, ref };
  }

  /** The refs of a folder that all worktrees share, as `refs/heads/`; those that symrefs lead to under their names. */
  *list(prefix: string): Generator<{ name: string; ref: StoredRef }> {
    for (const stored of this.#refsIn(this.#dirs.commonDir).list(prefix)) {
      const { name } = stored;
      const ref = stored.target === undefined ? stored : this.resolve(name).ref;
      if (ref !== undefined) yield { name, ref };
    }
  }

  /** What an annotated tag comes down to; `undefined` for a ref to another object. */
  peel(ref: StoredRef): string | undefined {
    const { commonDir } = this.#dirs;
    if (this.#refsIn(commonDir).isPeeled(ref)) return ref.peeled;
    return peeledBy(join(commonDir, 'objects'), this.#format.objectFormat, ref.oid!);
  }

  close(): void {
    for (const refs of this.#open.values()) refs.close();
  }

  #read(name: string): StoredRef | undefined {
    const at = parseWorktreeRef(name);
    const { gitDir, commonDir } = this.#dirs;
    if (at.worktree === 'current') return this.#refsIn(gitDir, name).read(name);
    const folder = at.worktree === 'linked' ? join(commonDir, 'worktrees', at.id) : commonDir;
    return this.#refsIn(folder, at.name).read(at.name);
  }

  #refsIn(folder: string, name = ''): StoredRefs {
    const { objectFormat, refStorage } = this.#format;
    // These are files in every format.
    const isTable = refStorage === 'reftable' && !isPseudoref(name);
    const path = isTable ? join(folder, 'reftable') : folder;
    const refs =
      this.#open.get(path) ??
      (isTable ? openReftableRefs(path, objectFormat) : openLooseRefs(path, this.#packedRefs));
    this.#open.set(path, refs);
    return refs;
  }
}

/** The first of the folder and its parents that has a `.git` folder or file, or is a bare repository. */
function findRepository(dir: string): RepositoryDirs {
  const start = resolve(dir);
  // Symbolic links in the path matter to its parents alone, and resolving them takes long.
  const found = repositoryIn(start);
  if (found !== undefined) return found;
  for (let folder = physicalPath(start); ; folder = dirname(folder)) {
    const found = repositoryIn(folder);
    if (found !== undefined) return found;
    if (folder === dirname(folder)) {
      throw notARepository('not a git repository (or any of the parent directories): .git', start);
    }
  }
}

function repositoryIn(folder: string): RepositoryDirs | undefined {
  const found = repositoryAt(join(folder, '.git'), folder, {});
  if (found !== undefined) return found;
  const commonDir = commonDirOf(folder, folder, {});
  return commonDir === undefined ? undefined : { gitDir: folder, commonDir };
}

/** The configuration's text; empty where there is none, as Git takes it. */
function readConfigText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw ioError('read', file, error);
  }
}
