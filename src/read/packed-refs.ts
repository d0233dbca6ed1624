// `packed-refs` of version 1, read in place:
//
//   # pack-refs with: peeled fully-peeled sorted
//   d670460b4b4aece5915caf5c68d12f560a9fe3e4 refs/heads/main
//   0ac3…                                    refs/tags/v1.0
//   ^c1b2…                                   what the tag above comes down to
//
// A large file is searched by halves, as its lines are sorted; small and unsorted ones are read whole.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { RefError } from '../errors.ts';
import { type ObjectFormat, oidSize } from '../format/object-format.ts';
import { compareText, decodeText, encodeText } from '../format/text.ts';
import { ioError } from '../storage/io-error.ts';
import type { StoredRef } from './stored-refs.ts';

/** Up to this size a stretch of the file is read at once, bytes. */
const WHOLE = 1 << 16;
/** Of the line in the middle so much is read, bytes; more than a path may have. */
const PROBE = 1 << 13;

/** A record, and whether the file's writer looked what the object is. */
export interface PackedRef extends StoredRef {
  readonly isPeeled: boolean;
}

export class PackedRefs {
  readonly #path: string;
  readonly #digits: number;

  constructor(path: string, objectFormat: ObjectFormat) {
    this.#path = path;
    this.#digits = 2 * oidSize(objectFormat);
  }

  /** Throws `CORRUPT_REF`, `IO`. */
  read(name: string): PackedRef | undefined {
    return this.#withFile((file) => {
      const { start, end } = file.isSorted ? this.#narrow(file, name) : file;
      const bytes = file.bytes(start, end);
      const line = encodeText(` ${name}\n`);
      for (let at = -1; ; ) {
        at = bytes.indexOf(line, at + 1);
        if (at < 0) return undefined;
        const isWhole = at === this.#digits || bytes[at - this.#digits - 1] === NEWLINE;
        if (isWhole) return this.#records(file, bytes.subarray(at - this.#digits)).next().value;
      }
    });
  }

  /** In byte order. Throws as `read`. */
  list(prefix: string): PackedRef[] {
    const all = this.#withFile((file) => {
      const bytes = file.bytes(file.start, file.end);
      return [...this.#records(file, bytes)].filter(({ name }) => name.startsWith(prefix));
    });
    return all ?? [];
  }

  /** A stretch of whole lines that has the name, if the file has it. */
  #narrow(file: OpenFile, name: string): { start: number; end: number } {
    let { start, end } = file;
    while (end - start > WHOLE) {
      const middle = start + Math.floor((end - start) / 2);
      const probe = file.bytes(middle, Math.min(middle + PROBE, end));
      const record = this.#firstRecordIn(probe);
      if (record === undefined) break;
      // The record stays in the upper half where it is the one, or comes before it.
      if (compareText(record.name, name) <= 0) start = middle + record.at;
      else end = middle + record.at;
    }
    return { start, end };
  }

  /** The first record that begins behind the first line's end. */
  #firstRecordIn(bytes: Buffer): { at: number; name: string } | undefined {
    for (let at = bytes.indexOf(NEWLINE) + 1; at > 0; at = bytes.indexOf(NEWLINE, at) + 1) {
      const end = bytes.indexOf(NEWLINE, at);
      if (end < 0) return undefined;
      if (bytes[at] !== CARET) return { at, name: decodeText(bytes, at + this.#digits + 1, end) };
    }
    return undefined;
  }

  *#records(file: OpenFile, bytes: Buffer): Generator<PackedRef, undefined> {
    for (let at = 0; at < bytes.length; ) {
      const end = this.#lineEnd(bytes, at);
      const name = decodeText(bytes, at + this.#digits + 1, end);
      const oid = this.#oidAt(bytes, at);
      if (oid === undefined || bytes[at + this.#digits] !== SPACE || name === '') {
        throw this.#unexpected(decodeText(bytes, at, end));
      }
      at = end + 1;
      let peeled: string | undefined;
      if (bytes[at] === CARET) {
        const peeledEnd = this.#lineEnd(bytes, at);
        peeled = this.#oidAt(bytes, at + 1);
        if (peeled === undefined) throw this.#unexpected(decodeText(bytes, at, peeledEnd));
        at = peeledEnd + 1;
      }
      yield { name, oid, peeled, isPeeled: peeled !== undefined || file.peels(name) };
    }
    return undefined;
  }

  #lineEnd(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(NEWLINE, at);
    if (end >= 0) return end;
    const message = `unterminated line in ${this.#path}: ${decodeText(bytes, at, at + SHOWN)}`;
    throw new RefError('CORRUPT_REF', message, { file: this.#path });
  }

  #oidAt(bytes: Buffer, at: number): string | undefined {
    const hex = bytes.toString('latin1', at, at + this.#digits);
    return hex.length === this.#digits && /^[0-9a-f]*$/i.test(hex) ? hex.toLowerCase() : undefined;
  }

  #unexpected(line: string): RefError {
    const message = `unexpected line in ${this.#path}: ${line.slice(0, SHOWN)}`;
    return new RefError('CORRUPT_REF', message, { file: this.#path });
  }

  /** `undefined` if there is no such file. */
  #withFile<T>(use: (file: OpenFile) => T): T | undefined {
    let descriptor: number | undefined;
    try {
      descriptor = openSync(this.#path, 'r');
      return use(new OpenFile(descriptor));
    } catch (error) {
      const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (descriptor === undefined && isAbsent) return undefined;
      throw ioError('read', this.#path, error);
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }
}

const NEWLINE = 0x0a;
const SPACE = 0x20;
const CARET = 0x5e;
/** Of a line that is none, bytes. */
const SHOWN = 80;

/** The file as it was when it was opened: it is replaced, never changed. */
class OpenFile {
  readonly isSorted: boolean;
  /** Of the records, behind the header. */
  readonly start: number;
  readonly end: number;
  readonly #descriptor: number;
  readonly #traits: string;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    this.end = fstatSync(descriptor).size;
    const head = this.bytes(0, Math.min(this.end, PROBE)).toString('latin1');
    const header = /^# pack-refs with:(.*)\n/.exec(head);
    this.start = header?.[0].length ?? 0;
    this.#traits = `${header?.[1] ?? ''} `;
    this.isSorted = this.#traits.includes(' sorted ');
  }

  /** Whether a record of this name without a peeled line is of no annotated tag. */
  peels(name: string): boolean {
    if (this.#traits.includes(' fully-peeled ')) return true;
    return this.#traits.includes(' peeled ') && name.startsWith('refs/tags/');
  }

  bytes(start: number, end: number): Buffer {
    const bytes = Buffer.allocUnsafe(end - start);
    let filled = 0;
    for (let count = -1; filled < bytes.length && count !== 0; filled += count) {
      count = readSync(this.#descriptor, bytes, filled, bytes.length - filled, start + filled);
    }
    return bytes.subarray(0, filled);
  }
}
