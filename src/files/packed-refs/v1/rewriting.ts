// Writes `packed-refs` version 1 anew, with changes: what they leave alone is copied as it stands, in runs between
// two changes, and not looked at. spec/packed-refs.md tells what that means for odd records.

import type { ObjectFormat } from '../../../format/object-format.ts';
import { Scratch } from '../../../format/scratch.ts';
import { type PackedRefEdit, sizeOfEdits } from '../edit.ts';
import { compareName, endOfRecord, type RecordLines, seekRecord } from './search.ts';
import { LineWriter } from './writer.ts';

/**
 * The bytes of the new file, in chunks as `ChunkedOutput` gives them. `lines` are the records as they are, `edits` the
 * changes in byte order of their names. Of several records of a name an edit is of the first, as in Git.
 */
export function* rewriteLines(
  lines: RecordLines,
  edits: readonly PackedRefEdit[],
  objectFormat: ObjectFormat,
): Generator<Uint8Array> {
  const { source, start, end } = lines;
  const writer = new LineWriter(objectFormat, end - start + sizeOfEdits(edits));
  const { output } = writer;
  const nameBytes = new Scratch();
  writer.begin();
  let at = start;
  for (const edit of edits) {
    const name = nameBytes.encode(edit.name);
    const record = seekRecord(lines, name, at);
    if (record > at) yield* output.copy(source, at, record);
    const replaces = record < end && compareName(lines, record, name) === 0;
    at = replaces ? endOfRecord(source, record, end) : record;
    if (edit.oid !== undefined) writer.edit(name, edit);
    if (output.isFull) yield* output.drain();
  }
  yield* output.copy(source, at, end);
  yield* writer.end();
}
