// Objects that were found a moment ago are there: commands that follow each other point refs at the same ones.

import type { GitObject, ObjectFinding, ObjectSource } from '../objects/object-source.ts';

/** So many are remembered, and then forgotten all at once. */
const CAPACITY = 1024;

/** The content of larger ones is not remembered, bytes. */
const LARGEST = 4096;

export class RememberedObjects implements ObjectSource {
  readonly #source: ObjectSource;
  readonly #found = new Map<string, ObjectFinding>();
  readonly #read = new Map<string, GitObject>();

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

  async read(oid: string): Promise<GitObject | undefined> {
    const known = this.#read.get(oid);
    if (known !== undefined) return known;
    const object = await this.#source.read(oid);
    if (object === undefined || object.content.length > LARGEST) return object;
    if (this.#read.size === CAPACITY) this.#read.clear();
    this.#read.set(oid, object);
    return object;
  }
}
