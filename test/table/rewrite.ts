// Writing a table anew from what was read of it, and comparing the two to the byte.

import { expect } from 'vitest';
import { INDEX_BLOCK, LOG_BLOCK } from '../../src/format/index.ts';
import type { Table } from '../../src/table/index.ts';
import { indexRecords, type Options, openTable, recordsOf, writeTable } from './tables.ts';

/** Writes a table of the records and the header of `table`; `options` are what it does not tell. */
export function rewrite(table: Table, options: Options): Buffer {
  const { version, objectFormat, blockSize, minUpdateIndex, maxUpdateIndex } = table.header;
  return writeTable(recordsOf(table), {
    version,
    objectFormat,
    blockSize,
    minUpdateIndex,
    maxUpdateIndex,
    ...options,
  });
}

/**
 * Asserts that two tables are the same, but for how well their log blocks are deflated: a zlib may
 * choose another encoding, after which everything stands elsewhere.
 */
export function expectSameTable(actual: Buffer, expected: Buffer): void {
  if (actual.equals(expected)) return;
  const [a, b] = [openTable(actual), openTable(expected)];
  const logs = a.footer.logOffset;
  expect(actual.subarray(0, logs).equals(expected.subarray(0, logs))).toBe(true);

  const blocks = (table: Table) => [...table.blocks()].filter(({ offset }) => offset >= logs);
  const [aBlocks, bBlocks] = [blocks(a), blocks(b)];
  expect(aBlocks.length).toBe(bBlocks.length);
  const moved = new Map([[0, 0]]);
  bBlocks.forEach((block, i) => {
    moved.set(block.offset, aBlocks[i]!.offset);
  });
  bBlocks.forEach((block, i) => {
    const counterpart = aBlocks[i]!;
    expect(counterpart.type).toBe(block.type);
    if (block.type === LOG_BLOCK) {
      expect(Buffer.compare(counterpart.bytes, block.bytes)).toBe(0);
    } else {
      expect(block.type).toBe(INDEX_BLOCK);
      const places = (table: Table, offset: number) =>
        indexRecords(table, offset).map((record) => [record.key, record.offset]);
      expect(places(a, counterpart.offset)).toEqual(
        places(b, block.offset).map(([key, offset]) => [key, moved.get(offset as number)]),
      );
    }
  });
  expect(a.header).toEqual(b.header);
  expect(a.footer).toEqual({
    ...b.footer,
    logIndexOffset: moved.get(b.footer.logIndexOffset),
  });
}
