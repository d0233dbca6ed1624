// What refs point at, read by isomorphic-git: from whatever file system it is that its caller has.

import { type IsomorphicPlace, readByIsomorphicGit } from '../objects/isomorphic-reader.ts';
import type { GitObject, ObjectFinding, ObjectSource } from '../objects/object-source.ts';

export class IsomorphicObjects implements ObjectSource {
  readonly #place: IsomorphicPlace;

  constructor(fs: unknown, gitdir: string) {
    this.#place = { fs: { promises: fs }, gitdir, cache: {} };
  }

  async lookup(oids: readonly string[]): Promise<ReadonlyMap<string, ObjectFinding>> {
    const findings = new Map<string, ObjectFinding>();
    for (const oid of oids) {
      const found = await readByIsomorphicGit(this.#place, oid);
      const isRead = typeof found === 'object';
      findings.set(oid, isRead ? { type: found.type, size: found.content.length } : found);
    }
    return findings;
  }

  async read(oid: string): Promise<GitObject | undefined> {
    const found = await readByIsomorphicGit(this.#place, oid);
    return typeof found === 'object' ? found : undefined;
  }
}
