// What a table consists of: its blocks, and how many records of each kind there are.

import { type BlockType, INDEX_BLOCK } from '../format/block.ts';
import type { TableHeader } from '../format/header.ts';
import { RecordBatch } from '../format/record-batch.ts';
import { TOMBSTONE } from '../format/records.ts';
import { BLOCK_NAMES } from './record-rows.ts';
import type { Table } from './table.ts';

export type BlockKind = 'ref' | 'object' | 'log' | 'index';

/** One block of a table. */
export interface BlockOutline {
  kind: BlockKind;
  /** Where it starts in the file, and how many bytes it takes there. */
  offset: number;
  length: number;
  records: number;
  /** The type of the blocks that an index block leads to. */
  indexed: BlockType;
}

export interface TableOutline extends TableHeader {
  name: string;
  /** Bytes. */
  size: number;
  refs: number;
  /** Records that say that a ref is deleted. */
  deletedRefs: number;
  logEntries: number;
  /** Records that say that a log entry is deleted. */
  deletedLogEntries: number;
  blocks: BlockOutline[];
}

/** Reads every block. Throws `ReftableFormatError`. */
export function outlineTable(table: Table): TableOutline {
  const { header, name, size } = table;
  const counts = { ref: 0, deletedRef: 0, log: 0, deletedLog: 0 };
  const blocks: BlockOutline[] = [];
  const batch = new RecordBatch(table.oidLength);
  let indexed: BlockType = INDEX_BLOCK;
  for (const block of table.blocks()) {
    const kind = BLOCK_NAMES[block.type];
    if (block.type !== INDEX_BLOCK) indexed = block.type;
    let records = 0;
    let deleted = 0;
    for (batch.open(block); batch.count > 0; batch.fill()) {
      records += batch.count;
      for (let i = 0; i < batch.count; i++) if (batch.valueTypes[i] === TOMBSTONE) deleted++;
    }
    if (kind === 'ref') {
      counts.ref += records - deleted;
      counts.deletedRef += deleted;
    } else if (kind === 'log') {
      counts.log += records - deleted;
      counts.deletedLog += deleted;
    }
    const { offset, nextOffset } = block;
    blocks.push({ kind, offset, length: nextOffset - offset, records, indexed });
  }
  return {
    name,
    size,
    ...header,
    refs: counts.ref,
    deletedRefs: counts.deletedRef,
    logEntries: counts.log,
    deletedLogEntries: counts.deletedLog,
    blocks,
  };
}
