// What annotated tags come down to, where that is not stored with the ref: the tag's object says it.

import type { ObjectFormat } from '../format/object-format.ts';
import { RepositoryObjects } from '../objects/repository-objects.ts';
import { parseTagTarget } from '../objects/tag-target.ts';
import { nodeFileReading } from '../storage/node-file-reading.ts';

/** `undefined` where `oid` is no tag. Throws `CORRUPT_OBJECT`, `IO`. */
export function peeledBy(
  folder: string,
  objectFormat: ObjectFormat,
  oid: string,
): string | undefined {
  const objects = new RepositoryObjects({ fileSystem: nodeFileReading, folder, objectFormat });
  let peeled: string | undefined;
  for (let at = oid; ; ) {
    const finding = objects.find(at);
    const tag =
      typeof finding === 'object' && finding.type === 'tag' ? objects.read(at) : undefined;
    const target = tag && parseTagTarget(tag.content, oid.length);
    if (target === undefined) break;
    peeled = target.oid;
    at = target.oid;
  }
  objects.close();
  return peeled;
}
