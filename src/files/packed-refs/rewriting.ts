// The bytes of a new `packed-refs`: the old one with changes, in either version.

import { convertRecords } from './conversion.ts';
import { type PackedRefEdit, sizeOfEdits } from './edit.ts';
import type { PackedRefsFormat } from './format.ts';
import type { PackedRefs } from './packed-refs.ts';
import { rewriteLines } from './v1/rewriting.ts';
import { LineWriter } from './v1/writer.ts';
import { withHash, withoutHash } from './v2/file-hash.ts';
import { rewriteRows } from './v2/rewriting.ts';
import { RowWriter } from './v2/writer.ts';

/**
 * In chunks, which may be used until the one after the next is asked for. The edits are in byte order of their names,
 * each name once. Throws what reading throws.
 */
export function rewritePackedRefs(
  { records }: PackedRefs,
  edits: readonly PackedRefEdit[],
  { objectFormat, version = 1, isHashed = false }: PackedRefsFormat,
): Iterable<Uint8Array> {
  if (version === 1) {
    if (records.version === 1) return rewriteLines(records.lines, edits, objectFormat);
    const expectedSize = 2 * records.rows.source.size + sizeOfEdits(edits);
    const writer = new LineWriter(objectFormat, expectedSize);
    return convertRecords(records.from(''), edits, writer);
  }
  const addHash = isHashed ? withHash : withoutHash;
  if (records.version === 2) {
    return addHash(rewriteRows(records.rows, edits, objectFormat), objectFormat);
  }
  const expectedSize = records.lines.source.size + sizeOfEdits(edits);
  const writer = new RowWriter(objectFormat, expectedSize);
  return addHash(convertRecords(records.from(''), edits, writer), objectFormat);
}
