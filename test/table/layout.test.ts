// Tables as others may write them, put together block by block.

import { describe, expect, it } from 'vitest';
import { BlockWriter } from '../../src/format/block-writer.ts';
import { encodeFooter, type TableHeader, writeHeader } from '../../src/format/header.ts';
import { encodeText, INDEX_BLOCK, REF_BLOCK } from '../../src/format/index.ts';
import { RecordEncoder } from '../../src/format/record-encoder.ts';
import { MAX_VARINT_LENGTH, writeVarint } from '../../src/format/varint.ts';
import { nodeCompression } from '../../src/storage/node-compression.ts';
import { MergedTable, type RefRecord, Table } from '../../src/table/index.ts';
import { blockTypes, manyLogs, manyRefs, openTable, recordsOf, writeTable } from './tables.ts';

const refs = manyRefs(90);
const HEADER: TableHeader = {
  version: 1,
  objectFormat: 'sha1',
  blockSize: 1024,
  minUpdateIndex: 0,
  maxUpdateIndex: 1000,
};

describe('a table whose index block is larger than the block size, as those of JGit may be', () => {
  const pieces: [number, Uint8Array][] = [];
  for (let i = 0; i < 90; i += 10)
    pieces.push([(i / 10) * 1024, refBlock(refs.slice(i, i + 10), i === 0)]);
  const index = indexBlock(
    refs.filter((_, i) => i % 10 === 9).map(({ name }, i) => [name, i * 1024]),
    1,
  );
  // Long enough to end in the second kilobyte, and in the fourth; a ref block stands behind.
  const padded = (block: Uint8Array, size: number) => {
    const long = Buffer.alloc(size);
    long.set(block);
    return long;
  };
  const indexAt = 9 * 1024;

  it('is read across it', () => {
    const many = Array.from({ length: 120 }, (_, i) => [
      `refs/heads/${'z'.repeat(9)}${1000 + i}`,
      0,
    ]);
    const large = indexBlock(many as [string, number][], 1);
    expect(large.length).toBeGreaterThan(2048);
    const end = Math.ceil(large.length / 1024) * 1024;
    const bytes = assemble(
      [
        ...pieces,
        [indexAt, index],
        [indexAt + 1024, padded(large, end)],
        [indexAt + 1024 + end, index],
      ],
      { refIndexOffset: indexAt },
    );
    const table = Table.open(bytes, nodeCompression);
    expect(blockTypes(table)).toBe('rrrrrrrrriii');
    expect(recordsOf(table).refs).toEqual(refs);
    for (const ref of refs) expect(new MergedTable([table]).readRef(ref.name)).toEqual(ref);
  });
});

describe('a table beyond 4 GiB', () => {
  it('is read at all its ends', () => {
    const far = [0, 2 ** 31 + 1024, 2 ** 32 + 2048, 5 * 2 ** 32];
    const parts = far.map((_, i) => refs.slice(i * 10, i * 10 + 10));
    const index = indexBlock(
      parts.map((part, i) => [part.at(-1)!.name, far[i]!]),
      16,
    );
    const bytes = assemble(
      [
        ...parts.map((part, i): [number, Uint8Array] => [far[i]!, refBlock(part, i === 0)]),
        [5 * 2 ** 32 + 1024, index],
      ],
      { refIndexOffset: 5 * 2 ** 32 + 1024 },
    );
    const table = Table.open(bytes, nodeCompression);
    for (const ref of parts.flat()) {
      expect(table.readRef(encodeText(ref.name), ref.name)).toEqual(ref);
    }
    expect([...new MergedTable([table]).refs('', parts[3]![4]!.name)]).toEqual(parts[3]!.slice(4));
  });
});

describe('blocks of 16 MiB', () => {
  const options = { blockSize: 0xffffff };

  it('hold many refs and logs', () => {
    const records = { refs: manyRefs(70_000), logs: manyLogs(20_000) };
    const table = openTable(writeTable(records, options));
    expect(blockTypes(table)).toBe('rg');
    expect(recordsOf(table)).toEqual(records);
  });

  it('hold more records than there can be restart points', () => {
    const many = manyRefs(70_000);
    const table = openTable(writeTable({ refs: many }, { ...options, restartInterval: 1 }));
    expect(table.readBlock(0).restartCount).toBe(0xffff);
    for (const i of [0, 65_534, 65_535, 69_999]) {
      expect(table.readRef(encodeText(many[i]!.name), many[i]!.name)).toEqual(many[i]);
    }
  });

  it('hold names and targets of megabytes', () => {
    const long = 'x'.repeat(3_000_000);
    const records = [
      { name: `${long}1`, updateIndex: 1, target: long },
      { name: `${long}2`, updateIndex: 1, target: long },
    ];
    expect(recordsOf(openTable(writeTable({ refs: records }, options))).refs).toEqual(records);
  });
});

describe('a table that says a block size but does not align its blocks, as Git can be told to write', () => {
  it('is read', () => {
    const bytes = writeTable(
      { refs: manyRefs(300), logs: manyLogs(300) },
      { blockSize: 600, aligned: false },
    );
    const header = { ...openTable(bytes).header, blockSize: 600 };
    writeHeader(bytes, header);
    bytes.set(encodeFooter(header, openTableUnchecked(bytes)), bytes.length - 68);
    expect(recordsOf(openTable(bytes))).toEqual({ refs: manyRefs(300), logs: manyLogs(300) });
  });
});

function openTableUnchecked(bytes: Buffer) {
  const copy = Buffer.from(bytes);
  writeHeader(copy, { ...HEADER, blockSize: 0 });
  return openTable(copy).footer;
}

function refBlock(records: RefRecord[], first: boolean): Uint8Array {
  const encoder = new RecordEncoder();
  const writer = new BlockWriter(4096, 16, REF_BLOCK, first ? 24 : 0);
  for (const record of records) {
    encoder.ref(record, 0);
    const { key, value, valueType } = encoder;
    writer.add(0, key.bytes, key.length, valueType, value.bytes, value.length);
  }
  const bytes = writer.finish(nodeCompression).slice();
  if (first) writeHeader(bytes, HEADER);
  return bytes;
}

function indexBlock(entries: [lastKey: string, offset: number][], interval: number): Uint8Array {
  const writer = new BlockWriter(65_536, interval, INDEX_BLOCK, 0);
  const value = new Uint8Array(MAX_VARINT_LENGTH);
  for (const [lastKey, offset] of entries) {
    const key = encodeText(lastKey);
    writer.add(0, key, key.length, 0, value, writeVarint(value, 0, offset));
  }
  return writer.finish(nodeCompression).slice();
}

/** A table of blocks at their offsets, zeros between them, and a footer right behind the last one. */
function assemble(blocks: [number, Uint8Array][], footer: { refIndexOffset: number }) {
  const [lastAt, last] = blocks.at(-1)!;
  const tail = encodeFooter(HEADER, {
    objectOffset: 0,
    objectIdLength: 0,
    objectIndexOffset: 0,
    logOffset: 0,
    logIndexOffset: 0,
    ...footer,
  });
  const all: [number, Uint8Array][] = [...blocks, [lastAt + last.length, tail]];
  return {
    name: 'assembled.ref',
    size: lastAt + last.length + tail.length,
    read: (offset: number, length: number) => {
      const bytes = new Uint8Array(length);
      for (const [at, piece] of all) {
        const from = Math.max(at, offset);
        const to = Math.min(at + piece.length, offset + length);
        if (from < to) bytes.set(piece.subarray(from - at, to - at), from - offset);
      }
      return bytes;
    },
    close: () => {},
  };
}
