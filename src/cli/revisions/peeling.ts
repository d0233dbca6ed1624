// From an object to one that it leads to: `v1^{}`, `v1^{commit}`, `v1~2`. What is wrong with an object on the way is
// told as Git tells it, and nothing is found then.

import { parseCommitLinks } from '../../objects/commit-links.ts';
import { objectFault } from '../../objects/object-fault.ts';
import type { GitObject, ObjectType } from '../../objects/object-source.ts';
import type { RepositoryObjects } from '../../objects/repository-objects.ts';
import { parseTagTarget, type TagTarget } from '../../objects/tag-target.ts';
import { writeError } from '../output.ts';

/** What an object comes down to. */
interface Peeled {
  readonly oid: string;
  readonly type: ObjectType;
}

export class Peeling {
  readonly #objects: RepositoryObjects;

  constructor(objects: RepositoryObjects) {
    this.#objects = objects;
  }

  /** `undefined` if there is no such object, or it cannot be used, which is told then. */
  typeOf(oid: string): ObjectType | undefined {
    const finding = this.#objects.find(oid);
    if (typeof finding !== 'object') return undefined;
    if (finding.type === 'blob' || finding.type === 'tree') return finding.type;
    const fault = objectFault(oid, this.#read(oid), this.#objects.objectFormat);
    if (fault === undefined) return finding.type;
    if (fault !== '') writeError(`error: ${fault}\n`);
    return undefined;
  }

  /** The object itself, or what a tag stands for in the end: `^{}`. `missing` is called for what is not there. */
  peel(oid: string, missing?: (target: TagTarget) => void): Peeled | undefined {
    for (let at = oid, type = this.typeOf(at); type !== undefined; ) {
      if (type !== 'tag') return { oid: at, type };
      const target = this.#target(at);
      type = this.#typeOfTarget(target);
      if (type === undefined) missing?.(target);
      at = target.oid;
    }
    return undefined;
  }

  /** The first of that type that the object leads to, itself or what is behind tags and commits: `^{tree}`. */
  peelTo(oid: string, wanted: ObjectType, name: string): string | undefined {
    for (let at = oid, type = this.typeOf(at); type !== undefined; ) {
      if (type === wanted) return at;
      if (type === 'tag') {
        const target = this.#target(at);
        type = this.#typeOfTarget(target);
        at = target.oid;
      } else if (type === 'commit') {
        at = this.#links(at).tree;
        type = this.typeOf(at);
      } else {
        writeError(
          `error: ${name}: expected ${wanted} type, but the object dereferences to ${type} type\n`,
        );
        return undefined;
      }
    }
    return undefined;
  }

  /** The commit that the object is, or that a tag comes down to: `^0`. */
  commit(oid: string): string | undefined {
    const peeled = this.peel(oid, (missing) => {
      if (missing.type === 'commit') writeError(`error: Could not read ${missing.oid}\n`);
    });
    if (peeled === undefined || peeled.type === 'commit') return peeled?.oid;
    writeError(`error: object ${oid} is a ${peeled.type}, not a commit\n`);
    return undefined;
  }

  /** The parents of a commit; `undefined` where it is none that can be used. */
  parents(commit: string): readonly string[] | undefined {
    return this.typeOf(commit) === 'commit' ? this.#links(commit).parents : undefined;
  }

  #typeOfTarget({ oid, type }: TagTarget): ObjectType | undefined {
    const found = this.typeOf(oid);
    if (found === undefined || found === type) return found;
    writeError(`error: object ${oid} is a ${type}, not a ${found}\n`);
    return undefined;
  }

  #target(tag: string): TagTarget {
    return parseTagTarget(this.#read(tag).content, tag.length)!;
  }

  #links(commit: string) {
    const links = parseCommitLinks(this.#read(commit).content, this.#objects.objectFormat);
    if (typeof links === 'string') throw new Error(`${commit} was found to be whole before`);
    return links;
  }

  /** What was found is there. */
  #read(oid: string): GitObject {
    return this.#objects.read(oid)!;
  }
}
