// The object section of an old table whose ref blocks were copied or written anew: the offsets of the
// copied ones are replaced by those that they have now, and what was written anew is merged in.
//
// The prefixes keep their length. A prefix that is not unique any more names the blocks of all object ids
// that begin with it; readers compare whole ids in them.

import { type Block, OBJECT_BLOCK } from '../../format/block.ts';
import { readRecordsOf } from '../../format/block-seek.ts';
import { ByteReader } from '../../format/byte-reader.ts';
import { compareRanges } from '../../format/bytes.ts';
import { RecordBatch } from '../../format/record-batch.ts';
import { readBlockOffsets } from '../../format/records.ts';
import { varintLength, writeVarint } from '../../format/varint.ts';
import type { ObjectEntries, ObjectIndex } from '../object-index.ts';
import { ObjectRecords } from '../object-section.ts';
import type { Table } from '../table.ts';
import type { TableBuilder } from '../table-builder.ts';
import { type BlockList, isAligned, readBlockList, scanBlockList } from './block-list.ts';
import { OldBlocks } from './old-blocks.ts';
import { type ChangedSection, fallsInto, spliceSection } from './section-splice.ts';

/** A section without an index is read whole; Git's have up to three blocks then. */
const MAX_UNINDEXED_BLOCKS = 16;
/** So many records are written in a step. */
const STEP = 1 << 9;

/**
 * The object blocks of a table, if its prefixes do for a table that is a little larger. A table that grows
 * on and on by copying would come to have too many object ids for them: each record takes some four bytes
 * or more, so that with as many records as there are prefixes it is time to choose longer ones.
 * Throws `ReftableFormatError`.
 */
export function* readObjectBlocks(table: Table): Generator<void, BlockList | undefined> {
  if (!table.indexesObjects) return undefined;
  const { objectOffset, objectIdLength } = table.footer;
  const list =
    (yield* readBlockList(table, 'objects')) ??
    scanBlockList(table, 'objects', MAX_UNINDEXED_BLOCKS);
  if (list === undefined || !isAligned(list, table.header.blockSize)) return undefined;
  return list.end - objectOffset > 4 * 256 ** objectIdLength ? undefined : list;
}

/**
 * Writes the object section of a table whose ref blocks were copied from `oldest`, or written anew from
 * refs that hold `objects`, in short steps. `newOffsets` says where each old ref block is now, -1 for
 * those written anew. Throws `ReftableFormatError`.
 */
export function* spliceObjectSection(
  builder: TableBuilder,
  oldest: Table,
  list: BlockList,
  newOffsets: Float64Array,
  objects: ObjectIndex,
): Generator<void, void> {
  const { footer } = builder;
  yield* objects.sort();
  const entries = objects.entries(oldest.footer.objectIdLength);
  footer.objectIdLength = oldest.footer.objectIdLength;
  const start = builder.offset;
  builder.startSection(OBJECT_BLOCK);
  yield* spliceSection(builder, new ObjectSplice(oldest, list, newOffsets, entries, builder));
  footer.objectIndexOffset = yield* builder.endSection();
  if (builder.offset > start) footer.objectOffset = start;
}

class ObjectSplice implements ChangedSection {
  readonly list: BlockList;

  private readonly blocks: OldBlocks;
  private readonly blockSize: number;
  /** Where each old ref block is in the new table; -1 where it was written anew. */
  private readonly newOffsets: Float64Array;
  private readonly entries: ObjectEntries;
  private hasEntry: boolean;
  private readonly builder: TableBuilder;
  private readonly records: ObjectRecords;
  private readonly batch: RecordBatch;
  private readonly reader = new ByteReader();

  /** `entries` are those of the refs that were written anew. */
  constructor(
    table: Table,
    list: BlockList,
    newOffsets: Float64Array,
    entries: ObjectEntries,
    builder: TableBuilder,
  ) {
    this.list = list;
    this.blocks = new OldBlocks(table, list);
    this.blockSize = table.header.blockSize;
    this.newOffsets = newOffsets;
    this.entries = entries;
    this.hasEntry = entries.next();
    this.builder = builder;
    this.records = new ObjectRecords(builder);
    this.batch = new RecordBatch(table.oidLength);
  }

