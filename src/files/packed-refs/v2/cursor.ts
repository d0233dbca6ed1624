// Walks the refs of version 2, puts each name together with its prefix, and checks it as Git does with version 1.

import { readHex } from '../../../format/object-format.ts';
import { decodeText } from '../../../format/text.ts';
import { plainRefNameEnd } from '../../../refs/ref-name.ts';
import { isBadName } from '../bad-name.ts';
import { ForwardReader, LONGEST_WINDOW } from '../forward-reader.ts';
import type { PackedRef, RecordCursor } from '../packed-ref.ts';
import { badBytes } from './errors.ts';
import { ROW_SIZE } from './layout.ts';
import type { PrefixedRows, Rows } from './rows.ts';

export class RowCursor implements RecordCursor {
  /** The name, and room for longer ones. */
  bytes: Uint8Array = new Uint8Array(256);
  readonly nameStart = 0;
  nameEnd = 0;
  hasPeeled = false;
  hasBadName = false;
  readonly #rows: Rows;
  readonly #refs: ForwardReader;
  readonly #offsets: ForwardReader;
  /** The ref after the one that the cursor stands on, and where its record begins in the file. */
  #next: number;
  #nextStart = 0;
  /** Those of the same prefix. */
  #block: PrefixedRows | undefined;
  /** Where the object id stands in what `#refs` has. */
  #oidAt = 0;

  /** Stands before a ref, or behind the last one. */
  constructor(rows: Rows, row: number) {
    this.#rows = rows;
    this.#next = row;
    this.#refs = new ForwardReader(rows.source, rows.refs.end);
    this.#offsets = new ForwardReader(rows.source, rows.offsets.end);
  }

  next(): boolean {
    const rows = this.#rows;
    const row = this.#next;
    if (row === rows.count) return false;
    if (this.#block === undefined) this.#nextStart = rows.startOf(row);
    if (this.#block === undefined || row >= this.#block.end) this.#enter(rows.around(row));
    const at = rows.offsets.start + row * ROW_SIZE;
    const index = this.#offsets.seek(at, ROW_SIZE);
    const start = this.#nextStart;
    const end = rows.endIn(this.#offsets.bytes, index, at);
    this.hasPeeled = this.#offsets.bytes[index]! >= 0x80;
    this.#readRecord(start, end - start);
    this.#nextStart = end;
    this.#next = row + 1;
    return true;
  }

  writeOid(into: Uint8Array, at: number): void {
    into.set(this.#idAt(this.#oidAt), at);
  }

  writePeeled(into: Uint8Array, at: number): void {
    into.set(this.#idAt(this.#oidAt + this.#rows.oidSize), at);
  }

  ref(): PackedRef {
    const { hasBadName, hasPeeled } = this;
    const { oidSize } = this.#rows;
    const { bytes } = this.#refs;
    const isPeeled = hasPeeled && !hasBadName;
    return {
      name: decodeText(this.bytes, 0, this.nameEnd),
      oid: hasBadName ? '0'.repeat(2 * oidSize) : readHex(bytes, this.#oidAt, oidSize),
      peeled: isPeeled ? readHex(bytes, this.#oidAt + oidSize, oidSize) : undefined,
      isPeeled: !hasBadName,
      hasBadName,
    };
  }

  /** Puts the prefix in front of the names to come. */
  #enter(block: PrefixedRows): void {
    this.#block = block;
    this.#makeRoom(block.prefix.length);
    this.bytes.set(block.prefix);
  }

  /** Takes the record of `length` bytes apart that begins at `start`. */
  #readRecord(start: number, length: number): void {
    const { path, oidSize } = this.#rows;
    const nameLength = length - 1 - (this.hasPeeled ? 2 : 1) * oidSize;
    if (nameLength < 0 || length > LONGEST_WINDOW) {
      throw badBytes(path, start, 'a name and an object id', `${length} bytes`);
    }
    const record = this.#refs.seek(start, length);
    const { bytes } = this.#refs;
    this.#oidAt = record + nameLength + 1;
    if (bytes[this.#oidAt - 1] !== 0) {
      throw badBytes(path, start + nameLength, 'a NUL behind a name', 'none');
    }
    const { length: prefixLength } = this.#block!.prefix;
    this.nameEnd = prefixLength + nameLength;
    this.#makeRoom(this.nameEnd);
    // For so few bytes a call of `set` is slow.
    const name = this.bytes;
    for (let i = 0; i < nameLength; i++) name[prefixLength + i] = bytes[record + i]!;
    this.hasBadName =
      plainRefNameEnd(name, 0, this.nameEnd) !== this.nameEnd &&
      isBadName(path, name, 0, this.nameEnd);
  }

  #makeRoom(length: number): void {
    if (length <= this.bytes.length) return;
    const bytes = new Uint8Array(2 * length);
    bytes.set(this.bytes);
    this.bytes = bytes;
  }

  #idAt(at: number): Uint8Array {
    return this.#refs.bytes.subarray(at, at + this.#rows.oidSize);
  }
}
