// Writes `packed-refs` version 2 anew, with changes: the records between two of them are copied as they stand.

import type { ObjectFormat } from '../../../format/object-format.ts';
import { encodeText } from '../../../format/text.ts';
import type { PackedRefEdit } from '../edit.ts';
import type { Rows } from './rows.ts';
import { RowWriter } from './writer.ts';

/** All but the hash, in chunks as `rewriteLines` gives them. The edits are in byte order of their names. */
export function* rewriteRows(
  rows: Rows,
  edits: readonly PackedRefEdit[],
  objectFormat: ObjectFormat,
): Generator<Uint8Array> {
  const writer = new RowWriter(objectFormat, rows.source.size);
  yield* writer.begin();
  let at = 0;
  for (const edit of edits) {
    const { row, isFound } = rows.seek(encodeText(edit.name));
    yield* writer.copy(rows, at, row);
    at = isFound ? row + 1 : row;
    if (edit.oid !== undefined) yield* writer.edit(edit);
  }
  yield* writer.copy(rows, at, rows.count);
  yield* writer.end();
}
