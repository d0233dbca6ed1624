// Writes a table: sorted records in, the bytes of a file out (`table-builder.ts` draws its layout). The
// object section is written only where refs have an index, as Git does.

import { RefError } from '../errors.ts';
import { LOG_BLOCK, REF_BLOCK } from '../format/block.ts';
import { RecordEncoder } from '../format/record-encoder.ts';
import { LOG_ENTRY, type LogRecord, REF_OID, type RefRecord } from '../format/records.ts';
import { MAX_VARINT_LENGTH, writeVarint } from '../format/varint.ts';
import { ObjectIndex } from './object-index.ts';
import { writeObjectSection } from './object-section.ts';
import { TableBuilder } from './table-builder.ts';
import type { TableWriterOptions } from './table-writer-options.ts';

/** A table that is complete. */
export interface WrittenTable {
  /** The file's bytes, in pieces of 64 KiB. */
  chunks: Uint8Array[];
  /** Bytes. */
  size: number;
  minUpdateIndex: number;
  maxUpdateIndex: number;
  refCount: number;
  logCount: number;
}

export class TableWriter {
  protected readonly builder: TableBuilder;
  protected readonly encoder = new RecordEncoder();
  protected readonly objects: ObjectIndex | undefined;
  /** The kind of records that come now; `undefined` before the first one. */
  private section: typeof REF_BLOCK | typeof LOG_BLOCK | undefined;
  private readonly delta = new Uint8Array(MAX_VARINT_LENGTH);
  private deltaLength = 0;
  private deltaOf = -1;
  protected refCount = 0;
  protected logCount = 0;

  /** Throws `INVALID_ARGUMENT` for an option out of its range. */
  constructor(options: TableWriterOptions) {
    this.builder = new TableBuilder(options);
    const { indexObjects, oidLength } = this.builder;
    this.objects = indexObjects ? new ObjectIndex(oidLength) : undefined;
  }

  /**
   * Adds a ref; names ascend in byte order, and all refs come before the first log record.
   * Throws `INVALID_ARGUMENT` (order, update index), `RECORD_TOO_LARGE`.
   */
  addRef(record: RefRecord): void {
    this.enterRefs(record.name, record.updateIndex);
    this.checkOid(record.name, record.oid);
    this.checkOid(record.name, record.peeled);
    this.encoder.ref(record, this.builder.header.minUpdateIndex);
    this.addRecord();
    this.refCount++;
    const { objects } = this;
    if (objects === undefined || record.oid === undefined) return;
    // The object ids are the last thing in the value.
    const { bytes, length } = this.encoder.value;
    const start = length - this.builder.oidLength;
    if (record.peeled !== undefined)
      objects.add(bytes, start - this.builder.oidLength, this.builder.offset);
    objects.add(bytes, start, this.builder.offset);
  }

  /**
   * Adds a ref that holds an object id, from bytes: its name is `names[start, end)`, its object id stands
   * at `at` in `oids`. `shared` is how many bytes the name has in common with the one added last, -1 where
   * that is not known. Throws as `addRef`.
   */
  addDirectRef(
    names: Uint8Array,
    start: number,
    end: number,
    shared: number,
    updateIndex: number,
    oids: Uint8Array,
    at: number,
  ): void {
    if (this.section !== REF_BLOCK || updateIndex !== this.deltaOf) {
      this.enterRefs('', updateIndex);
      this.setDelta(updateIndex);
    }
    const { builder, delta, deltaLength } = this;
    const { block, oidLength } = builder;
    const length = end - start;
    const common = builder.sharedWithLast(names, start, length, shared);
    const valueLength = deltaLength + oidLength;
    const prefix = builder.beginRecord(common, names, start, length, REF_OID, valueLength);
    block.put(names, start + prefix, end);
    block.put(delta, 0, deltaLength);
    block.put(oids, at, at + oidLength);
    this.refCount++;
    this.objects?.add(oids, at, this.builder.offset);
  }

