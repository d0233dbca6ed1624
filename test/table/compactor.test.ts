// Compaction: what readers see stays the same, whatever the tables, whichever of them are merged.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeCompression } from '../../src/storage/node-compression.ts';
import { compactTables } from '../../src/table/compaction/compactor.ts';
import { type LogRecord, RefError, type RefRecord, type Table } from '../../src/table/index.ts';
import { byBytes, records, sortedRecords } from './arbitraries.ts';
import { answers, compact, newestRecords, oidsOf, withoutTombstones } from './compaction.ts';
import {
  blockTypes,
  logEntry,
  manyLogs,
  manyRefs,
  oidOf,
  openTable,
  type Records,
  recordsOf,
  writeTable,
} from './tables.ts';

/** The layout of the tables that are drawn here, and of what they are compacted into. */
const layout = fc.record({
  blockSize: fc.constantFrom(256, 300, 512, 4096),
  restartInterval: fc.constantFrom(1, 3, 16),
  indexObjects: fc.boolean(),
});

/** Object ids that short prefixes tell apart. */
function spread(i: number): string {
  return oidOf((i * 2654435761) % 2 ** 32, 8).padEnd(40, '6');
}

/** Few names and object ids, so that tables have them in common. */
const name = fc.integer({ min: 0, max: 400 }).map((i) => `refs/heads/${i % 3}/branch-${i}`);
const oid = fc.integer({ min: 0, max: 60 }).map(spread);

function refsAt(updateIndex: number, count: number): fc.Arbitrary<RefRecord[]> {
  const value = fc.oneof(
    { weight: 5, arbitrary: fc.record({ oid }) },
    { weight: 1, arbitrary: fc.record({ oid, peeled: oid }) },
    { weight: 1, arbitrary: fc.record({ target: name }) },
    { weight: 2, arbitrary: fc.constant({}) },
  );
  return fc.uniqueArray(
    fc.tuple(name, value).map(([name, rest]) => ({ name, updateIndex, ...rest })),
    { maxLength: count, selector: (ref) => ref.name, size: 'max' },
  );
}

function logsAt(updateIndex: number, count: number): fc.Arbitrary<LogRecord[]> {
  const entry = fc.record({ message: fc.string({ maxLength: 30 }), time: fc.nat(1000) });
  return fc.uniqueArray(
    fc
      .tuple(name, fc.nat(updateIndex), fc.option(entry, { nil: undefined }))
      .map(([name, index, values]) =>
        values === undefined
          ? { name, updateIndex: index }
          : { name, updateIndex: index, entry: logEntry(values.message, values) },
      ),
    { maxLength: count, selector: (log) => `${log.name}\0${log.updateIndex}`, size: 'max' },
  );
}

/** Tables, oldest first, the first one larger than the others as a rule. */
const stack: fc.Arbitrary<Records[]> = fc
  .array(fc.constantFrom(0, 1, 3, 30), { maxLength: 5 })
  .chain((counts) =>
    fc.tuple(
      ...[220, ...counts].map((count, i) =>
        fc.record({ refs: refsAt(10 + i, count), logs: logsAt(10 + i, count) }),
      ),
    ),
  )
  .map((tables) => tables.map(sortedRecords));

function write(table: Records, index: number, options: object): Table {
  return openTable(
    writeTable(table, { minUpdateIndex: 10 + index, maxUpdateIndex: 10 + index, ...options }),
  );
}

