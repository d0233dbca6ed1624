// The blocks of a section, as its index tells them: where they are and which key is the last in each,
// without reading any of them.

import { type Block, INDEX_BLOCK } from '../../format/block.ts';
import { compareBytes } from '../../format/bytes.ts';
import { RecordBatch } from '../../format/record-batch.ts';
import type { Table } from '../table.ts';

/** So many index blocks are read in a step. */
const STEP = 4;

export interface BlockList {
  /** Where the blocks start in the file, ascending. */
  offsets: number[];
  /** The key of the last record in each. */
  lastKeys: Uint8Array[];
  /** Where the last block ends, and its padding. */
  end: number;
}

/**
 * Reads the index of a section, in short steps; `undefined` where there is none, or where it is not of the
 * kind that Git writes: levels one after the other behind the blocks. Throws `ReftableFormatError`.
 */
export function* readBlockList(
  table: Table,
  kind: 'refs' | 'objects' | 'logs',
): Generator<void, BlockList | undefined> {
  let level = topLevel(table, kind);
  let end = level[0]?.offset ?? 0;
  // Keys that share long prefixes take little room in an index, and much here.
  let bytesLeft = table.size;
  while (level.length > 0) {
    const offsets: number[] = [];
    const lastKeys: Uint8Array[] = [];
    for (const [i, block] of level.entries()) {
      bytesLeft -= readIndexBlock(table, block, offsets, lastKeys, bytesLeft);
      if (bytesLeft <= 0) return undefined;
      if (i % STEP === STEP - 1) yield;
    }
    const ascends = offsets.every((offset, i) => offset < (offsets[i + 1] ?? end));
    if (!ascends || !keysAscend(lastKeys)) return undefined;
    const first = table.readBlock(offsets[0]!);
    if (first.type !== INDEX_BLOCK) return { offsets, lastKeys, end };
    end = first.offset;
    level = [];
    for (const [i, offset] of offsets.entries()) {
      const block = table.readBlock(offset);
      if (block.type !== INDEX_BLOCK) return undefined;
      level.push(block);
      if (i % STEP === STEP - 1) yield;
    }
  }
  return undefined;
}

/**
 * The same for a section of up to `limit` blocks without an index, which have to be decoded for it.
 * Throws `ReftableFormatError`.
 */
export function scanBlockList(
  table: Table,
  kind: 'refs' | 'objects' | 'logs',
  limit: number,
): BlockList | undefined {
  const batch = new RecordBatch(table.oidLength);
  const offsets: number[] = [];
  const lastKeys: Uint8Array[] = [];
  let end = 0;
  let block = table.firstBlock(kind);
  for (; block !== undefined; block = table.nextBlock(block)) {
    if (offsets.length === limit) return undefined;
    let lastKey: Uint8Array | undefined;
    for (batch.open(block); batch.count > 0; batch.fill()) {
      lastKey = batch.keys.slice(batch.keyStarts[batch.count - 1]!, batch.keyStarts[batch.count]!);
    }
    if (lastKey === undefined) return undefined;
    offsets.push(block.offset);
    lastKeys.push(lastKey);
    end = block.offset + block.storedLength;
  }
  return keysAscend(lastKeys) ? { offsets, lastKeys, end } : undefined;
}

function keysAscend(keys: readonly Uint8Array[]): boolean {
  return keys.every((key, i) => i === 0 || compareBytes(keys[i - 1]!, key) < 0);
}

/** Whether each block starts so many bytes behind the one before it, and the last one is no longer. */
export function isAligned({ offsets, end }: BlockList, blockSize: number): boolean {
  const first = offsets[0] ?? 0;
  return (
    first % blockSize === 0 &&
    offsets.every((offset, i) => offset === first + i * blockSize) &&
    end <= first + offsets.length * blockSize
  );
}

/** The blocks of the index's last level, which has no level above it. */
function topLevel(table: Table, kind: 'refs' | 'objects' | 'logs'): Block[] {
  const level: Block[] = [];
  let block = table.indexBlock(kind);
  for (; block !== undefined; block = table.nextBlock(block)) level.push(block);
  return level;
}

/** Appends what an index block says; returns the bytes that its keys took, or stops when there are `limit`. */
function readIndexBlock(
  table: Table,
  block: Block,
  offsets: number[],
  lastKeys: Uint8Array[],
  limit: number,
): number {
  const batch = new RecordBatch(table.oidLength);
  let length = 0;
  for (batch.open(block); batch.count > 0 && length < limit; batch.fill()) {
    for (let i = 0; i < batch.count; i++) {
      batch.reader.at = batch.valueStarts[i]!;
      offsets.push(batch.reader.varint('an offset'));
      lastKeys.push(batch.keys.slice(batch.keyStarts[i]!, batch.keyStarts[i + 1]!));
    }
    length += batch.keyStarts[batch.count]! - batch.keyStarts[0]!;
  }
  return length;
}
