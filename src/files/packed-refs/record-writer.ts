// What is put together from records, one after the other in byte order of their names: a new file of either version.

import type { PackedRefEdit } from './edit.ts';
import type { RecordCursor } from './packed-ref.ts';

/** Each method gives the chunks that become full, as `ChunkedOutput` does. */
export interface RecordWriter {
  begin(): Iterable<Uint8Array>;
  /** The record on which the cursor stands. */
  record(cursor: RecordCursor): Iterable<Uint8Array>;
  /** What the edit sets: it has an object id. */
  edit(edit: PackedRefEdit): Iterable<Uint8Array>;
  end(): Iterable<Uint8Array>;
}
