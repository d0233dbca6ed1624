// A ref as `packed-refs` holds it, and what both versions of the file answer.

/** One record. */
export interface PackedRef {
  readonly name: string;
  /** Lower-case hex; all zeros where the name is bad. */
  readonly oid: string;
  /** What an annotated tag points at, peeled as far as it goes; lower-case hex. */
  readonly peeled: string | undefined;
  /** Whether `peeled: undefined` says that there is nothing to peel: else nobody has looked. */
  readonly isPeeled: boolean;
  /** Whether `check-ref-format` refuses the name: Git lists such a ref as broken. */
  readonly hasBadName: boolean;
}

/** A walk over records in byte order of their names, which allocates nothing for a record. */
export interface RecordCursor {
  /** The bytes that the offsets below are about; others after each `next`. */
  readonly bytes: Uint8Array;
  /** Where the record's name begins and ends in `bytes`. */
  readonly nameStart: number;
  readonly nameEnd: number;
  /** Whether the record has a peeled object id. */
  readonly hasPeeled: boolean;
  /** Whether `check-ref-format` refuses the name. */
  readonly hasBadName: boolean;
  /** Steps to the next record, the first one at first; `false` where there is none. Throws `CORRUPT_REF`. */
  next(): boolean;
  /** Writes the record's object id, bad name or not, as bytes and not as hex, at `at`. */
  writeOid(into: Uint8Array, at: number): void;
  /** The same for its peeled object id. */
  writePeeled(into: Uint8Array, at: number): void;
  /** The record by itself. */
  ref(): PackedRef;
}

/** The records of a file, whatever its version. */
export interface PackedRecords {
  /** The record of that name. Throws `CORRUPT_REF`. */
  find(name: string): PackedRef | undefined;
  /** A cursor before the first record whose name is at least `name`. */
  from(name: string): RecordCursor;
}
