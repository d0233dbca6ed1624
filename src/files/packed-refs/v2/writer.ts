// Puts a file of version 2 together, all but its hash: REFS at once, and the other chunks when it is complete.

import { compareBytes, writeUint32, writeUint64 } from '../../../format/bytes.ts';
import { HASH_IDS, type ObjectFormat, oidSize } from '../../../format/object-format.ts';
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

/** More than what is neither a record nor copied takes beside prefixes, bytes. */
const FRAME_SIZE = 1 << 8;

export class RowWriter implements RecordWriter {
  readonly output: ChunkedOutput;
  readonly #objectFormat: ObjectFormat;
  readonly #oid: Uint8Array;
  readonly #offsets = new OffsetColumn();
  readonly #prefixes = new PrefixColumn();

  /** `expectedSize`: how long the records will be at most, bytes, and what the other chunks say of them. */
  constructor(objectFormat: ObjectFormat, expectedSize: number) {
    this.output = new ChunkedOutput(FRAME_SIZE + expectedSize);
    this.#objectFormat = objectFormat;
    this.#oid = new Uint8Array(oidSize(objectFormat));
  }

  begin(): void {
    const header = new Uint8Array(HEADER_SIZE);
    writeUint32(header, 0, SIGNATURE);
    writeUint32(header, 4, VERSION);
    writeUint32(header, 8, HASH_IDS[this.#objectFormat]);
    this.output.gathered.append(header);
  }

  record(cursor: RecordCursor): void {
    const { bytes, nameStart, nameEnd, hasPeeled } = cursor;
    const { gathered } = this.output;
    const oid = this.#oid;
    this.#name(bytes, nameStart, nameEnd);
    cursor.writeOid(oid, 0);
    gathered.range(oid, 0, oid.length);
    if (hasPeeled) {
      cursor.writePeeled(oid, 0);
      gathered.range(oid, 0, oid.length);
    }
    this.#endRecord(hasPeeled);
  }

  edit(name: Uint8Array, { oid, peeled }: PackedRefEdit): void {
    const { gathered } = this.output;
    this.#name(name, 0, name.length);
    gathered.oid(oid!);
    if (peeled !== undefined) gathered.oid(peeled);
    this.#endRecord(peeled !== undefined);
  }

  /** Writes the refs `[from, end)` of another file, as they stand there wherever they have the prefix they get here. */
  *copy(rows: Rows, from: number, end: number): Generator<Uint8Array> {
    for (let row = from; row < end; ) {
      const block = rows.around(row);
      const cursor = new RowCursor(rows, row);
      cursor.next();
      const prefix = this.#prefixes.of(cursor.bytes, cursor.nameStart, cursor.nameEnd);
      const runEnd = Math.min(block.end, end);
      if (compareBytes(prefix, block.prefix) === 0) {
        this.#prefixes.begin(prefix, this.#offsets.count);
        yield* this.#copyRun(rows, row, runEnd);
      } else {
        this.record(cursor);
        while (++row < runEnd && cursor.next()) {
          this.record(cursor);
          if (this.output.isFull) yield* this.output.drain();
        }
      }
      row = runEnd;
    }
  }

  *end(): Generator<Uint8Array> {
    const { output } = this;
    const { count } = this.#offsets;
    const chunks: [id: number, start: number][] = [[REFS, HEADER_SIZE]];
    chunks.push([ROFF, output.size]);
    yield* this.#offsets.write(output);
    chunks.push([PFXD, output.size]);
    this.#prefixes.writeTexts(output.gathered);
    chunks.push([PFXO, output.size]);
    this.#prefixes.writeOffsets(output.gathered, count);
    chunks.push([0, output.size]);
    const entry = new Uint8Array(ENTRY_SIZE);
    for (const [id, start] of chunks.reverse()) {
      writeUint32(entry, 0, id);
      writeUint64(entry, 4, start);
      output.gathered.append(entry);
    }
    yield* output.end();
  }

  /** Begins a record: its name without its prefix. */
  #name(bytes: Uint8Array, start: number, end: number): void {
    const { gathered } = this.output;
    const prefix = this.#prefixes.of(bytes, start, end);
    this.#prefixes.begin(prefix, this.#offsets.count);
    gathered.range(bytes, start + prefix.length, end);
    gathered.byte(0);
  }

  #endRecord(hasPeeled: boolean): void {
    this.#offsets.add(this.output.size - HEADER_SIZE, hasPeeled);
  }

  *#copyRun(rows: Rows, from: number, end: number): Generator<Uint8Array> {
    const start = rows.startOf(from);
    const last = rows.endOf(end - 1);
    if (last < start) {
      throw badBytes(rows.path, rows.offsets.start, 'rows in ascending order', 'others');
    }
    this.#offsets.copy(rows, from, end, this.output.size - HEADER_SIZE - (start - rows.refs.start));
    yield* this.output.copy(rows.source, start, last);
  }
}
