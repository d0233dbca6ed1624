// What annotated tags come down to, for refs whose store does not say: of each object it is found out once whether
// it is a tag, as long as there are not too many to remember.

import { RefError } from '../errors.ts';
import { writeOid } from '../format/object-format.ts';
import type { ObjectFinding, ObjectSource } from './object-source.ts';
import { OidMap } from './oid-map.ts';
import { peelTag } from './tag-target.ts';

/** So many objects are remembered; then it starts anew. */
const MOST_REMEMBERED = 2 ** 17;

const NO_TAG = -1;

export class PeeledTags {
  readonly #objects: ObjectSource;
  readonly #oidLength: number;
  /** `NO_TAG`, or where in `#peeled` it stands what the tag comes down to, counted from 1. */
  #known: OidMap;
  #count = 0;
  #peeled: Uint8Array[] = [];

  constructor(objects: ObjectSource, oidLength: number) {
    this.#objects = objects;
    this.#oidLength = oidLength;
    this.#known = new OidMap(oidLength);
  }

  /** Whether it is known what the object at `at` is. */
  knows(bytes: Uint8Array, at: number): boolean {
    return this.#known.get(bytes, at) !== 0;
  }

  /** What a tag that is known comes down to; `undefined` for another object, and for a tag of nothing. */
  peeled(bytes: Uint8Array, at: number): Uint8Array | undefined {
    return this.#peeled[this.#known.get(bytes, at) - 1];
  }

  /** Finds out about these objects, some hundreds at most. What cannot be read is no tag. */
  async learn(oids: readonly string[]): Promise<void> {
    this.#count += oids.length;
    if (this.#count > MOST_REMEMBERED) {
      this.#known = new OidMap(this.#oidLength);
      this.#peeled = [];
      this.#count = oids.length;
    }
    for (const [oid, finding] of await this.#lookup(oids)) {
      const isTag = typeof finding === 'object' && finding.type === 'tag';
      const peeled = isTag ? await this.#orNothing(peelTag(this.#objects, oid)) : undefined;
      this.#known.set(this.#bytesOf(oid), 0, peeled === undefined ? NO_TAG : this.#add(peeled));
    }
  }

  async #lookup(oids: readonly string[]): Promise<Iterable<readonly [string, ObjectFinding]>> {
    const all = await this.#orNothing(this.#objects.lookup(oids));
    if (all !== undefined) return all;
    const findings: [string, ObjectFinding][] = [];
    for (const oid of oids) {
      const one = await this.#orNothing(this.#objects.lookup([oid]));
      findings.push([oid, one?.get(oid) ?? 'unknown']);
    }
    return findings;
  }

  /** `undefined` where an object is damaged or cannot be read. */
  async #orNothing<T>(answer: Promise<T>): Promise<T | undefined> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof RefError) return undefined;
      throw error;
    }
  }

  #add(peeled: string): number {
    return this.#peeled.push(this.#bytesOf(peeled));
  }

  #bytesOf(oid: string): Uint8Array {
    const bytes = new Uint8Array(this.#oidLength);
    writeOid(bytes, 0, oid);
    return bytes;
  }
}
