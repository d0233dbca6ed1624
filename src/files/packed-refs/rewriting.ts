// The bytes of a new `packed-refs`: the old one with changes.

import type { ObjectFormat } from '../../format/object-format.ts';
import type { PackedRefEdit } from './edit.ts';
import type { PackedRefs } from './packed-refs.ts';
import { noLines } from './v1/records.ts';
import { rewriteLines } from './v1/rewriting.ts';

/**
 * In chunks, which may be used until the one after the next is asked for. The edits are in byte order of their names,
 * each name once. Throws what reading throws.
 */
export function rewritePackedRefs(
  refs: PackedRefs,
  edits: readonly PackedRefEdit[],
  objectFormat: ObjectFormat,
): Iterable<Uint8Array> {
  return rewriteLines(refs.records?.lines ?? noLines(objectFormat), edits);
}
