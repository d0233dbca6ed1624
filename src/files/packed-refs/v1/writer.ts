// Puts a file of version 1 together.

import { type ObjectFormat, oidSize, readHex } from '../../../format/object-format.ts';
import { decodeText, encodeText } from '../../../format/text.ts';
import { ChunkedOutput } from '../chunked-output.ts';
import type { PackedRefEdit } from '../edit.ts';
import type { RecordCursor } from '../packed-ref.ts';
import type { RecordWriter } from '../record-writer.ts';
import { HEADER } from './header.ts';
import type { RecordLines } from './search.ts';

export class LineWriter implements RecordWriter {
  readonly #output: ChunkedOutput;
  readonly #oid: Uint8Array;

  /** `expectedSize`: how long the file will about be, bytes. */
  constructor(objectFormat: ObjectFormat, expectedSize: number) {
    this.#output = new ChunkedOutput(HEADER.length + expectedSize);
    this.#oid = new Uint8Array(oidSize(objectFormat));
  }

  begin(): Generator<Uint8Array> {
    return this.#output.write(HEADER);
  }

  /** Records as they stand, from one offset in the old file to another. */
  copy({ source }: RecordLines, from: number, end: number): Generator<Uint8Array> {
    return this.#output.copy(source, from, end);
  }

  record(cursor: RecordCursor): Generator<Uint8Array> {
    const oid = this.#oid;
    cursor.writeOid(oid, 0);
    let text = `${readHex(oid, 0, oid.length)} `;
    text += `${decodeText(cursor.bytes, cursor.nameStart, cursor.nameEnd)}\n`;
    if (cursor.hasPeeled) {
      cursor.writePeeled(oid, 0);
      text += `^${readHex(oid, 0, oid.length)}\n`;
    }
    return this.#output.write(encodeText(text));
  }

  edit(edit: PackedRefEdit): Generator<Uint8Array> {
    return this.#output.write(encodeText(formatRecord(edit)));
  }

  *end(): Generator<Uint8Array> {
    yield this.#output.take();
  }
}

export function formatRecord({ name, oid, peeled }: PackedRefEdit): string {
  return peeled === undefined ? `${oid} ${name}\n` : `${oid} ${name}\n^${peeled}\n`;
}