describe('compaction', () => {
  it('leaves every answer as it was, for any range of any stack, copying blocks or not', () => {
    let copied = 0;
    fc.assert(
      fc.property(
        stack,
        layout,
        layout,
        fc.boolean(),
        fc.nat(5),
        fc.constantFrom(1, 5, Number.POSITIVE_INFINITY),
        (drawn, oldLayout, otherLayout, sameLayout, from, minCopiedBlocks) => {
          const newLayout = sameLayout ? oldLayout : otherLayout;
          const tables = drawn.map((table, i) => write(table, i, oldLayout));
          const first = from % tables.length;
          const range = tables.slice(first);
          const compacted = compact(range, {
            ...newLayout,
            minCopiedBlocks,
            dropTombstones: first === 0,
          });
          const oids = oidsOf(tables);
          const after = [...tables.slice(0, first), compacted.table];
          expect(answers(after, oids)).toEqual(answers(tables, oids));
          // A tombstone may stay in a block that was copied.
          const expected = newestRecords(drawn.slice(first));
          const found = recordsOf(compacted.table);
          expect(withoutTombstones(found)).toEqual(
            withoutTombstones(newestRecords([recordsOf(compacted.table)])),
          );
          if (first > 0) expect(found).toEqual(newestRecords(range.map(recordsOf)));
          else if (minCopiedBlocks === Number.POSITIVE_INFINITY) {
            expect(found).toEqual(withoutTombstones(newestRecords(range.map(recordsOf))));
          }
          expect(compacted.isEmpty).toBe(found.refs.length + found.logs.length === 0);
          expect(compacted.size).toBe(compacted.bytes.length);
          expect(compacted.minUpdateIndex).toBe(range[0]!.minUpdateIndex);
          expect(compacted.maxUpdateIndex).toBe(range.at(-1)!.maxUpdateIndex);
          if (expected.refs.length > 0 && sameLayout && minCopiedBlocks === 1) copied++;
        },
      ),
      { numRuns: 150, endOnFailure: true },
    );
    expect(copied).toBeGreaterThan(5);
  });

  it('passes records of any bytes unchanged', () => {
    fc.assert(
      fc.property(records, ({ options, ...drawn }) => {
        const table = openTable(writeTable(drawn, options));
        const { objectFormat, blockSize, restartInterval, indexObjects } = options;
        const { table: compacted } = compact([table], {
          objectFormat,
          blockSize: blockSize! + 28,
          restartInterval,
          indexObjects,
          dropTombstones: false,
          minCopiedBlocks: 1,
        });
        expect(recordsOf(compacted)).toEqual(recordsOf(table));
      }),
      { numRuns: 100, endOnFailure: true },
    );
  });

  it('leaves out log entries by their update index and by their time', () => {
    fc.assert(
      fc.property(
        stack,
        fc.option(fc.nat(16)),
        fc.option(fc.nat(1000)),
        fc.boolean(),
        (drawn, minUpdateIndex, minTime, dropTombstones) => {
          const tables = drawn.map((table, i) => write(table, i, { blockSize: 300 }));
          const { table } = compact(tables, {
            blockSize: 300,
            minCopiedBlocks: 1,
            dropTombstones,
            expiry: { minUpdateIndex: minUpdateIndex ?? 0, minTime: minTime ?? 0 },
          });
          const stays = ({ updateIndex, entry }: LogRecord) =>
            entry === undefined ||
            (updateIndex >= (minUpdateIndex ?? 0) && entry.time >= (minTime ?? 0));
          const { logs } = newestRecords(tables.map(recordsOf));
          const expected = logs.filter(
            (log) => stays(log) && !(dropTombstones && log.entry === undefined),
          );
          const copies = !minUpdateIndex && !minTime;
          const found = recordsOf(table).logs;
          const isEntry = ({ entry }: LogRecord) => entry !== undefined;
          expect(copies ? found.filter(isEntry) : found).toEqual(
            copies ? expected.filter(isEntry) : expected,
          );
        },
      ),
      { numRuns: 100, endOnFailure: true },
    );
  });

  it('writes nothing but the frame where no record is left', () => {
    const older = writeTable({ refs: manyRefs(3), logs: manyLogs(3) });
    const newer = writeTable({
      refs: manyRefs(3).map(({ name, updateIndex }) => ({ name, updateIndex })),
      logs: manyLogs(3).map(({ name, updateIndex }) => ({ name, updateIndex })),
    });
    const compacted = compact([openTable(older), openTable(newer)]);
    expect(compacted).toMatchObject({ isEmpty: true, size: 24 + 68 });
    expect(compact([openTable(newer)], { dropTombstones: false }).isEmpty).toBe(false);
  });

  it('re-bases the update indexes of a range whose first table is not the one of the record', () => {
    const refs = (updateIndex: number, ...names: string[]) =>
      names.map((name) => ({ name, updateIndex, oid: oidOf(1) }));
    const tables = [
      writeTable({ refs: refs(100, 'a', 'c') }, { minUpdateIndex: 100, maxUpdateIndex: 100 }),
      writeTable({ refs: refs(900, 'b') }, { minUpdateIndex: 900, maxUpdateIndex: 900 }),
    ].map((bytes) => openTable(bytes));
    const { table } = compact(tables);
    expect(recordsOf(table).refs.map((ref) => ref.updateIndex)).toEqual([100, 900, 100]);
    expect(table.header).toMatchObject({ minUpdateIndex: 100, maxUpdateIndex: 900 });
  });

  it('refuses no tables, and tables of another hash function', () => {
    expect(() => compact([])).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    const table = openTable(writeTable({ refs: manyRefs(1) }));
    expect(() => compact([table], { objectFormat: 'sha256' })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    );
  });

  it('hands out what it has written as it goes', () => {
    const tables = [openTable(writeTable({ refs: manyRefs(40_000) }))];
    const steps = compactTables(tables, { compression: nodeCompression, dropTombstones: true });
    let largest = 0;
    for (let step = steps.next(); !step.done; step = steps.next()) {
      largest = Math.max(largest, step.value.length);
    }
    expect(largest).toBeLessThan(8);
  });
});

