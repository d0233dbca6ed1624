// What refs point at, read by isomorphic-git: from whatever file system it is that its caller has.

import type { GitObject, ObjectFinding, ObjectSource } from '../objects/object-source.ts';

/** As much of isomorphic-git as is used. Its own types would have to be installed with ours. */
interface ObjectReader {
  readObject(options: {
    fs: unknown;
    gitdir: string;
    oid: string;
    format: 'content';
    cache: object;
  }): Promise<{ type: GitObject['type']; object: Uint8Array }>;
}

// No literal in the import: neither the build nor the types may need the package.
const PACKAGE: string = 'isomorphic-git';

export class IsomorphicObjects implements ObjectSource {
  readonly #fs: unknown;
  readonly #gitdir: string;
  /** Where isomorphic-git keeps the packs that it has read. */
  readonly #cache = {};
  #reader: Promise<ObjectReader> | undefined;

  constructor(fs: unknown, gitdir: string) {
    this.#fs = { promises: fs };
    this.#gitdir = gitdir;
  }

  async lookup(oids: readonly string[]): Promise<ReadonlyMap<string, ObjectFinding>> {
    const findings = new Map<string, ObjectFinding>();
    for (const oid of oids) {
      const object = await this.read(oid);
      findings.set(oid, object ? { type: object.type, size: object.content.length } : 'missing');
    }
    return findings;
  }

  async read(oid: string): Promise<GitObject | undefined> {
    this.#reader ??= import(PACKAGE).then((module) => module.default ?? module);
    const { readObject } = await this.#reader;
    const where = { fs: this.#fs, gitdir: this.#gitdir, cache: this.#cache };
    try {
      const { type, object } = await readObject({ ...where, oid, format: 'content' });
      return { type, content: object };
    } catch (error) {
      if ((error as { code?: unknown }).code === 'NotFoundError') return undefined;
      throw error;
    }
  }
}
