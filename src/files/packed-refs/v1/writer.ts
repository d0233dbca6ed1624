// Puts a file of version 1 together.

import { type ObjectFormat, oidSize, readHex } from '../../../format/object-format.ts';
import { ChunkedOutput } from '../chunked-output.ts';
import type { PackedRefEdit } from '../edit.ts';
import type { RecordCursor } from '../packed-ref.ts';
import type { RecordWriter } from '../record-writer.ts';
import { HEADER } from './header.ts';

const LF = 0x0a;
const SPACE = 0x20;
const CARET = 0x5e;

export class LineWriter implements RecordWriter {
  readonly output: ChunkedOutput;
  readonly #oid: Uint8Array;

  /** `expectedSize`: how long the records will be at most, bytes. */
  constructor(objectFormat: ObjectFormat, expectedSize: number) {
    this.output = new ChunkedOutput(HEADER.length + expectedSize);
    this.#oid = new Uint8Array(oidSize(objectFormat));
  }

  begin(): void {
    this.output.gathered.append(HEADER);
  }

  record(cursor: RecordCursor): void {
    const { bytes, nameStart, nameEnd, hasPeeled } = cursor;
    const oid = this.#oid;
    cursor.writeOid(oid, 0);
    this.#line(readHex(oid, 0, oid.length), bytes, nameStart, nameEnd);
    if (!hasPeeled) return;
    cursor.writePeeled(oid, 0);
    this.#peeledLine(readHex(oid, 0, oid.length));
  }

  edit(name: Uint8Array, { oid, peeled }: PackedRefEdit): void {
    this.#line(oid!, name, 0, name.length);
    if (peeled !== undefined) this.#peeledLine(peeled);
  }

  end(): Generator<Uint8Array> {
    return this.output.end();
  }

  #line(oid: string, bytes: Uint8Array, nameStart: number, nameEnd: number): void {
    const { gathered } = this.output;
    gathered.text(oid);
    gathered.byte(SPACE);
    gathered.range(bytes, nameStart, nameEnd);
    gathered.byte(LF);
  }

  #peeledLine(oid: string): void {
    const { gathered } = this.output;
    gathered.byte(CARET);
    gathered.text(oid);
    gathered.byte(LF);
  }
}
