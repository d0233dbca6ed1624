// The tables of a stack, as the inspector asks about them: an outline of each, its records by number, what they come
// to together, and what each says of one ref. Knows neither Node nor the page.

import type { Compression } from '../format/compression.ts';
import type { LogRecord, RefRecord } from '../format/records.ts';
import { encodeText } from '../format/text.ts';
import { countedSize, type Segment, segmentToCompact } from '../stack/geometry.ts';
import { MergedTable } from '../table/merged-table.ts';
import { type RecordRow, readRecords } from '../table/record-rows.ts';
import { Table } from '../table/table.ts';
import { outlineTable, type TableOutline } from '../table/table-outline.ts';
import { bufferSource } from '../table/table-source.ts';

/** Every so many of the merged refs one is remembered to go on from. */
const MARK_DISTANCE = 256;

/** So many finds are given; all are counted. */
const MAX_FINDS = 2000;

/** A table's file. */
export interface TableFile {
  name: string;
  bytes: Uint8Array;
}

export interface ShownTable extends TableOutline {
  /** How many times the size of the next, newer table; `undefined` for the newest. */
  ratioToNext: number | undefined;
}

export interface StackOutline {
  /** Oldest first. */
  tables: ShownTable[];
  geometricFactor: number;
  /** What compaction would merge next. */
  dueSegment: Segment | undefined;
  /** How many refs there are, all tables taken together. */
  refs: number;
}

export interface Finds {
  rows: RefRecord[];
  /** How many there are, of which `rows` has the first. */
  total: number;
}

/** What one table says of a ref. */
export interface TableHistory {
  table: number;
  /** A tombstone has neither object id nor target. */
  ref: RefRecord | undefined;
  /** Newest first. */
  log: LogRecord[];
}

export class Inspection {
  readonly outline: StackOutline;
  readonly #tables: readonly Table[];
  readonly #merged: MergedTable;
  /** The name of every 256th merged ref. */
  readonly #marks: string[] = [];

  /** `files` are the stack's tables, oldest first. Throws `ReftableFormatError`. */
  constructor(files: readonly TableFile[], compression: Compression, geometricFactor: number) {
    this.#tables = files.map(({ name, bytes }) =>
      Table.open(bufferSource(name, bytes), compression),
    );
    this.#merged = new MergedTable(this.#tables);
    const outlines = this.#tables.map(outlineTable);
    const [oldest] = this.#tables;
    const sizes = this.#tables.map(({ size, header }) =>
      countedSize(size, header.version, oldest!.objectFormat),
    );
    this.outline = {
      tables: outlines.map((outline, i) => ({
        ...outline,
        ratioToNext: outlines[i + 1] && outline.size / outlines[i + 1]!.size,
      })),
      geometricFactor,
      dueSegment: segmentToCompact(sizes, geometricFactor),
      refs: this.#mark(),
    };
  }

  /** The merged refs from number `start` on, at most `count`. */
  refs(start: number, count: number): RefRecord[] {
    const mark = Math.floor(start / MARK_DISTANCE);
    const from = this.#marks[mark];
    if (from === undefined) return [];
    const rows: RefRecord[] = [];
    let skip = start - mark * MARK_DISTANCE;
    for (const record of this.#merged.refs('', from)) {
      if (skip-- > 0) continue;
      rows.push(record);
      if (rows.length === count) break;
    }
    return rows;
  }

  /** A table's records of some blocks (by their numbers, all of one kind), from number `start` on, at most `count`. */
  records(table: number, blocks: readonly number[], start: number, count: number): RecordRow[] {
    const opened = this.#tables[table]!;
    const outlines = this.outline.tables[table]!.blocks;
    const rows: RecordRow[] = [];
    let before = 0;
    for (const number of blocks) {
      const outline = outlines[number]!;
      const first = start - before;
      before += outline.records;
      if (before <= start) continue;
      const block = opened.readBlock(outline.offset);
      let i = 0;
      for (const row of readRecords(opened, block, outline.indexed)) {
        if (i++ >= first) rows.push(row);
        if (rows.length === count) return rows;
      }
    }
    return rows;
  }

  /** The merged refs whose name holds `text`, or whose object id begins with it. */
  find(text: string): Finds {
    const finds: Finds = { rows: [], total: 0 };
    const oid = /^[0-9a-f]{4,64}$/i.test(text) ? text.toLowerCase() : undefined;
    for (const record of this.#merged.refs()) {
      const { name, oid: own, peeled } = record;
      const isFound =
        name.includes(text) ||
        (oid !== undefined && (own?.startsWith(oid) || peeled?.startsWith(oid)));
      if (isFound && finds.total++ < MAX_FINDS) finds.rows.push(record);
    }
    return finds;
  }

  /** What the tables say of a ref, the newest first; those that say nothing are left out. */
  history(name: string): TableHistory[] {
    const key = encodeText(name);
    const found: TableHistory[] = [];
    this.#tables.forEach((table, number) => {
      const ref = table.readRef(key, name);
      const log = [...new MergedTable([table]).log(name)];
      if (ref !== undefined || log.length > 0) found.push({ table: number, ref, log });
    });
    return found.reverse();
  }

  /** Counts the merged refs, and remembers where to go on from. */
  #mark(): number {
    let count = 0;
    const refs = this.#merged.refs();
    for (let cursor = refs.nextRaw(); cursor !== undefined; cursor = refs.nextRaw()) {
      if (count++ % MARK_DISTANCE === 0) this.#marks.push(cursor.refName());
    }
    return count;
  }
}
