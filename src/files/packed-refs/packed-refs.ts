// One version of the file `packed-refs`: refs in byte order of their names, read as they are asked for and unmoved
// by whoever replaces the file.

import { RefError } from '../../errors.ts';
import type { ObjectFormat } from '../../format/object-format.ts';
import { decodeText, encodeText } from '../../format/text.ts';
import type { FileReading } from '../../storage/file-system.ts';
import { fileSource } from './byte-source.ts';
import { OpenFile } from './open-file.ts';
import type { PackedRef, RecordCursor } from './packed-ref.ts';
import { LineRecords } from './v1/records.ts';

export class PackedRefs {
  /** Of a missing or empty file `undefined`. */
  readonly records: LineRecords | undefined;
  readonly #fs: FileReading;
  readonly #path: string;
  readonly #file: OpenFile | undefined;

  /**
   * Has one user: who opened it. A file that is missing or empty has no refs. Throws `CORRUPT_REF`, with Git's
   * message, and `IO`.
   */
  static open(fs: FileReading, path: string, objectFormat: ObjectFormat): PackedRefs {
    const file = OpenFile.open(fs, path);
    try {
      return new PackedRefs(fs, path, file, objectFormat);
    } catch (error) {
      file?.release();
      throw error;
    }
  }

  private constructor(
    fs: FileReading,
    path: string,
    file: OpenFile | undefined,
    objectFormat: ObjectFormat,
  ) {
    this.#fs = fs;
    this.#path = path;
    this.#file = file;
    if (file === undefined || file.status.size === 0) return;
    const source = fileSource(fs, path, file.descriptor, file.status.size);
    this.records = new LineRecords(path, source, objectFormat);
  }

  /** Whether the file has not been replaced since: one system call. */
  isCurrent(): boolean {
    return this.#file?.isCurrent() ?? this.#fs.stat(this.#path) === undefined;
  }

  /** Throws `CORRUPT_REF` where the record holds no object id, and `IO`. */
  find(name: string): PackedRef | undefined {
    this.#assertOpen();
    return this.records?.find(encodeText(name));
  }

  /** The first name that is at least `name`. Throws `CORRUPT_REF`, `IO`. */
  firstFrom(name: string): string | undefined {
    const cursor = this.#cursor(name);
    return cursor?.next() ? decodeText(cursor.bytes, cursor.nameStart, cursor.nameEnd) : undefined;
  }

  /**
   * The refs whose names are at least `name`, in byte order, as long as they begin with `prefix`. The file stays
   * open until the iterator ends, is returned from, or is abandoned. Throws `CORRUPT_REF` at a line that is no
   * record, and `IO`.
   */
  from(name: string, prefix = ''): IterableIterator<PackedRef> {
    const cursor = this.#cursor(name);
    if (cursor === undefined) return [].values();
    return new PackedRefIterator(cursor, encodeText(prefix), this.#file!);
  }

  /** Keeps the file open until one `release` more. */
  retain(): this {
    this.#file?.retain();
    return this;
  }

  release(): void {
    this.#file?.release();
  }

  #cursor(name: string): RecordCursor | undefined {
    this.#assertOpen();
    return this.records?.from(encodeText(name));
  }

  /** Once closed, the number may already be some other file's descriptor. */
  #assertOpen(): void {
    if (this.#file?.isOpen === false) {
      throw new RefError('CLOSED', `${this.#path}: the file is closed`, { file: this.#path });
    }
  }
}

/** One use of a file, which can be given up once. Knows nothing of who uses it. */
class Hold {
  readonly #file: OpenFile;
  #isHeld = true;

  constructor(file: OpenFile) {
    file.retain();
    this.#file = file;
  }

  release(): void {
    if (this.#isHeld) this.#file.release();
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

  constructor(cursor: RecordCursor, prefix: Uint8Array, file: OpenFile) {
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
