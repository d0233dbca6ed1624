// One table read from its first byte to its last, each promise of the format checked on the way: the order of
// sections and keys, restart points, update indexes, index entries that lead to their blocks, an object section
// that holds what the refs hold, and a footer that names what is there.

import { RefError, ReftableFormatError } from '../../errors.ts';
import {
  type Block,
  INDEX_BLOCK,
  LOG_BLOCK,
  OBJECT_BLOCK,
  REF_BLOCK,
  restartOffset,
} from '../../format/block.ts';
import { compareBytes, readReversedUint64 } from '../../format/bytes.ts';
import type { Compression } from '../../format/compression.ts';
import { footerSize, headerSize, type TableHeader } from '../../format/header.ts';
import type { ObjectFormat } from '../../format/object-format.ts';
import { RecordBatch } from '../../format/record-batch.ts';
import {
  LOG_KEY_SUFFIX,
  REF_OID,
  REF_PEELED,
  readBlockOffsets,
  readLogEntry,
  readRef,
} from '../../format/records.ts';
import { type ObjectEntries, ObjectIndex } from '../../table/object-index.ts';
import { Table } from '../../table/table.ts';
import type { TableSource } from '../../table/table-source.ts';

export interface TableReading {
  /** Bytes. */
  size: number;
  /** `undefined` where the table cannot be opened. */
  header: TableHeader | undefined;
  /** Records that can be read, tombstones included; beyond a fault as far as blocks can be found. */
  refs: number;
  logs: number;
  /** The first thing that is wrong. */
  fault: RefError | undefined;
}

/** Reads a table and closes `source`. Throws nothing that is wrong with the table. */
export function examineTable(
  source: TableSource,
  compression: Compression,
  objectFormat: ObjectFormat | undefined,
): TableReading {
  const reading: TableReading = {
    size: source.size,
    header: undefined,
    refs: 0,
    logs: 0,
    fault: undefined,
  };
  let table: Table | undefined;
  try {
    table = Table.open(source, compression);
    reading.header = table.header;
    checkHeader(table, objectFormat);
    new TableWalk(table, reading).run();
  } catch (error) {
    if (!(error instanceof RefError)) throw error;
    reading.fault = error;
  } finally {
    table?.close();
  }
  return reading;
}

function checkHeader(table: Table, objectFormat: ObjectFormat | undefined): void {
  const { version, objectFormat: found, minUpdateIndex, maxUpdateIndex } = table.header;
  if (objectFormat !== undefined && found !== objectFormat) {
    const expected = `object ids of the repository's format, ${objectFormat}`;
    throw new ReftableFormatError(table.name, version === 1 ? 4 : 24, expected, found);
  }
  if (maxUpdateIndex < minUpdateIndex) {
    const expected = `a last update index of at least ${minUpdateIndex}`;
    throw new ReftableFormatError(table.name, 16, expected, String(maxUpdateIndex));
  }
}

/** A block as an index tells it. */
interface IndexedBlock {
  offset: number;
  lastKey: Uint8Array;
}

/** The sections in the order of the file, and where the footer names them and their indexes, in fields. */
const SECTIONS = [
  { type: REF_BLOCK, name: 'ref', offset: undefined, index: 0 },
  { type: OBJECT_BLOCK, name: 'object', offset: 1, index: 2 },
  { type: LOG_BLOCK, name: 'log', offset: 3, index: 4 },
] as const;

class TableWalk {
  private readonly table: Table;
  private readonly reading: TableReading;
  private readonly batch: RecordBatch;
  /** Where the footer's fields start. */
  private readonly footerFields: number;
  /** Offsets as the footer has them. */
  private readonly fields: readonly number[];
  /** The section of the current block; -1 before the first. */
  private section = -1;
  private sectionStart = 0;
  /** The blocks that the index blocks to come are over, and how many of them have been told. */
  private level: IndexedBlock[] = [];
  private told = 0;
  /** The index blocks over `level`. */
  private above: IndexedBlock[] = [];
  private lastKey: Uint8Array = new Uint8Array(0);
  private readonly refBlocks = new Set<number>();
  private readonly objects: ObjectIndex | undefined;
  private entries: ObjectEntries | undefined;

  constructor(table: Table, reading: TableReading) {
    this.table = table;
    this.reading = reading;
    this.batch = new RecordBatch(table.oidLength);
    const { header, footer, size } = table;
    this.footerFields = size - footerSize(header.version) + headerSize(header.version);
    const { refIndexOffset, objectOffset, objectIndexOffset, logOffset, logIndexOffset } = footer;
    this.fields = [refIndexOffset, objectOffset, objectIndexOffset, logOffset, logIndexOffset];
    if (table.indexesObjects) this.objects = new ObjectIndex(table.oidLength);
  }

