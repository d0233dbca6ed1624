// What is put together from records, one after the other in byte order of their names: a new file of either version.

import type { ChunkedOutput } from './chunked-output.ts';
import type { PackedRefEdit } from './edit.ts';
import type { RecordCursor } from './packed-ref.ts';

export interface RecordWriter {
  /** Gathers what is written. It is drained, when it is full, by who writes records. */
  readonly output: ChunkedOutput;
  /** Writes what comes before the first record. */
  begin(): void;
  /** Writes the record on which the cursor stands. */
  record(cursor: RecordCursor): void;
  /** Writes what the edit sets, which has that name and an object id. */
  edit(name: Uint8Array, edit: PackedRefEdit): void;
  /** Writes what comes behind the last record, and gives the last chunks. */
  end(): Iterable<Uint8Array>;
}
