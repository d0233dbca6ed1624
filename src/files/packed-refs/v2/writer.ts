// Puts a file of version 2 together, all but its hash: REFS at once, and the other chunks when it is complete.

import { compareBytes, writeUint32, writeUint64 } from '../../../format/bytes.ts';
import { HASH_IDS, type ObjectFormat, oidSize, writeOid } from '../../../format/object-format.ts';
import { encodeText } from '../../../format/text.ts';
import { ChunkedOutput } from '../chunked-output.ts';
import type { PackedRefEdit } from '../edit.ts';
import type { RecordCursor } from '../packed-ref.ts';
import type { RecordWriter } from '../record-writer.ts';
import { RowCursor } from './cursor.ts';
import { badBytes } from './errors.ts';
import { ENTRY_SIZE, HEADER_SIZE, PFXD, PFXO, REFS, ROFF, SIGNATURE, VERSION } from './layout.ts';
import { OffsetColumn } from './offset-column.ts';
import { PrefixColumn } from './prefix-column.ts';
import type { Rows } from './rows.ts';

export class RowWriter implements RecordWriter {
  readonly #objectFormat: ObjectFormat;
  readonly #output: ChunkedOutput;
  readonly #offsets = new OffsetColumn();
  readonly #prefixes = new PrefixColumn();
  /** How long REFS is, bytes. */
  #size = 0;

  /** `expectedSize`: how long the file will about be, bytes. */
  constructor(objectFormat: ObjectFormat, expectedSize: number) {
    this.#objectFormat = objectFormat;
    this.#output = new ChunkedOutput(expectedSize);
  }

  begin(): Generator<Uint8Array> {
    const header = new Uint8Array(HEADER_SIZE);
    writeUint32(header, 0, SIGNATURE);
    writeUint32(header, 4, VERSION);
    writeUint32(header, 8, HASH_IDS[this.#objectFormat]);
    return this.#output.write(header);
  }

  record(cursor: RecordCursor): Generator<Uint8Array> {
    const { bytes, nameStart, nameEnd, hasPeeled } = cursor;
    const { record, idsAt } = this.#newRecord(bytes.subarray(nameStart, nameEnd), hasPeeled);
    cursor.writeOid(record, idsAt);
    if (hasPeeled) cursor.writePeeled(record, idsAt + oidSize(this.#objectFormat));
    return this.#output.write(record);
  }

  edit({ name, oid, peeled }: PackedRefEdit): Generator<Uint8Array> {
    const { record, idsAt } = this.#newRecord(encodeText(name), peeled !== undefined);
    writeOid(record, idsAt, oid!);
    if (peeled !== undefined) writeOid(record, idsAt + oidSize(this.#objectFormat), peeled);
    return this.#output.write(record);
  }

  /** The refs `[from, end)` of another file, as they stand there wherever their prefix is what it would be here. */
  *copy(rows: Rows, from: number, end: number): Generator<Uint8Array> {
    for (let row = from; row < end; ) {
      const block = rows.around(row);
      const cursor = new RowCursor(rows, row);
      cursor.next();
      const prefix = this.#prefixes.of(cursor.bytes, cursor.nameEnd);
      const runEnd = Math.min(block.end, end);
      if (compareBytes(prefix, block.prefix) === 0) {
        this.#prefixes.begin(prefix, this.#offsets.count);
        yield* this.#copyRun(rows, row, runEnd);
      } else {
        yield* this.record(cursor);
        while (++row < runEnd && cursor.next()) yield* this.record(cursor);
      }
      row = runEnd;
    }
  }

  *end(): Generator<Uint8Array> {
    const output = this.#output;
    const { count } = this.#offsets;
    yield* this.#offsets.write(output);
    const chunks: [id: number, start: number][] = [
      [REFS, HEADER_SIZE],
      [ROFF, HEADER_SIZE + this.#size],
    ];
    chunks.push([PFXD, output.size]);
    yield* this.#prefixes.writeTexts(output);
    chunks.push([PFXO, output.size]);
    yield* this.#prefixes.writeOffsets(output, count);
    chunks.push([0, output.size]);
    const entry = new Uint8Array(ENTRY_SIZE);
    for (const [id, start] of chunks.reverse()) {
      writeUint32(entry, 0, id);
      writeUint64(entry, 4, start);
      yield* output.write(entry);
    }
    yield output.take();
  }

  /** The bytes of a record, with room for its object ids. */
  #newRecord(name: Uint8Array, hasPeeled: boolean): { record: Uint8Array; idsAt: number } {
    const prefix = this.#prefixes.of(name, name.length);
    this.#prefixes.begin(prefix, this.#offsets.count);
    const rest = name.subarray(prefix.length);
    const idsAt = rest.length + 1;
    const record = new Uint8Array(idsAt + (hasPeeled ? 2 : 1) * oidSize(this.#objectFormat));
    record.set(rest);
    this.#size += record.length;
    this.#offsets.add(this.#size, hasPeeled);
    return { record, idsAt };
  }

  *#copyRun(rows: Rows, from: number, end: number): Generator<Uint8Array> {
    const start = rows.startOf(from);
    const last = rows.endOf(end - 1);
    if (last < start) {
      throw badBytes(rows.path, rows.offsets.start, 'rows in ascending order', 'others');
    }
    this.#offsets.copy(rows, from, end, this.#size - (start - rows.refs.start));
    this.#size += last - start;
    yield* this.#output.copy(rows.source, start, last);
  }
}
