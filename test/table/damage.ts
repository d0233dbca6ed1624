// Breaking tables on purpose, with a CRC that is right nevertheless, and reading all that is in one.

import { deflateSync } from 'node:zlib';
import { expect } from 'vitest';
import { crc32 } from '../../src/format/crc32.ts';
import { footerSize, headerSize, RefError, ReftableFormatError } from '../../src/format/index.ts';
import { RecordBatch } from '../../src/format/record-batch.ts';
import { readBlockOffsets } from '../../src/format/records.ts';
import { writeVarint } from '../../src/format/varint.ts';
import { nodeCompression } from '../../src/storage/node-compression.ts';
import { bufferSource, MergedTable, Table } from '../../src/table/index.ts';
import { logEntry, manyRefs, oidOf, openTable, writeTable } from './tables.ts';

/** One block: three refs whose first record starts at byte 28; the second at 57, the third at 81. */
export const small = writeTable({
  refs: ['a', 'ab', 'abc'].map((name) => ({ name: `refs/${name}`, updateIndex: 1, oid: oidOf(1) })),
});

/** Refs with two levels of index, an object section, and one log block. */
export const large = writeTable(
  {
    refs: manyRefs(900),
    logs: [
      { name: 'HEAD', updateIndex: 2, entry: logEntry('second\n') },
      { name: 'HEAD', updateIndex: 1, entry: logEntry('first\n') },
    ],
  },
  { blockSize: 256 },
);
export const { footer } = openTable(large);

/** Asked for in every damaged table: one that is nowhere, and the first in the object section of `large`. */
const OIDS = [
  oidOf(1),
  manyRefs(900)
    .map(({ oid }) => oid!)
    .sort()[0]!,
];

/** A copy with other bytes at `at`. */
export function patch(table: Buffer, at: number, bytes: Iterable<number>): Buffer {
  const patched = Buffer.from(table);
  patched.set([...bytes], at);
  return patched;
}

/** Patches the header in both places where it stands. */
export function patchHeader(table: Buffer, at: number, bytes: number[]): Buffer {
  const footer = footerStart(table);
  return fixCrc(patch(patch(table, at, bytes), footer + at, bytes));
}

const FOOTER_FIELDS = ['refIndex', 'objects', 'objectIndex', 'logs', 'logIndex'] as const;

/** Patches one of the five numbers of the footer. */
export function patchFooter(
  table: Buffer,
  field: (typeof FOOTER_FIELDS)[number],
  value: bigint | number,
): Buffer {
  const patched = Buffer.from(table);
  const at = footerStart(table) + headerSize(versionOf(table)) + 8 * FOOTER_FIELDS.indexOf(field);
  patched.writeBigUInt64BE(BigInt(value), at);
  return fixCrc(patched);
}

/** Makes the footer's CRC that of the footer, if the table is long enough to have one. */
export function fixCrc(table: Buffer): Buffer {
  const start = footerStart(table);
  if (start >= 0) table.writeUInt32BE(crc32(table, start, table.length - 4), table.length - 4);
  return table;
}

/** Replaces the bytes `[start, end)` by any number of others. Offsets in the footer stay. */
export function splice(table: Buffer, start: number, end: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([table.subarray(0, start), bytes, table.subarray(end)]);
}

/** Replaces what the log block that ends the blocks of `table` inflates to. */
export function editLogBlock(
  table: Buffer,
  offset: number,
  edit: (content: Buffer) => void,
): Buffer {
  const start = offset + 4 + (offset === 0 ? headerSize(versionOf(table)) : 0);
  const limit = table.readUIntBE(start - 3, 3);
  const content = Buffer.from(nodeCompression.inflate(table.subarray(start), limit).bytes);
  edit(content);
  return splice(table, start, footerStart(table), deflateSync(content));
}

export function footerStart(table: Buffer): number {
  return table.length - footerSize(versionOf(table));
}

export function varint(value: number): Buffer {
  const bytes = Buffer.alloc(16);
  return bytes.subarray(0, writeVarint(bytes, 0, value));
}

/**
 * Reads all that can be read of a table: refs, logs, blocks and the records in them, and asks for each
 * name and some object ids. Gives the errors that the table throws on purpose; throws any other, also
 * where the table asks its source for bytes that are not there.
 */
export function readEverything(bytes: Buffer, oids: readonly string[] = []): RefError[] {
  const memory = bufferSource('test.ref', bytes);
  const read = (offset: number, length: number) => {
    if (offset < 0 || length < 0 || offset + length > bytes.length) {
      throw new Error(`asked for ${length} bytes at ${offset} of ${bytes.length}`);
    }
    return memory.read(offset, length);
  };
  const errors: RefError[] = [];
  const attempt = (step: () => void) => {
    try {
      step();
    } catch (error) {
      if (!(error instanceof RefError)) throw error;
      errors.push(error);
    }
  };
  attempt(() => {
    const table = Table.open({ ...memory, read }, nodeCompression);
    const merged = new MergedTable([table]);
    const found = new Set(oids);
    attempt(() => {
      for (const { name, oid } of merged.refs()) {
        if (found.size < 8 && oid !== undefined) found.add(oid);
        attempt(() => merged.readRef(name));
      }
    });
    attempt(() => {
      for (const name of merged.logNames()) attempt(() => [...merged.log(name)]);
    });
    attempt(() => readLogs(merged));
    attempt(() => readBlocks(table));
    for (const name of ['!', 'HEAD', 'refs/heads/branch-000100', 'refs/m', '\u{ff5e}']) {
      attempt(() => merged.readRef(name));
      attempt(() => merged.refs('', name).next());
      attempt(() => merged.log(name).next());
    }
    for (const oid of found) attempt(() => [...merged.refsPointingAt(oid)]);
  });
  return errors;
}

/**
 * Asserts that a table is refused with a message like `expected`, for the byte at `offset` (-1 for any),
 * soon and without much memory.
 */
export function expectRefused(table: Buffer, offset: number, expected: RegExp): void {
  const before = process.memoryUsage().arrayBuffers;
  let errors: RefError[] = [];
  // The fastest of a few, for a busy machine is slow now and then.
  let fastest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5 && fastest >= 100; i++) {
    const start = performance.now();
    errors = readEverything(table, OIDS);
    fastest = Math.min(fastest, performance.now() - start);
  }
  expect(fastest).toBeLessThan(100);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5 * (table.length + 2 ** 21));
  for (const error of errors) expect(error).toBeInstanceOf(ReftableFormatError);
  const messages = [...new Set(errors.map(({ message }) => message))];
  const at = offset < 0 ? '\\d+' : offset;
  const message = new RegExp(`^test\\.ref: at byte ${at}: expected .*${expected.source}`);
  expect(messages).toContainEqual(expect.stringMatching(message));
}

function readLogs(merged: MergedTable): void {
  const cursor = merged.logCursor();
  for (let more = cursor.seekFirst(); more; more = cursor.next()) cursor.log(cursor.logName());
}

function readBlocks(table: Table): void {
  const batch = new RecordBatch(table.oidLength);
  for (const block of table.blocks()) {
    for (batch.open(block); batch.count > 0; batch.fill()) {
      if (String.fromCharCode(block.type) !== 'o') continue;
      for (let i = 0; i < batch.count; i++) {
        batch.reader.at = batch.valueStarts[i]!;
        readBlockOffsets(batch.reader, batch.valueTypes[i]!);
      }
    }
  }
}

function versionOf(table: Buffer): 1 | 2 {
  return table[4] === 2 ? 2 : 1;
}
