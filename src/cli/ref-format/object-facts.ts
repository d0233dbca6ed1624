// What fields need to know of objects, looked up for many refs at a time and once for each object.

import type { GitObject, ObjectSource } from '../../objects/object-source.ts';
import { peelTag } from '../../objects/tag-target.ts';
import type { ListedRef } from './listed-ref.ts';

/** An object, as far as it was asked for. */
export interface ObjectFacts {
  readonly oid: string;
  readonly type: string;
  /** Of the content, bytes. */
  readonly size: number;
  /** Byte text; `undefined` where only the header was asked for. */
  readonly content: string | undefined;
}

/** What a field makes of an object. */
export interface ObjectField {
  text(object: ObjectFacts): string;
  /** What it is sorted by, where that is a number. */
  number?: ((object: ObjectFacts) => number) | undefined;
}

/** How much of an object is needed. */
export type ObjectNeed = 'nothing' | 'header' | 'content';

/** What a set of fields needs of a ref's object, and of what that comes down to. */
export interface ObjectNeeds {
  readonly own: ObjectNeed;
  /** `undefined` where no field asks for the peeled object. */
  readonly peeled: ObjectNeed | undefined;
}

/** So much content is kept for the refs that follow, bytes: many may share one commit. */
const KEPT_CONTENT = 64 * 1024 * 1024;

export class ObjectReader {
  readonly #source: ObjectSource | undefined;
  #facts = new Map<string, ObjectFacts>();
  #kept = 0;

  /** Without a source, every object is one that cannot be read. */
  constructor(source: ObjectSource | undefined) {
    this.#source = source;
  }

  /** Sets the objects of the refs; where they cannot be had, `trouble` says why. */
  async load(refs: readonly ListedRef[], { own, peeled }: ObjectNeeds): Promise<void> {
    if (own === 'nothing' && peeled === undefined) return;
    if (this.#kept > KEPT_CONTENT) {
      this.#facts = new Map();
      this.#kept = 0;
    }
    // Git looks into every object to find out what it comes down to.
    await this.#learn(
      refs.map(({ oid }) => oid),
      peeled === undefined ? own : 'content',
    );
    for (const ref of refs) ref.object = await this.#object(ref, ref.oid);
    if (peeled === undefined) return;
    const targets = new Map<ListedRef, string>();
    for (const ref of refs) {
      if (ref.object?.type !== 'tag') continue;
      const target = ref.peeled ?? (await peelTag(this.#source!, ref.oid));
      if (target === undefined) ref.trouble ??= 'bad tag';
      else targets.set(ref, target);
    }
    await this.#learn([...targets.values()], peeled);
    for (const [ref, target] of targets) ref.peeledObject = await this.#object(ref, target);
  }

  async #learn(oids: readonly string[], need: ObjectNeed): Promise<void> {
    const facts = this.#facts;
    const unknown = oids.filter((oid) => {
      const known = facts.get(oid);
      return known === undefined || (need === 'content' && known.content === undefined);
    });
    if (unknown.length === 0 || this.#source === undefined) return;
    if (need === 'content') {
      for (const oid of new Set(unknown)) this.#keep(oid, await this.#source.read(oid));
      return;
    }
    for (const [oid, finding] of await this.#source.lookup(unknown)) {
      if (typeof finding === 'object') facts.set(oid, { oid, ...finding, content: undefined });
    }
  }

  #keep(oid: string, object: GitObject | undefined): void {
    if (object === undefined) return;
    const { type, content } = object;
    const text = Buffer.from(content.buffer, content.byteOffset, content.length).toString('latin1');
    this.#facts.set(oid, { oid, type, size: content.length, content: text });
    this.#kept += content.length;
  }

  async #object(ref: ListedRef, oid: string): Promise<ObjectFacts | undefined> {
    const known = this.#facts.get(oid);
    if (known === undefined) {
      const finding = (await this.#source?.lookup([oid]))?.get(oid) ?? 'unknown';
      ref.trouble ??= objectTrouble(ref.name, oid, finding === 'missing' ? finding : 'unknown');
    }
    return known;
  }
}

/** Why a ref cannot be shown, in Git's words where Git has any. */
export function objectTrouble(name: string, oid: string, finding: 'missing' | 'unknown'): string {
  return finding === 'missing'
    ? `missing object ${oid} for ${name}`
    : `object ${oid} for ${name} cannot be read: it may be in a pack`;
}
