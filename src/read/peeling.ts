// What annotated tags come down to, where that is not stored with the ref: the tag's object says it.

import type { ObjectFormat } from '../format/object-format.ts';
import { LooseObjects } from '../objects/loose-objects.ts';
import { objectFolders } from '../objects/object-folders.ts';
import { parseTagTarget } from '../objects/tag-target.ts';
import { nodeFileReading } from '../storage/node-file-reading.ts';

/** `undefined` where `oid` is no tag. Throws `CORRUPT_OBJECT`, `IO`. */
export function peeledBy(
  folder: string,
  objectFormat: ObjectFormat,
  oid: string,
): string | undefined {
  const sources = objectFolders(nodeFileReading, folder).map(
    (path) => new LooseObjects(nodeFileReading, path, objectFormat),
  );
  let peeled: string | undefined;
  for (let at = oid; ; ) {
    const source = sources.find((objects) => objects.header(at)?.type === 'tag');
    const tag = source?.read(at);
    const target = tag && parseTagTarget(tag.content, oid.length);
    if (target === undefined) return peeled;
    peeled = target.oid;
    at = target.oid;
  }
}