describe('copying blocks', () => {
  const refs = manyRefs(20_000);
  const base = openTable(
    writeTable({ refs, logs: manyLogs(20_000) }, { minUpdateIndex: 0, maxUpdateIndex: 9 }),
  );
  const newer = (table: Partial<Records>) =>
    openTable(writeTable(table, { minUpdateIndex: 10, maxUpdateIndex: 10 }));

  it('leaves the blocks of all but a few refs as they are', () => {
    const changed = { ...refs[10_000]!, updateIndex: 10, oid: oidOf(99) };
    const { table, bytes } = compact([base, newer({ refs: [changed] })]);
    expect(bytes.length).toBe(base.size);
    const blocks = (of: Table) => [...of.blocks()].map(({ bytes: block }) => Buffer.from(block));
    const [before, after] = [blocks(base), blocks(table)];
    const types = blockTypes(table);
    expect(types).toBe(blockTypes(base));
    const differ = (type: string) =>
      after.filter((block, i) => types[i] === type && !block.equals(before[i]!)).length;
    // The header stands in front of the first block, and is not compared here.
    expect(differ('r')).toBe(2);
    expect(differ('g')).toBe(0);
  });

  it('does not inflate the log blocks that it copies', () => {
    let inflated = 0;
    const counting = {
      ...nodeCompression,
      inflate: (bytes: Uint8Array, limit: number) => {
        inflated++;
        return nodeCompression.inflate(bytes, limit);
      },
    };
    const bytes = writeTable(
      { refs, logs: manyLogs(20_000) },
      { minUpdateIndex: 0, maxUpdateIndex: 9 },
    );
    const counted = openTable(bytes, counting);
    const logs = [{ name: refs[10_000]!.name, updateIndex: 10, entry: logEntry('new\n') }];
    const { table } = compact([counted, newer({ logs })]);
    expect(recordsOf(table).logs.length).toBe(20_001);
    expect(inflated).toBeLessThan(10);
  });

  it('keeps the waste bounded over a thousand compactions with records here and there', () => {
    let table = openTable(
      writeTable({ refs: manyRefs(3000) }, { maxUpdateIndex: 9, blockSize: 512 }),
    );
    const names = new Set(recordsOf(table).refs.map((ref) => ref.name));
    let seed = 1;
    const random = (below: number) => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      return Math.floor((seed / 2 ** 31) * below);
    };
    for (let round = 0; round < 1000; round++) {
      const name = `refs/heads/branch-${String(random(3000)).padStart(6, '0')}`;
      const ref: RefRecord = { name, updateIndex: 10 };
      const kind = random(3);
      if (kind === 0 && names.has(name)) {
        names.delete(name);
      } else {
        if (kind === 1) ref.name += `-${round}`;
        names.add(ref.name);
        ref.oid = spread(round);
      }
      table = compact([table, newer({ refs: [ref] })], { blockSize: 512 }).table;
    }
    expect(recordsOf(table).refs.map((ref) => ref.name)).toEqual([...names].sort(byBytes));
    const dense = compact([table], { blockSize: 512, minCopiedBlocks: Number.POSITIVE_INFINITY });
    expect(table.size / dense.size).toBeGreaterThan(1);
    expect(table.size / dense.size).toBeLessThan(1.25);
  });

  it('goes on behind the last block rather than to begin one each time', () => {
    let table = openTable(
      writeTable({ refs: manyRefs(1000) }, { maxUpdateIndex: 9, blockSize: 512 }),
    );
    const before = blockTypes(table).split('r').length - 1;
    for (let round = 0; round < 200; round++) {
      const ref = {
        name: `refs/tags/${String(round).padStart(6, '0')}`,
        updateIndex: 10,
        oid: oidOf(round),
      };
      table = compact([table, newer({ refs: [ref] })], { blockSize: 512 }).table;
    }
    expect(recordsOf(table).refs.length).toBe(1200);
    expect(blockTypes(table).split('r').length - 1).toBeLessThan(before * 1.25);
  });
});

describe('a damaged table', () => {
  const refs = manyRefs(400);
  const logs = manyLogs(400);
  const good = writeTable({ refs, logs }, { maxUpdateIndex: 9, blockSize: 256 });
  const newer = writeTable(
    { refs: [{ name: refs[200]!.name, updateIndex: 10, oid: oidOf(1) }] },
    { minUpdateIndex: 10, maxUpdateIndex: 10 },
  );

  it('is compacted, or refused with an error that says where it is damaged', () => {
    let refused = 0;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(good.length - 69), fc.nat(255)), { minLength: 1, maxLength: 3 }),
        fc.constantFrom(1, 64),
        (changes, minCopiedBlocks) => {
          const bytes = Buffer.from(good);
          for (const [at, byte] of changes) if (at >= 24) bytes[at] = byte;
          try {
            compact([openTable(bytes), openTable(newer)], { blockSize: 256, minCopiedBlocks });
          } catch (error) {
            expect(error).toBeInstanceOf(RefError);
            expect((error as RefError).code).toMatch(/^(CORRUPT_TABLE|RECORD_TOO_LARGE)$/);
            refused++;
          }
        },
      ),
      { numRuns: 400, endOnFailure: true },
    );
    expect(refused).toBeGreaterThan(20);
  });
});