  /** Throws `ReftableFormatError` for the first fault, when what can be read in spite of it is counted. */
  run(): void {
    let end = 0;
    try {
      for (const block of this.table.blocks()) {
        if (block.type === INDEX_BLOCK) this.checkIndexBlock(block);
        else this.checkBlock(block);
        end = block.nextOffset;
      }
      this.endSection();
      this.checkUnseenSections(SECTIONS.length);
    } catch (error) {
      this.countBeyond(end);
      throw error;
    }
  }

  private checkBlock(block: Block): void {
    const section = SECTIONS.findIndex(({ type }) => type === block.type);
    if (section !== this.section || this.told > 0) this.beginSection(section, block);
    const { batch } = this;
    for (batch.open(block); batch.count > 0; batch.fill()) {
      this.checkOrder();
      for (let i = 0; i < batch.count; i++) this.checkValue(block, i);
      if (block.type === REF_BLOCK) this.reading.refs += batch.count;
      if (block.type === LOG_BLOCK) this.reading.logs += batch.count;
    }
    checkRestarts(block);
    if (block.type === REF_BLOCK) this.refBlocks.add(block.offset);
    this.level.push({ offset: block.offset, lastKey: this.lastKey });
  }

  private beginSection(section: number, block: Block): void {
    this.endSection();
    if (section <= this.section) {
      const expected = `a block that may follow the ${SECTIONS[this.section]!.name} section`;
      const found = `'${String.fromCharCode(block.type)}'`;
      throw new ReftableFormatError(this.table.name, block.offset, expected, found);
    }
    this.checkUnseenSections(section);
    this.section = section;
    this.sectionStart = block.offset;
    this.level = [];
    this.lastKey = new Uint8Array(0);
    const { offset } = SECTIONS[section]!;
    if (offset !== undefined) this.expectField(offset, block.offset);
    if (block.type !== OBJECT_BLOCK || this.objects === undefined) return;
    // Sorting in short steps is for others: here nobody waits.
    for (const _ of this.objects.sort());
    this.entries = this.objects.entries(this.table.footer.objectIdLength);
  }

  /** Keys ascend, in a section as in a block. */
  private checkOrder(): void {
    const { batch } = this;
    const { keys, keyStarts, count } = batch;
    const first = keys.subarray(keyStarts[0]!, keyStarts[1]!);
    if (compareBytes(this.lastKey, first) >= 0) this.refuse(0, 'a key above the one before it');
    for (let i = 1; i < count; i++) {
      if (batch.sharedWithPrevious(i) < 0) this.refuse(i, 'a key above the one before it');
    }
    this.lastKey = keys.slice(keyStarts[count - 1]!, keyStarts[count]!);
  }

  private checkValue(block: Block, i: number): void {
    const { batch, table } = this;
    const { reader } = batch;
    reader.at = batch.valueStarts[i]!;
    const valueType = batch.valueTypes[i]!;
    if (block.type === REF_BLOCK) {
      const { minUpdateIndex, maxUpdateIndex } = table;
      const ref = readRef(reader, '', valueType, table.oidLength, minUpdateIndex);
      if (ref.updateIndex > maxUpdateIndex) {
        this.refuse(i, `an update index of at most ${maxUpdateIndex}`, String(ref.updateIndex));
      }
      this.collectObjects(block, i, valueType);
    } else if (block.type === LOG_BLOCK) {
      this.checkLogKey(i);
      readLogEntry(reader, valueType, table.oidLength);
    } else {
      this.checkObject(i, readBlockOffsets(reader, valueType));
    }
  }

  private collectObjects(block: Block, i: number, valueType: number): void {
    const { objects, batch, table } = this;
    if (objects === undefined) return;
    const end = batch.valueEnds[i]!;
    const count = valueType === REF_OID ? 1 : valueType === REF_PEELED ? 2 : 0;
    for (let n = count; n > 0; n--) {
      objects.add(batch.reader.bytes, end - n * table.oidLength, block.offset);
    }
  }

  private checkLogKey(i: number): void {
    const { keys, keyStarts } = this.batch;
    const key = keys.subarray(keyStarts[i]!, keyStarts[i + 1]!);
    const nul = key.length - LOG_KEY_SUFFIX;
    if (nul > 0 && key[nul] === 0 && readReversedUint64(key, nul + 1) !== undefined) return;
    this.refuse(i, 'a key of a name, NUL and an update index below 2^53');
  }

  /** Each object id, by its first bytes, with the blocks of the refs that hold it. */
  private checkObject(i: number, blocks: readonly number[] | undefined): void {
    const { entries, batch } = this;
    const key = batch.keys.subarray(batch.keyStarts[i]!, batch.keyStarts[i + 1]!);
    if (entries === undefined || !entries.next() || compareBytes(entries.key, key) !== 0) {
      this.refuse(i, 'the object ids that refs of this table hold, and no others');
    }
    // Too many to list.
    if (blocks === undefined) return;
    const { blocks: expected } = entries!;
    const isSame = blocks.length === expected.length && blocks.every((at, n) => at === expected[n]);
    if (!isSame) {
      this.refuse(i, `the ref blocks at ${expected.join(' ')}`, blocks.join(' '));
    }
  }

