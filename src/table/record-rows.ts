// The records of one block of any type, decoded, each with its place.

import {
  type Block,
  type BlockType,
  INDEX_BLOCK,
  LOG_BLOCK,
  OBJECT_BLOCK,
  REF_BLOCK,
  restartOffset,
} from '../format/block.ts';
import { readReversedUint64 } from '../format/bytes.ts';
import { readHex } from '../format/object-format.ts';
import { RecordBatch } from '../format/record-batch.ts';
import {
  LOG_KEY_SUFFIX,
  type LogEntry,
  readBlockOffsets,
  readLogEntry,
  readRef,
} from '../format/records.ts';
import { decodeText } from '../format/text.ts';
import type { Table } from './table.ts';

export const BLOCK_NAMES: Readonly<Record<BlockType, 'ref' | 'object' | 'log' | 'index'>> = {
  [REF_BLOCK]: 'ref',
  [OBJECT_BLOCK]: 'object',
  [LOG_BLOCK]: 'log',
  [INDEX_BLOCK]: 'index',
};

/** A record's place: where it starts in its block's bytes, and whether its key is stored whole. */
export interface RecordPlace {
  position: number;
  isRestart: boolean;
}

export interface RefRow extends RecordPlace {
  type: 'ref';
  name: string;
  updateIndex: number;
  oid?: string | undefined;
  peeled?: string | undefined;
  target?: string | undefined;
  /** The record says that the ref is deleted. */
  deleted?: true | undefined;
}

export interface LogRow extends RecordPlace {
  type: 'log';
  name: string;
  updateIndex: number;
  entry?: LogEntry | undefined;
  /** The record says that the entry is deleted. */
  deleted?: true | undefined;
}

export interface ObjectRow extends RecordPlace {
  type: 'object';
  /** The first digits of object ids, hex. */
  oidPrefix: string;
  /** Where the ref blocks start that hold them; `null` where there were too many to list. */
  refBlocks: number[] | null;
}

export interface IndexRow extends RecordPlace {
  type: 'index';
  /** The last key in the block. */
  lastKey: string;
  /** Where the block starts. */
  block: number;
}

export type RecordRow = RefRow | LogRow | ObjectRow | IndexRow;

/**
 * Decodes the records of a block. `indexed` is the type of the blocks that an index leads to.
 * Throws `ReftableFormatError`.
 */
export function* readRecords(
  table: Table,
  block: Block,
  indexed: BlockType,
): IterableIterator<RecordRow> {
  const restarts = new Set(restartOffsets(block));
  const batch = new RecordBatch(table.oidLength);
  batch.open(block);
  let position = block.recordsStart;
  while (batch.count > 0) {
    for (let i = 0; i < batch.count; i++) {
      const place = { position, isRestart: restarts.has(position) };
      yield readRow(table, block.type, indexed, batch, i, place);
      position = batch.valueEnds[i]!;
    }
    batch.fill();
  }
}

/** Where the restart points of a block stand in its bytes. */
export function restartOffsets(block: Block): number[] {
  return Array.from({ length: block.restartCount }, (_, index) => restartOffset(block, index));
}

/** The length of a block, inflated, with its restart points; the first one's counts from the file's start. */
export function blockLength({ recordsEnd, restartCount }: Block): number {
  return recordsEnd + 3 * restartCount + 2;
}

function readRow(
  table: Table,
  type: BlockType,
  indexed: BlockType,
  batch: RecordBatch,
  i: number,
  place: RecordPlace,
): RecordRow {
  const { reader } = batch;
  reader.at = batch.valueStarts[i]!;
  const valueType = batch.valueTypes[i]!;
  const key = batch.keys.subarray(batch.keyStarts[i]!, batch.keyStarts[i + 1]!);
  switch (type) {
    case REF_BLOCK: {
      const ref = readRef(
        reader,
        batch.keyText(i),
        valueType,
        table.oidLength,
        table.minUpdateIndex,
      );
      const deleted = valueType === 0 || undefined;
      return { ...place, type: 'ref', ...ref, deleted };
    }
    case LOG_BLOCK: {
      const { name, updateIndex } = splitLogKey(key);
      const entry = readLogEntry(reader, valueType, table.oidLength);
      return { ...place, type: 'log', name, updateIndex, entry, deleted: !entry || undefined };
    }
    case OBJECT_BLOCK: {
      const refBlocks = readBlockOffsets(reader, valueType) ?? null;
      return { ...place, type: 'object', oidPrefix: hex(key), refBlocks };
    }
    case INDEX_BLOCK: {
      const block = reader.varint('an offset');
      return { ...place, type: 'index', lastKey: indexKeyText(key, indexed), block };
    }
  }
}

function indexKeyText(key: Uint8Array, indexed: BlockType): string {
  if (indexed === OBJECT_BLOCK) return hex(key);
  if (indexed === REF_BLOCK) return decodeText(key);
  const { name, updateIndex } = splitLogKey(key);
  return `${name} ${updateIndex}`;
}

function hex(bytes: Uint8Array): string {
  return readHex(bytes, 0, bytes.length);
}

/** A log key's parts; what is no log key, in a damaged table, is shown as it is. */
function splitLogKey(key: Uint8Array): { name: string; updateIndex: number } {
  const nul = key.length - LOG_KEY_SUFFIX;
  const updateIndex = nul > 0 ? readReversedUint64(key, nul + 1) : undefined;
  if (updateIndex === undefined) return { name: decodeText(key), updateIndex: Number.NaN };
  return { name: decodeText(key, 0, nul), updateIndex };
}