  changes(i: number): boolean {
    return this.hasEntry && fallsInto(this.list, i, this.entries.key);
  }

  copy(i: number): boolean {
    const stored = this.withNewOffsets(this.blocks.aligned(i, OBJECT_BLOCK));
    if (stored === undefined) return false;
    this.builder.copyBlock(stored, this.list.lastKeys[i]!);
    return true;
  }

  *rewrite(i: number): Generator<void, void> {
    const { batch, entries, records } = this;
    let pending = this.changes(i);
    const addEntry = (offsets: number[]) => {
      records.add(entries.key, offsets);
      this.hasEntry = entries.next();
      pending = this.changes(i);
    };
    for (batch.open(this.blocks.aligned(i, OBJECT_BLOCK)); batch.count > 0; batch.fill()) {
      for (let j = 0; j < batch.count; j++) {
        const offsets = this.newOffsetsOf(j);
        while (pending && this.compareToEntry(j) > 0) addEntry(entries.blocks);
        this.expectNext(j);
        if (pending && this.compareToEntry(j) === 0) {
          addEntry(offsets === undefined ? [] : union(offsets, entries.blocks));
        } else if (offsets === undefined || offsets.length > 0) {
          const key = batch.keys.subarray(batch.keyStarts[j]!, batch.keyStarts[j + 1]!);
          records.add(key, offsets ?? []);
        }
      }
      yield;
    }
    for (let steps = 1; pending; steps++) {
      addEntry(entries.blocks);
      if (steps % STEP === 0) yield;
    }
  }

  /**
   * The stored block with the new offsets in the place of the old ones; `undefined` where one of them takes
   * another number of bytes, or is gone.
   */
  private withNewOffsets(block: Block): Uint8Array | undefined {
    const { reader } = this;
    const bytes = new Uint8Array(block.bytes.subarray(0, block.storedLength));
    readRecordsOf(block, reader);
    while (reader.at < reader.end) {
      reader.varint('a prefix length');
      const lengthAndType = reader.varint('a suffix length');
      reader.skip(Math.floor(lengthAndType / 8), 'a key');
      const valueType = lengthAndType % 8;
      let count = valueType > 0 ? valueType : reader.varint('a count');
      let old = 0;
      let last = 0;
      for (; count > 0; count--) {
        const at = reader.at;
        old += reader.varint('an offset');
        const offset = this.newOffset(old);
        if (offset < 0) return undefined;
        if (varintLength(offset - last) !== reader.at - at) return undefined;
        writeVarint(bytes, at, offset - last);
        last = offset;
      }
    }
    return bytes;
  }

  /** Record `j` of the batch: where its ref blocks are now; `undefined` if there are too many to list. */
  private newOffsetsOf(j: number): number[] | undefined {
    const { batch } = this;
    const { reader } = batch;
    const { length } = this.entries.key;
    const found = batch.keyStarts[j + 1]! - batch.keyStarts[j]!;
    reader.at = batch.valueStarts[j]!;
    if (found !== length) throw reader.error(`a key of ${length} bytes`, `${found}`);
    const offsets = readBlockOffsets(reader, batch.valueTypes[j]!);
    return offsets?.map((offset) => this.newOffset(offset)).filter((offset) => offset >= 0);
  }

  private newOffset(old: number): number {
    const offset = this.newOffsets[old / this.blockSize];
    if (offset === undefined) throw this.reader.error('the offset of a ref block', `${old}`);
    return offset;
  }

  /** What is damaged may be in any order. */
  private expectNext(j: number): void {
    const { keys, keyStarts, reader } = this.batch;
    const start = keyStarts[j]!;
    const shared = this.builder.lastKey.sharedWith(keys, start, keyStarts[j + 1]! - start, -1);
    if (shared < 0) throw reader.error('a key that comes after the one before it');
  }

  private compareToEntry(j: number): number {
    const { keys, keyStarts } = this.batch;
    const { key } = this.entries;
    return compareRanges(keys, keyStarts[j]!, keyStarts[j + 1]!, key, 0, key.length);
  }
}

/** Both lists in one, which ascends. */
function union(a: readonly number[], b: readonly number[]): number[] {
  return [...new Set([...a, ...b])].sort((x, y) => x - y);
}
