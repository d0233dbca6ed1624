// Writes `packed-refs` version 2 anew, with changes: the records between two of them are copied as they stand.

import type { ObjectFormat } from '../../../format/object-format.ts';
import { Scratch } from '../../../format/scratch.ts';
import { type PackedRefEdit, sizeOfEdits } from '../edit.ts';
import type { Rows } from './rows.ts';
import { RowWriter } from './writer.ts';

/** All but the hash, in chunks as `ChunkedOutput` gives them. The edits are in byte order of their names. */
export function* rewriteRows(
  rows: Rows,
  edits: readonly PackedRefEdit[],
  objectFormat: ObjectFormat,
): Generator<Uint8Array> {
  const writer = new RowWriter(objectFormat, rows.source.size + sizeOfEdits(edits));
  const { output } = writer;
  const nameBytes = new Scratch();
  writer.begin();
  let at = 0;
  for (const edit of edits) {
    const name = nameBytes.encode(edit.name);
    const { row, isFound } = rows.seek(name);
    yield* writer.copy(rows, at, row);
    at = isFound ? row + 1 : row;
    if (edit.oid !== undefined) writer.edit(name, edit);
    if (output.isFull) yield* output.drain();
  }
  yield* writer.copy(rows, at, rows.count);
  yield* writer.end();
}
