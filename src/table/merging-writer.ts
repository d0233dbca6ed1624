// Writes a table with older ones merged in: their records come in between those that are added, as a
// compaction afterwards would put them, but the table is written once.

import { compareRanges } from '../format/bytes.ts';
import type { LogRecord, RefRecord } from '../format/records.ts';
import { RecordCopier } from './compaction/record-copier.ts';
import { MergedCursor } from './merged-cursor.ts';
import type { Table } from './table.ts';
import { TableWriter, type WrittenTable } from './table-writer.ts';
import type { TableWriterOptions } from './table-writer-options.ts';

export class MergingTableWriter extends TableWriter {
  private readonly refs: MergedCursor;
  private readonly logs: MergedCursor;
  private readonly copier: RecordCopier;

  /**
   * `older` tables come oldest first; the options' update indexes span theirs. Where `dropTombstones` says that
   * there is nothing older still, none of theirs is kept. Throws as `TableWriter`.
   */
  constructor(options: TableWriterOptions, older: readonly Table[], dropTombstones: boolean) {
    super(options);
    this.copier = new RecordCopier(this.builder, this.objects, { dropTombstones });
    this.refs = new MergedCursor(older, 'refs');
    this.refs.seekFirst();
    this.logs = new MergedCursor(older, 'logs');
    this.logs.seekFirst();
  }

  override addRef(record: RefRecord): void {
    this.encoder.ref(record, this.builder.header.minUpdateIndex);
    const { key } = this.encoder;
    this.refsBefore(key.bytes, 0, key.length);
    super.addRef(record);
  }

  override addDirectRef(
    names: Uint8Array,
    start: number,
    end: number,
    shared: number,
    updateIndex: number,
    oids: Uint8Array,
    at: number,
  ): void {
    const known = this.refsBefore(names, start, end) ? -1 : shared;
    super.addDirectRef(names, start, end, known, updateIndex, oids, at);
  }

  override addLog(record: LogRecord): void {
    this.encoder.log(record.name, record.updateIndex, undefined);
    const { key } = this.encoder;
    this.logsBefore(key.bytes, 0, key.length);
    super.addLog(record);
  }

  override addLogEntry(
    keys: Uint8Array,
    start: number,
    end: number,
    shared: number,
    value: Uint8Array,
  ): void {
    const known = this.logsBefore(keys, start, end) ? -1 : shared;
    super.addLogEntry(keys, start, end, known, value);
  }

  override finish(): WrittenTable {
    this.restOfRefs();
    while (this.logs.current !== undefined) this.copyLog();
    return super.finish();
  }

  /** Adds the older refs before a name, and leaves one of that name out; whether any came in between. */
  private refsBefore(keys: Uint8Array, start: number, end: number): boolean {
    const { refs } = this;
    let isBetween = false;
    for (let order = compare(refs, keys, start, end); order <= 0; ) {
      if (order < 0) isBetween = this.copyRef() || isBetween;
      else refs.next();
      order = compare(refs, keys, start, end);
    }
    return isBetween;
  }

  private logsBefore(keys: Uint8Array, start: number, end: number): boolean {
    this.restOfRefs();
    const { logs } = this;
    let isBetween = false;
    for (let order = compare(logs, keys, start, end); order <= 0; ) {
      if (order < 0) isBetween = this.copyLog() || isBetween;
      else logs.next();
      order = compare(logs, keys, start, end);
    }
    return isBetween;
  }

  private restOfRefs(): void {
    while (this.refs.current !== undefined) this.copyRef();
  }

  private copyRef(): boolean {
    this.enterRefs('', this.builder.header.minUpdateIndex);
    const isAdded = this.copier.ref(this.refs.current!, -1);
    if (isAdded) this.refCount++;
    this.refs.next();
    return isAdded;
  }

  private copyLog(): boolean {
    this.enterLogs();
    const isAdded = this.copier.log(this.logs.current!, -1);
    if (isAdded) this.logCount++;
    this.logs.next();
    return isAdded;
  }
}

/** Compares the key that a cursor is at with `keys[start, end)`; the end of the records is behind all. */
function compare(cursor: MergedCursor, keys: Uint8Array, start: number, end: number): number {
  const { current } = cursor;
  if (current === undefined) return 1;
  const { batch, index } = current;
  const { keyStarts } = batch;
  const [from, to] = [keyStarts[index]!, keyStarts[index + 1]!];
  return compareRanges(batch.keys, from, to, keys, start, end);
}
