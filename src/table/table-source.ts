// The bytes of one table, wherever they are: a file, a buffer, a browser's blob.

/** Random access to an immutable table. */
export interface TableSource {
  /** For messages: the table's file name or path. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /**
   * The bytes `[offset, offset + length)`, which must lie inside the table. The result is the
   * caller's to keep but not to change.
   */
  read(offset: number, length: number): Uint8Array;
  close(): void;
}

/** A table that is already in memory. */
export function bufferSource(name: string, bytes: Uint8Array): TableSource {
  return {
    name,
    size: bytes.length,
    read: (offset, length) => bytes.subarray(offset, offset + length),
    close: () => {},
  };
}
