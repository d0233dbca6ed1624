// Writes the records of one version of `packed-refs` as the other, with changes.

import { compareRanges } from '../../format/bytes.ts';
import { Scratch } from '../../format/scratch.ts';
import type { PackedRefEdit } from './edit.ts';
import type { RecordCursor } from './packed-ref.ts';
import type { RecordWriter } from './record-writer.ts';

/** All records from the cursor on, each read and checked, and what the edits make of them. */
export function* convertRecords(
  cursor: RecordCursor,
  edits: readonly PackedRefEdit[],
  writer: RecordWriter,
): Generator<Uint8Array> {
  const { output } = writer;
  const nameBytes = new Scratch();
  writer.begin();
  let hasRecord = cursor.next();
  for (const edit of edits) {
    const name = nameBytes.encode(edit.name);
    let order = 1;
    while (hasRecord) {
      order = compareName(cursor, name);
      if (order >= 0) break;
      writer.record(cursor);
      if (output.isFull) yield* output.drain();
      hasRecord = cursor.next();
    }
    if (hasRecord && order === 0) hasRecord = cursor.next();
    if (edit.oid !== undefined) writer.edit(name, edit);
    if (output.isFull) yield* output.drain();
  }
  while (hasRecord) {
    writer.record(cursor);
    if (output.isFull) yield* output.drain();
    hasRecord = cursor.next();
  }
  yield* writer.end();
}

function compareName({ bytes, nameStart, nameEnd }: RecordCursor, name: Uint8Array): number {
  return compareRanges(bytes, nameStart, nameEnd, name, 0, name.length);
}
