// Objects in packs, read by isomorphic-git where that is installed. It knows SHA-1 alone, and takes the packs that
// it reads into memory.

import * as fs from 'node:fs';
import { basename, dirname } from 'node:path';
import type { GitObject } from './object-source.ts';

/** As much of isomorphic-git as is used; its own types would have to be installed with ours. */
interface PackReader {
  readObject(options: {
    fs: unknown;
    gitdir: string;
    oid: string;
    format: 'content';
    cache: object;
  }): Promise<{ type: GitObject['type']; object: Uint8Array }>;
}

// No literal in the import: the package is optional, so that neither the build nor the types may need it.
const PACKAGE: string = 'isomorphic-git';

let reader: Promise<PackReader | undefined> | undefined;

function packReader(): Promise<PackReader | undefined> {
  reader ??= import(PACKAGE).then(
    (module: PackReader & { default?: PackReader }) => module.default ?? module,
    () => undefined,
  );
  return reader;
}

export class PackedObjects {
  readonly #folder: string;
  /** Where isomorphic-git keeps the indexes and packs that it has read. */
  readonly #cache = {};

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The object; `missing` if no pack has it, `unknown` if they cannot be read. */
  async read(oid: string): Promise<GitObject | 'missing' | 'unknown'> {
    // It looks for a folder of this name in the repository that it is given.
    const isNamedAsUsual = basename(this.#folder) === 'objects';
    const packs = isNamedAsUsual && oid.length === 40 ? await packReader() : undefined;
    if (packs === undefined) return 'unknown';
    const gitdir = dirname(this.#folder);
    try {
      const options = { fs, gitdir, oid, format: 'content', cache: this.#cache } as const;
      const { type, object } = await packs.readObject(options);
      return { type, content: object };
    } catch (error) {
      if ((error as { code?: unknown }).code === 'NotFoundError') return 'missing';
      throw error;
    }
  }
}
