// Writes `packed-refs` version 1 anew, with changes: what they leave alone is copied as it stands, in runs between
// two changes, and not looked at. spec/packed-refs.md tells what that means for odd records.

import type { ObjectFormat } from '../../../format/object-format.ts';
import { encodeText } from '../../../format/text.ts';
import type { PackedRefEdit } from '../edit.ts';
import { compareName, endOfRecord, type RecordLines, seekRecord } from './search.ts';
import { formatRecord, LineWriter } from './writer.ts';

/**
 * The bytes of the new file, in chunks that may be used until the one after the next is asked for. `lines` are the
 * records as they are, `edits` the changes in byte order of their names. Of several records of a name an edit
 * is of the first, as in Git.
 */
export function* rewriteLines(
  lines: RecordLines,
  edits: readonly PackedRefEdit[],
  objectFormat: ObjectFormat,
): Generator<Uint8Array> {
  const { source, start, end } = lines;
  const writer = new LineWriter(objectFormat, end - start + lengthOf(edits));
  yield* writer.begin();
  let at = start;
  for (const edit of edits) {
    const name = encodeText(edit.name);
    const record = seekRecord(lines, name, at);
    yield* writer.copy(lines, at, record);
    const replaces = record < end && compareName(lines, record, name) === 0;
    at = replaces ? endOfRecord(source, record, end) : record;
    if (edit.oid !== undefined) yield* writer.edit(edit);
  }
  yield* writer.copy(lines, at, end);
  yield* writer.end();
}

/** About how long the records of the edits will be, bytes. */
function lengthOf(edits: readonly PackedRefEdit[]): number {
  let length = 0;
  for (const edit of edits) if (edit.oid !== undefined) length += formatRecord(edit).length;
  return length;
}
