// What a tag points at: the first two lines of its content,
//
//   object OID LF
//   type TYPE LF

import type { GitObject, ObjectSource, ObjectType } from './object-source.ts';

const TARGET = /^object ([0-9a-fA-F]+)\ntype (blob|commit|tag|tree)\n/;
/** Longer than what the expression matches, bytes. */
const TARGET_SIZE = 128;

export interface TagTarget {
  readonly oid: string;
  readonly type: ObjectType;
}

/** `undefined` if the content is not that of a tag. */
export function parseTagTarget(content: Uint8Array, oidDigits: number): TagTarget | undefined {
  const [, oid = '', type] =
    TARGET.exec(String.fromCharCode(...content.subarray(0, TARGET_SIZE))) ?? [];
  return oid.length === oidDigits
    ? { oid: oid.toLowerCase(), type: type as ObjectType }
    : undefined;
}

/**
 * What the tag `oid` stands for in the end, behind tags of tags; `undefined` where that is missing, is of
 * another type than the tag says, or cannot be read. `object` is the tag, where it was read already.
 */
export async function peelTag(
  source: ObjectSource,
  oid: string,
  object?: GitObject,
): Promise<string | undefined> {
  for (let at = oid, first = object; ; first = undefined) {
    const tag = first ?? (await source.read(at));
    const target = tag?.type === 'tag' ? parseTagTarget(tag.content, oid.length) : undefined;
    if (target === undefined) return undefined;
    const finding = (await source.lookup([target.oid])).get(target.oid);
    if (typeof finding !== 'object' || finding.type !== target.type) return undefined;
    if (target.type !== 'tag') return target.oid;
    at = target.oid;
  }
}
