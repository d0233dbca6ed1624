// Writes `packed-refs` version 1 anew, with changes: what they leave alone is copied as it stands, in runs between
// two changes, and not looked at. spec/packed-refs.md tells what that means for odd records.

import { encodeText } from '../../../format/text.ts';
import { MemorySource } from '../byte-source.ts';
import { ChunkedOutput } from '../chunked-output.ts';
import type { PackedRefEdit } from '../edit.ts';
import { HEADER } from './header.ts';
import { compareName, endOfRecord, type RecordLines, seekRecord } from './search.ts';

/**
 * The bytes of the new file, in chunks that may be used until the one after the next is asked for. `lines` are the
 * records as they are, `edits` the changes in byte order of their names. Of several records of a name an edit
 * is of the first, as in Git.
 */
export function* rewriteLines(
  lines: RecordLines,
  edits: readonly PackedRefEdit[],
): Generator<Uint8Array> {
  const { source, start, end } = lines;
  const output = new ChunkedOutput(HEADER.length + end - start + lengthOf(edits));
  yield* append(output, HEADER);
  let at = start;
  for (const edit of edits) {
    const name = encodeText(edit.name);
    const record = seekRecord(lines, name, at);
    yield* output.copy(source, at, record);
    const replaces = record < end && compareName(lines, record, name) === 0;
    at = replaces ? endOfRecord(source, record, end) : record;
    if (edit.oid !== undefined) yield* append(output, encodeText(formatRecord(edit)));
  }
  yield* output.copy(source, at, end);
  yield output.take();
}

function formatRecord({ name, oid, peeled }: PackedRefEdit): string {
  return peeled === undefined ? `${oid} ${name}\n` : `${oid} ${name}\n^${peeled}\n`;
}

/** About how long the records of the edits will be, bytes. */
function lengthOf(edits: readonly PackedRefEdit[]): number {
  let length = 0;
  for (const edit of edits) if (edit.oid !== undefined) length += formatRecord(edit).length;
  return length;
}

function* append(output: ChunkedOutput, bytes: Uint8Array): Generator<Uint8Array> {
  if (!output.append(bytes)) yield* output.copy(new MemorySource(bytes), 0, bytes.length);
}