  /**
   * Adds a reflog entry or a tombstone for one; names ascend, update indexes of a name descend.
   * Throws `INVALID_ARGUMENT` (order, update index), `RECORD_TOO_LARGE`.
   */
  addLog(record: LogRecord): void {
    const { name, updateIndex, entry } = record;
    if (entry === undefined) {
      this.checkNumber(name, 'update index', updateIndex, 0, Number.MAX_SAFE_INTEGER);
    } else {
      this.checkNumber(name, 'update index', updateIndex, 0, this.builder.header.maxUpdateIndex);
      this.checkNumber(name, 'time', entry.time, 0, Number.MAX_SAFE_INTEGER);
      this.checkOid(name, entry.oldOid);
      this.checkOid(name, entry.newOid);
    }
    this.enterLogs();
    this.encoder.log(name, updateIndex, entry);
    this.addRecord();
    this.logCount++;
  }

  /**
   * Adds a reflog entry from bytes: its key is `keys[start, end)`, `value` all that stands behind it.
   * `shared` is how many bytes of the name in the key are those of the name added last, -1 where that is
   * not known. Throws as `addLog`.
   */
  addLogEntry(
    keys: Uint8Array,
    start: number,
    end: number,
    shared: number,
    value: Uint8Array,
  ): void {
    this.enterLogs();
    const { builder } = this;
    const { block } = builder;
    const length = end - start;
    const common = builder.sharedWithLast(keys, start, length, shared);
    const prefix = builder.beginRecord(common, keys, start, length, LOG_ENTRY, value.length);
    block.put(keys, start + prefix, end);
    block.putAll(value);
    this.logCount++;
  }

  /** Completes the table. The writer cannot be used afterwards. */
  finish(): WrittenTable {
    const { builder } = this;
    if (this.section === REF_BLOCK) this.finishRefs();
    if (this.section === LOG_BLOCK) builder.footer.logIndexOffset = complete(builder.endSection());
    const size = builder.finish();
    return {
      chunks: builder.takeChunks(),
      size,
      minUpdateIndex: builder.header.minUpdateIndex,
      maxUpdateIndex: builder.header.maxUpdateIndex,
      refCount: this.refCount,
      logCount: this.logCount,
    };
  }

  protected enterRefs(name: string, updateIndex: number): void {
    const { minUpdateIndex, maxUpdateIndex } = this.builder.header;
    this.checkNumber(name, 'update index', updateIndex, minUpdateIndex, maxUpdateIndex);
    if (this.section === LOG_BLOCK) throw invalid(name, 'expected refs before log records');
    this.section = REF_BLOCK;
  }

  protected enterLogs(): void {
    if (this.section === LOG_BLOCK) return;
    if (this.section === REF_BLOCK) this.finishRefs();
    this.section = LOG_BLOCK;
    this.builder.startSection(LOG_BLOCK);
  }

  private checkNumber(name: string, what: string, value: number, low: number, high: number): void {
    if (Number.isSafeInteger(value) && value >= low && value <= high) return;
    throw invalid(name, `expected ${what} ${low} to ${high}, found ${value}`);
  }

  /** An object id of another length would make what follows it unreadable. */
  private checkOid(name: string, oid: string | undefined): void {
    if (oid === undefined || oid.length === 2 * this.builder.oidLength) return;
    const expected = `expected an object id of ${2 * this.builder.oidLength} hex digits`;
    throw invalid(name, `${expected}, found '${oid}'`);
  }

  private addRecord(): void {
    const { key, value, valueType } = this.encoder;
    this.builder.add(key.bytes, key.length, valueType, value.bytes, value.length);
  }

  /** Encodes what a ref's value says of its update index; all refs of a transaction say the same. */
  private setDelta(updateIndex: number): void {
    this.deltaOf = updateIndex;
    this.deltaLength = writeVarint(this.delta, 0, updateIndex - this.builder.header.minUpdateIndex);
  }

  private finishRefs(): void {
    const { builder, objects } = this;
    const { footer } = builder;
    footer.refIndexOffset = complete(builder.endSection());
    // A table so small that its refs have no index is scanned as fast as its object section would be.
    if (footer.refIndexOffset > 0 && objects !== undefined) {
      complete(writeObjectSection(builder, objects));
    }
  }
}

/** All the steps at once: what a transaction writes is small. */
function complete<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function invalid(name: string, expected: string): RefError {
  return new RefError('INVALID_ARGUMENT', `'${name}': ${expected}`, { ref: name });
}