  /** Index blocks stand behind the blocks that they are over, level by level. */
  private checkIndexBlock(block: Block): void {
    if (this.section < 0) {
      throw new ReftableFormatError(this.table.name, block.offset, 'a section before its index');
    }
    if (this.told === this.level.length) {
      this.level = this.above;
      this.above = [];
      this.told = 0;
    }
    if (this.above.length === 0) this.lastKey = new Uint8Array(0);
    const { batch } = this;
    for (batch.open(block); batch.count > 0; batch.fill()) {
      this.checkOrder();
      for (let i = 0; i < batch.count; i++) this.checkIndexEntry(i);
    }
    checkRestarts(block);
    this.above.push({ offset: block.offset, lastKey: this.lastKey });
  }

  private checkIndexEntry(i: number): void {
    const { batch } = this;
    batch.reader.at = batch.valueStarts[i]!;
    const offset = batch.reader.varint('an offset');
    const expected = this.level[this.told++];
    if (expected === undefined) this.refuse(i, 'no more entries than blocks', `byte ${offset}`);
    if (offset !== expected!.offset) {
      this.refuse(i, `the block at byte ${expected!.offset}`, `byte ${offset}`);
    }
    const key = batch.keys.subarray(batch.keyStarts[i]!, batch.keyStarts[i + 1]!);
    if (compareBytes(key, expected!.lastKey) !== 0) {
      this.refuse(i, `the last key of the block at byte ${offset}`);
    }
  }

  private endSection(): void {
    if (this.section < 0) return;
    const { index, name } = SECTIONS[this.section]!;
    const top = this.above[0]?.offset ?? 0;
    if (this.above.length > 0 && this.told < this.level.length) {
      const { offset } = this.level[this.told]!;
      const expected = `an index of the ${name} section that leads to its block at byte ${offset}`;
      throw new ReftableFormatError(this.table.name, this.above.at(-1)!.offset, expected);
    }
    if (this.entries?.next()) {
      const expected = 'all object ids that refs of this table hold';
      throw new ReftableFormatError(this.table.name, this.sectionStart, expected, 'fewer');
    }
    this.entries = undefined;
    this.expectField(index, top);
    this.above = [];
    this.told = 0;
  }

  /** Of the sections between the current one and `next` the footer must know nothing. */
  private checkUnseenSections(next: number): void {
    for (const { offset, index } of SECTIONS.slice(this.section + 1, next)) {
      if (offset !== undefined) this.expectField(offset, 0);
      this.expectField(index, 0);
    }
  }

  private expectField(field: number, expected: number): void {
    const found = this.fields[field]!;
    if (found === expected) return;
    const at = this.footerFields + 8 * field;
    throw new ReftableFormatError(this.table.name, at, `the offset ${expected}`, String(found));
  }

  /** For the record at `i`. */
  private refuse(i: number, expected: string, found?: string): never {
    this.batch.reader.at = this.batch.valueStarts[i]!;
    throw this.batch.reader.error(expected, found);
  }

  /** Counts what can be read behind a faulty block at `start`: aligned blocks, and the log. */
  private countBeyond(start: number): void {
    const { table, reading } = this;
    const { blockSize } = table.header;
    const { refIndexOffset, objectOffset, logOffset } = table.footer;
    const blocksEnd = table.size - footerSize(table.header.version);
    const refsEnd = refIndexOffset || objectOffset || logOffset || blocksEnd;
    if (blockSize > 0 && this.section <= 0) {
      for (
        let at = (Math.floor(start / blockSize) + 1) * blockSize;
        at < refsEnd;
        at += blockSize
      ) {
        const block = readable(() => table.readBlock(at));
        if (block?.type === REF_BLOCK) reading.refs += this.countRecords(block);
      }
    }
    if (logOffset <= start) return;
    let log = readable(() => table.readBlock(logOffset));
    while (log?.type === LOG_BLOCK) {
      const block: Block = log;
      reading.logs += this.countRecords(block);
      log = readable(() => table.nextBlock(block));
    }
  }

  private countRecords(block: Block): number {
    const { batch } = this;
    let count = 0;
    readable(() => {
      for (batch.open(block); batch.count > 0; batch.fill()) count += batch.count;
    });
    return count;
  }
}

/** `undefined` where the table is damaged. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof RefError) return undefined;
    throw error;
  }
}

/** Restart points ascend and lie among the records, with whole keys. */
function checkRestarts(block: Block): void {
  let before = block.recordsStart - 1;
  for (let i = 0; i < block.restartCount; i++) {
    const offset = restartOffset(block, i);
    const isWhole = block.bytes[offset] === 0;
    if (offset > before && offset < block.recordsEnd && isWhole) {
      before = offset;
      continue;
    }
    const at = block.offset + block.recordsEnd + 3 * i;
    const expected = `a restart point from ${before + 1} to ${block.recordsEnd - 1}, with a whole key`;
    throw new ReftableFormatError(block.file, at, expected, String(offset));
  }
}
