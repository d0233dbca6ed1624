// A change of one ref in `packed-refs`.

/** Sets a ref, or removes it where `oid` is undefined. */
export interface PackedRefEdit {
  readonly name: string;
  /** Lower-case hex. */
  readonly oid: string | undefined;
  /** What an annotated tag points at; lower-case hex. */
  readonly peeled?: string | undefined;
}

/** More than the longest record of an edit takes besides its name, in either version, bytes. */
const RECORD_SIZE = 160;

/** A limit to what the records of the edits take, in either version, bytes. */
export function sizeOfEdits(edits: readonly PackedRefEdit[]): number {
  let size = 0;
  for (const { name } of edits) size += RECORD_SIZE + 3 * name.length;
  return size;
}
