// Tables in memory for the tests of this folder: made of records, and read back into records.

import { zeroOid } from '../../src/format/index.ts';
import { RecordBatch } from '../../src/format/record-batch.ts';
import { nodeCompression } from '../../src/storage/node-compression.ts';
import {
  bufferSource,
  type LogEntry,
  type LogRecord,
  MergedTable,
  type RefRecord,
  Table,
  TableWriter,
  type TableWriterOptions,
} from '../../src/table/index.ts';

export interface Records {
  refs: RefRecord[];
  logs: LogRecord[];
}

export type Options = Partial<TableWriterOptions>;

/** A file of the records, which are sorted already; any update index up to 1000 is allowed. */
export function writeTable({ refs = [], logs = [] }: Partial<Records>, options: Options = {}) {
  const writer = tableWriter(options);
  for (const ref of refs) writer.addRef(ref);
  for (const log of logs) writer.addLog(log);
  return Buffer.concat(writer.finish().chunks);
}

export function tableWriter(options: Options = {}): TableWriter {
  return new TableWriter({
    compression: nodeCompression,
    minUpdateIndex: 0,
    maxUpdateIndex: 1000,
    ...options,
  });
}

export function openTable(bytes: Uint8Array, compression = nodeCompression): Table {
  return Table.open(bufferSource('test.ref', bytes), compression);
}

/** All that a table holds, tombstones too. */
export function recordsOf(table: Table): Records {
  const merged = new MergedTable([table]);
  const refs: RefRecord[] = [];
  const refCursor = merged.refCursor();
  for (let more = refCursor.seekFirst(); more; more = refCursor.next()) refs.push(refCursor.ref());
  const logs: LogRecord[] = [];
  const logCursor = merged.logCursor();
  for (let more = logCursor.seekFirst(); more; more = logCursor.next()) {
    logs.push(logCursor.log(logCursor.logName()));
  }
  return { refs, logs };
}

export interface IndexRecord {
  key: string;
  offset: number;
  /** Where the offset is stored: its position in the file. */
  at: number;
}

/** The records of the index block at `offset`; the keys in hex. */
export function indexRecords(table: Table, offset: number): IndexRecord[] {
  const block = table.readBlock(offset);
  const batch = new RecordBatch(table.oidLength);
  const records: IndexRecord[] = [];
  for (batch.open(block); batch.count > 0; batch.fill()) {
    for (let i = 0; i < batch.count; i++) {
      const key = batch.keys.subarray(batch.keyStarts[i]!, batch.keyStarts[i + 1]!);
      batch.reader.at = batch.valueStarts[i]!;
      records.push({
        key: Buffer.from(key).toString('hex'),
        offset: batch.reader.varint('an offset'),
        at: offset + batch.valueStarts[i]!,
      });
    }
  }
  return records;
}

/** How many levels of index stand above the blocks of a section. */
export function indexLevels(table: Table, indexOffset: number): number {
  let levels = 0;
  for (let offset = indexOffset; ; levels++) {
    if (String.fromCharCode(table.readBlock(offset).type) !== 'i') return levels;
    offset = indexRecords(table, offset)[0]!.offset;
  }
}

/** The types of a table's blocks in the order of the file, `rrrriog`. */
export function blockTypes(table: Table): string {
  return Array.from(table.blocks(), ({ type }) => String.fromCharCode(type)).join('');
}

/** The object id whose last digits are `n`. */
export function oidOf(n: number, digits = 40): string {
  return n.toString(16).padStart(digits, '0');
}

/** `count` refs in order, each with an object id of its own. */
export function manyRefs(count: number, digits = 40): RefRecord[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `refs/heads/branch-${String(i).padStart(6, '0')}`,
    updateIndex: 1 + (i % 9),
    // Spread over the whole range, so that short prefixes tell them apart.
    oid: oidOf((i * 2654435761) % 2 ** 32, 8).padEnd(digits, '5'),
  }));
}

export function logEntry(message = 'commit: first\n', values: Partial<LogEntry> = {}): LogEntry {
  return {
    oldOid: zeroOid('sha1'),
    newOid: oidOf(7),
    committerName: 'Cy Committer',
    email: 'cy@example.com',
    time: 1_700_000_000,
    timezone: -230,
    message,
    ...values,
  };
}

/** An entry for each of the refs. */
export function manyLogs(count: number): LogRecord[] {
  return manyRefs(count).map(({ name, updateIndex, oid }) => ({
    name,
    updateIndex,
    entry: logEntry(`commit: change ${oid}\n`, { newOid: oid! }),
  }));
}
