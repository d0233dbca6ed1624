// Objects that were found a moment ago are there: commands that follow each other point refs at the same ones.

import type {
  Awaitable,
  GitObject,
  ObjectFinding,
  ObjectSource,
} from '../objects/object-source.ts';

/** So many are remembered, and then forgotten all at once. */
const CAPACITY = 1024;

export class RememberedObjects implements ObjectSource {
  readonly #source: ObjectSource;
  readonly #found = new Map<string, ObjectFinding>();

  constructor(source: ObjectSource) {
    this.#source = source;
  }

  async lookup(oids: readonly string[]): Promise<ReadonlyMap<string, ObjectFinding>> {
    if (oids.every((oid) => this.#found.has(oid))) return this.#found;
    const findings = await this.#source.lookup(oids);
    if (this.#found.size + findings.size > CAPACITY) this.#found.clear();
    for (const [oid, finding] of findings) {
      if (typeof finding === 'object') this.#found.set(oid, finding);
    }
    return findings;
  }

  read(oid: string): Awaitable<GitObject | undefined> {
    return this.#source.read(oid);
  }
}
