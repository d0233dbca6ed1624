// One version of the file `packed-refs`: refs in byte order of their names, read as they are asked for and unmoved
// by whoever replaces the file.

import { RefError } from '../../errors.ts';
import { decodeText, encodeText } from '../../format/text.ts';
import type { FileReading } from '../../storage/file-system.ts';
import { type ByteSource, fileSource, MemorySource } from './byte-source.ts';
import type { PackedRefsFormat } from './format.ts';
import { OpenFile } from './open-file.ts';
import type { PackedRef, RecordCursor } from './packed-ref.ts';
import { LineRecords } from './v1/records.ts';
import { verifyHash } from './v2/file-hash.ts';
import { hasSignature } from './v2/layout.ts';
import { RowRecords } from './v2/records.ts';

export class PackedRefs {
  readonly records: LineRecords | RowRecords;
  readonly #fs: FileReading;
  readonly #path: string;
  readonly #file: OpenFile | undefined;

  /**
   * Has one user: who opened it. A file that is missing or empty has no refs. Throws `CORRUPT_REF`, with Git's
   * message, and `IO`.
   */
  static open(fs: FileReading, path: string, format: PackedRefsFormat): PackedRefs {
    const file = OpenFile.open(fs, path);
    try {
      return new PackedRefs(fs, path, file, format);
    } catch (error) {
      file?.release();
      throw error;
    }
  }

  private constructor(
    fs: FileReading,
    path: string,
    file: OpenFile | undefined,
    format: PackedRefsFormat,
  ) {
    this.#fs = fs;
    this.#path = path;
    this.#file = file;
    const source =
      file === undefined
        ? new MemorySource(new Uint8Array(0))
        : fileSource(fs, path, file.descriptor, file.status.size);
    this.records = readRecords(format.shownAs ?? path, source, format);
  }

  /** Whether the file has not been replaced since: one system call. */
  isCurrent(): boolean {
    return this.#file?.isCurrent() ?? this.#fs.stat(this.#path) === undefined;
  }

  /** Throws `CORRUPT_REF` where the record holds no object id, and `IO`. */
  find(name: string): PackedRef | undefined {
    this.#assertOpen();
    return this.records.find(name);
  }

  /** The first name that is at least `name`. Throws `CORRUPT_REF`, `IO`. */
  firstFrom(name: string): string | undefined {
    const cursor = this.#cursor(name);
    return cursor.next() ? decodeText(cursor.bytes, cursor.nameStart, cursor.nameEnd) : undefined;
  }

  /**
   * The refs whose names are at least `name`, in byte order, as long as they begin with `prefix`. The file stays
   * open until the iterator ends, is returned from, or is abandoned. Throws `CORRUPT_REF` at a line that is no
   * record, and `IO`.
   */
  from(name: string, prefix = ''): IterableIterator<PackedRef> {
    const cursor = this.#cursor(name);
    return new PackedRefIterator(cursor, encodeText(prefix), this.#file);
  }

  /** Keeps the file open until one `release` more. */
  retain(): this {
    this.#file?.retain();
    return this;
  }

  release(): void {
    this.#file?.release();
  }

  #cursor(name: string): RecordCursor {
    this.#assertOpen();
    return this.records.from(name);
  }

  /** Once closed, the number may already be some other file's descriptor. */
  #assertOpen(): void {
    if (this.#file?.isOpen === false) {
      throw new RefError('CLOSED', `${this.#path}: the file is closed`, { file: this.#path });
    }
  }
}

/** Throws `CORRUPT_REF`. */
function readRecords(
  path: string,
  source: ByteSource,
  { objectFormat, version, isHashed }: PackedRefsFormat,
): LineRecords | RowRecords {
  if (version === undefined || !hasSignature(source)) {
    return new LineRecords(path, source, objectFormat);
  }
  const records = new RowRecords(path, source, objectFormat);
  if (isHashed) verifyHash(path, source, objectFormat);
  return records;
}

/** One use of a file, which can be given up once. Knows nothing of who uses it. */
class Hold {
  readonly #file: OpenFile | undefined;
  #isHeld = true;

  constructor(file: OpenFile | undefined) {
    file?.retain();
    this.#file = file;
  }

  release(): void {
    if (this.#isHeld) this.#file?.release();
    this.#isHeld = false;
    abandoned.unregister(this);
  }
}

/** Gives up what an iterator held when nobody can reach the iterator any more. */
const abandoned = new FinalizationRegistry<Hold>((hold) => hold.release());

class PackedRefIterator implements IterableIterator<PackedRef> {
  readonly #cursor: RecordCursor;
  readonly #prefix: Uint8Array;
  readonly #hold: Hold;
  #isDone = false;

  constructor(cursor: RecordCursor, prefix: Uint8Array, file: OpenFile | undefined) {
    this.#cursor = cursor;
    this.#prefix = prefix;
    this.#hold = new Hold(file);
    abandoned.register(this, this.#hold, this.#hold);
  }

  next(): IteratorResult<PackedRef, undefined> {
    if (this.#isDone) return { done: true, value: undefined };
    try {
      if (this.#cursor.next() && this.#hasPrefix()) {
        return { done: false, value: this.#cursor.ref() };
      }
    } catch (error) {
      this.return();
      throw error;
    }
    return this.return();
  }

  return(): IteratorResult<PackedRef, undefined> {
    this.#isDone = true;
    this.#hold.release();
    return { done: true, value: undefined };
  }

  [Symbol.iterator](): this {
    return this;
  }

  #hasPrefix(): boolean {
    const { bytes, nameStart } = this.#cursor;
    return this.#prefix.every((byte, i) => bytes[nameStart + i] === byte);
  }
}
