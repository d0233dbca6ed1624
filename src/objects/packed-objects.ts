// Objects in packs, read by isomorphic-git where that is installed.

import * as fs from 'node:fs';
import { basename, dirname } from 'node:path';
import { type IsomorphicPlace, readByIsomorphicGit } from './isomorphic-reader.ts';
import type { GitObject } from './object-source.ts';

export class PackedObjects {
  /** `undefined` where isomorphic-git would not find it: it looks for a folder of this name in a repository. */
  readonly #place: IsomorphicPlace | undefined;

  constructor(folder: string) {
    const isNamedAsUsual = basename(folder) === 'objects';
    this.#place = isNamedAsUsual ? { fs, gitdir: dirname(folder), cache: {} } : undefined;
  }

  /** The object; `missing` if no pack has it, `unknown` if they cannot be read. */
  async read(oid: string): Promise<GitObject | 'missing' | 'unknown'> {
    const isSha1 = oid.length === 40;
    return this.#place && isSha1 ? readByIsomorphicGit(this.#place, oid) : 'unknown';
  }
}
