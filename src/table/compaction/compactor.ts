// Merges several tables into one.
//
// Small tables are merged record by record. Where the oldest one is large, which is what a stack comes to,
// its blocks are copied as they are wherever no newer table has a key in them (`section-splice.ts`): the
// base of its update indexes stays the same, for it is the oldest. A tombstone in a copied block stays
// even where there is nothing to hide: it does no harm, and compactions that include the oldest table
// leave none behind.

import { RefError } from '../../errors.ts';
import { LOG_BLOCK } from '../../format/block.ts';
import { oidSize } from '../../format/object-format.ts';
import { MergedCursor } from '../merged-cursor.ts';
import { ObjectIndex } from '../object-index.ts';
import { writeObjectSection } from '../object-section.ts';
import type { Table } from '../table.ts';
import { TableBuilder } from '../table-builder.ts';
import type { TableWriterOptions } from '../table-writer-options.ts';
import { type BlockList, isAligned, readBlockList } from './block-list.ts';
import { readObjectBlocks, spliceObjectSection } from './object-splice.ts';
import { type CopyRules, type LogExpiry, RecordCopier } from './record-copier.ts';
import { RECORD_STEP, RecordSplice } from './record-splice.ts';
import { spliceSection } from './section-splice.ts';

export type { LogExpiry };

/** Sections of fewer blocks are merged record by record, and become what Git makes of them. */
const MIN_COPIED_BLOCKS = 64;

export interface CompactionOptions
  extends CopyRules,
    Pick<
      TableWriterOptions,
      'compression' | 'objectFormat' | 'blockSize' | 'restartInterval' | 'indexObjects'
    > {
  /** Blocks are copied from sections of at least so many. Default 64. */
  minCopiedBlocks?: number | undefined;
}

/** What a compaction wrote. */
export interface CompactedTable {
  /** Bytes. */
  size: number;
  minUpdateIndex: number;
  maxUpdateIndex: number;
  /** Whether no record is left. */
  isEmpty: boolean;
}

/**
 * Merges tables, oldest first, into one: the newest record of a key is kept. A generator: each step takes
 * at most about 2 ms and yields the chunks of the new file, 64 KiB each, that have become full in it, maybe
 * none, in order. Throws `ReftableFormatError` for a damaged table, `INVALID_ARGUMENT` for options out of
 * their range, `RECORD_TOO_LARGE` where a record does not fit into the block size.
 */
export function* compactTables(
  tables: readonly Table[],
  options: CompactionOptions,
): Generator<Uint8Array[], CompactedTable, void> {
  const compaction = new Compaction(tables, options);
  const { builder } = compaction;
  const steps = compaction.sections();
  while (!steps.next().done) yield builder.takeFullChunks();
  const isEmpty = builder.isAtStart;
  const size = builder.finish();
  yield builder.takeChunks();
  const { minUpdateIndex, maxUpdateIndex } = builder.header;
  return { size, minUpdateIndex, maxUpdateIndex, isEmpty };
}

class Compaction {
  readonly builder: TableBuilder;

  private readonly tables: readonly Table[];
  private readonly options: CompactionOptions;

  constructor(tables: readonly Table[], options: CompactionOptions) {
    const first = tables[0];
    if (first === undefined) throw new RefError('INVALID_ARGUMENT', 'no tables to compact');
    const { objectFormat = 'sha1' } = options;
    for (const { name: file, oidLength } of tables) {
      if (oidLength === oidSize(objectFormat)) continue;
      const message = `${file}: expected a table of ${objectFormat} object ids`;
      throw new RefError('INVALID_ARGUMENT', message, { file });
    }
    this.tables = tables;
    this.options = options;
    this.builder = new TableBuilder({
      ...options,
      minUpdateIndex: first.minUpdateIndex,
      maxUpdateIndex: tables.at(-1)!.maxUpdateIndex,
    });
  }

  *sections(): Generator<void, void> {
    yield* this.refs();
    yield* this.logs();
  }

  private *refs(): Generator<void, void> {
    const { builder, options } = this;
    const { footer } = builder;
    const objects = builder.indexObjects ? new ObjectIndex(builder.oidLength) : undefined;
    const copier = new RecordCopier(builder, objects, options);
    const list = yield* this.copiedBlocks('refs');
    const oldObjects = objects && list && (yield* this.copiedBlocks('objects'));
    const copies = list !== undefined && (objects === undefined || oldObjects !== undefined);
    const splice = copies ? this.splice('refs', list, copier) : undefined;
    yield* splice === undefined ? this.mergeAll('refs', copier) : spliceSection(builder, splice);
    footer.refIndexOffset = yield* builder.endSection();
    // A table so small that its refs have no index is scanned as fast as its object section would be.
    if (footer.refIndexOffset === 0 || objects === undefined) return;
    if (splice === undefined || oldObjects === undefined) {
      yield* writeObjectSection(builder, objects);
    } else {
      yield* spliceObjectSection(builder, this.tables[0]!, oldObjects, splice.newOffsets, objects);
    }
  }

  private *logs(): Generator<void, void> {
    const { builder, options } = this;
    const copier = new RecordCopier(builder, undefined, options);
    const { minUpdateIndex = 0, minTime = 0 } = options.expiry ?? {};
    const list = minUpdateIndex > 0 || minTime > 0 ? undefined : yield* this.copiedBlocks('logs');
    builder.startSection(LOG_BLOCK);
    yield* list === undefined
      ? this.mergeAll('logs', copier)
      : spliceSection(builder, this.splice('logs', list, copier));
    builder.footer.logIndexOffset = yield* builder.endSection();
  }

  /** The blocks of the oldest table, if they can be copied and it is worth it. */
  private *copiedBlocks(
    section: 'refs' | 'objects' | 'logs',
  ): Generator<void, BlockList | undefined> {
    const { builder, tables } = this;
    const { minCopiedBlocks = MIN_COPIED_BLOCKS } = this.options;
    const oldest = tables[0]!;
    const { version, blockSize } = oldest.header;
    if (version !== builder.header.version || blockSize !== builder.blockSize) return undefined;
    // Where the newer tables are as large, most blocks have to be written anew.
    const total = tables.reduce((size, table) => size + table.size, 0);
    if (oldest.size < total - oldest.size) return undefined;
    if (section === 'objects') return yield* readObjectBlocks(oldest);
    const list = yield* readBlockList(oldest, section);
    if (list === undefined || list.offsets.length < minCopiedBlocks) return undefined;
    return section === 'logs' || isAligned(list, blockSize) ? list : undefined;
  }

  /** The oldest table's blocks, and the records of the newer ones. */
  private splice(section: 'refs' | 'logs', list: BlockList, copier: RecordCopier): RecordSplice {
    const [oldest, ...others] = this.tables;
    const newer = new MergedCursor(others, section);
    newer.seekFirst();
    return new RecordSplice(section, oldest!, list, newer, this.builder, copier);
  }

  private *mergeAll(section: 'refs' | 'logs', copier: RecordCopier): Generator<void, void> {
    const cursor = new MergedCursor(this.tables, section);
    let shared = -1;
    let more = cursor.seekFirst();
    for (let steps = 1; more; steps++) {
      const isAdded =
        section === 'refs'
          ? copier.ref(cursor.current!, shared)
          : copier.log(cursor.current!, shared);
      more = cursor.next();
      shared = isAdded && more ? cursor.sharedWithPrevious : -1;
      if (steps % RECORD_STEP[section] === 0) yield;
    }
  }
}
