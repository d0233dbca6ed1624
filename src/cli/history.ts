// Walking from commits to their parents, as far as the object source can read them.

import type { ObjectSource, ObjectType } from '../objects/object-source.ts';
import { parseTagTarget } from '../objects/tag-target.ts';
import { die } from './failure.ts';

/** How many commits only the one and only the other can reach. */
export interface Distance {
  ahead: number;
  behind: number;
}

interface PeeledObject {
  readonly oid: string;
  readonly type: ObjectType;
}

export class History {
  readonly #objects: ObjectSource | undefined;
  readonly #parents = new Map<string, readonly string[]>();
  readonly #peeled = new Map<string, PeeledObject | undefined>();

  constructor(objects: ObjectSource | undefined) {
    this.#objects = objects;
  }

  /** The object itself, or what a tag comes down to; `undefined` where that cannot be read. */
  async peel(oid: string): Promise<PeeledObject | undefined> {
    if (this.#peeled.has(oid)) return this.#peeled.get(oid);
    const object = await this.#objects?.read(oid);
    let peeled: PeeledObject | undefined;
    if (object?.type === 'tag') {
      const target = parseTagTarget(object.content, oid.length);
      peeled = target && (await this.peel(target.oid));
    } else if (object !== undefined) {
      peeled = { oid, type: object.type };
      if (object.type === 'commit') this.#parents.set(oid, parentsIn(object.content));
    }
    this.#peeled.set(oid, peeled);
    return peeled;
  }

  /** The commit that the object is, or that a tag comes down to; `undefined` where it is none. */
  async commitOf(oid: string): Promise<string | undefined> {
    const peeled = await this.peel(oid);
    return peeled?.type === 'commit' ? peeled.oid : undefined;
  }

  /** The commits and all that can be reached from them. Dies where one cannot be read. */
  async ancestors(commits: Iterable<string>): Promise<Set<string>> {
    const reached = new Set<string>();
    const waiting = [...commits];
    for (let commit = waiting.pop(); commit !== undefined; commit = waiting.pop()) {
      if (reached.has(commit)) continue;
      reached.add(commit);
      waiting.push(...(await this.parents(commit)));
    }
    return reached;
  }

  /** `undefined` where one of the objects comes down to no commit. Dies where one cannot be read. */
  async distance(oid: string, base: string): Promise<Distance | undefined> {
    const [here, there] = [await this.commitOf(oid), await this.commitOf(base)];
    if (here === undefined || there === undefined) return undefined;
    if (here === there) return { ahead: 0, behind: 0 };
    const [ours, theirs] = [await this.ancestors([here]), await this.ancestors([there])];
    let shared = 0;
    for (const commit of ours) if (theirs.has(commit)) shared++;
    return { ahead: ours.size - shared, behind: theirs.size - shared };
  }

  /** Dies where the commit cannot be read. */
  async parents(commit: string): Promise<readonly string[]> {
    if (!this.#parents.has(commit)) await this.commitOf(commit);
    return this.#parents.get(commit) ?? die(`Could not read ${commit}`);
  }
}

function parentsIn(content: Uint8Array): string[] {
  const text = Buffer.from(content).toString('latin1');
  const header = text.slice(0, text.indexOf('\n\n'));
  return [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, parent]) => parent!);
}

/** Tells of commits whether one of some others can be reached from them, and remembers. */
export class Containment {
  readonly #history: History;
  readonly #answers = new Map<string, boolean>();

  constructor(history: History, wanted: readonly string[]) {
    this.#history = history;
    for (const commit of wanted) this.#answers.set(commit, true);
  }

  /** Dies where a commit cannot be read. */
  async contains(commit: string): Promise<boolean> {
    const path = [{ commit, parents: [...(await this.#history.parents(commit))] }];
    // Depth first without recursion: a history is longer than a stack is deep.
    while (!this.#answers.has(commit)) {
      const { commit: at, parents } = path.at(-1)!;
      const parent = parents.pop();
      if (parent === undefined) {
        this.#answers.set(at, false);
        path.pop();
      } else if (this.#answers.get(parent) === true) {
        for (const below of path) this.#answers.set(below.commit, true);
      } else if (!this.#answers.has(parent)) {
        path.push({ commit: parent, parents: [...(await this.#history.parents(parent))] });
      }
    }
    return this.#answers.get(commit)!;
  }
}
