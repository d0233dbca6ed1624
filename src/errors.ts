// The errors that this library throws: one base class with a code, and one for damaged tables.

/** What went wrong, for a program to branch on. */
export type RefErrorCode =
  /** A ref name that `git check-ref-format` refuses, or one that is not allowed where it stands. */
  | 'BAD_NAME'
  /** The store, snapshot or table was closed before it was used. */
  | 'CLOSED'
  /** The file of an object, or a pack, cannot be read as one, or holds another object than its name says. */
  | 'CORRUPT_OBJECT'
  /** `tables.list` holds something that is not a list of table names. */
  | 'CORRUPT_LIST'
  /** The file of a ref, or `packed-refs`, holds something that is no ref. */
  | 'CORRUPT_REF'
  /** A table holds something that the format does not allow (always a `ReftableFormatError`). */
  | 'CORRUPT_TABLE'
  /** A ref is not at the value that an update expected. */
  | 'EXPECTED_OLD_VALUE'
  /** The `reference-transaction` hook stopped a transaction. */
  | 'HOOK_DECLINED'
  /** An argument or option is of the wrong shape or out of its range. */
  | 'INVALID_ARGUMENT'
  /** A configuration file cannot be read as one, or a setting in it is out of its range. */
  | 'INVALID_CONFIG'
  /** A ref would point at an object that does not exist, or a branch at one that is no commit. */
  | 'INVALID_NEW_VALUE'
  /** A system call failed for a reason of the machine's (disk full, permission); see `cause`. */
  | 'IO'
  /** Somebody else held the lock for as long as we were allowed to wait. */
  | 'LOCKED'
  /** There is no ref of a name that has to be there. */
  | 'MISSING_REF'
  /** `tables.list` names a table that is not there. */
  | 'MISSING_TABLE'
  /** A ref name is a folder of another (`a` and `a/b`), or is updated twice in one transaction. */
  | 'NAME_CONFLICT'
  /** No Git repository at that place. */
  | 'NOT_A_REPOSITORY'
  /** What the other side of a connection sent is not what Git's protocol has there. */
  | 'PROTOCOL'
  /** Objects are being received that may yet be refused (`GIT_QUARANTINE_PATH`): no ref may be updated. */
  | 'QUARANTINED'
  /** A record is larger than a block of the table. */
  | 'RECORD_TOO_LARGE'
  /** Five symrefs in a row or more, or symrefs in a circle. */
  | 'SYMREF_DEPTH'
  /** The repository uses a format or an extension that this library does not know. */
  | 'UNSUPPORTED_REPOSITORY';

/** Where an error happened and what caused it. */
export interface RefErrorDetails {
  /** The ref's name. */
  ref?: string;
  /** The file's path or a table's name. */
  file?: string;
  cause?: unknown;
}

/** Every error that this library throws on purpose. */
export class RefError extends Error {
  readonly code: RefErrorCode;
  readonly ref: string | undefined;
  readonly file: string | undefined;

  constructor(code: RefErrorCode, message: string, details: RefErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.code = code;
    this.ref = details.ref;
    this.file = details.file;
  }
}

/** A table that is not what the format says: which file, at which byte, and what should stand there. */
export class ReftableFormatError extends RefError {
  /** Bytes from the start of the file. */
  readonly offset: number;
  readonly expected: string;

  constructor(file: string, offset: number, expected: string, found?: string) {
    const but = found === undefined ? '' : `, found ${found}`;
    super('CORRUPT_TABLE', `${file}: at byte ${offset}: expected ${expected}${but}`, { file });
    this.offset = offset;
    this.expected = expected;
  }
}
