// The id of an object: the hash of its header and its content.

import type { ObjectFormat } from '../format/object-format.ts';
import { createHash } from '../storage/hashing.ts';
import type { GitObject } from './object-source.ts';

/** Hex. */
export function hashObject({ type, content }: GitObject, objectFormat: ObjectFormat): string {
  const header = `${type} ${content.length}\0`;
  return createHash(objectFormat).update(header).update(content).digest('hex');
}
