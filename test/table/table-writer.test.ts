import { describe, expect, it } from 'vitest';
import { MergedTable, type RefRecord } from '../../src/table/index.ts';
import {
  blockTypes,
  logEntry,
  manyLogs,
  manyRefs,
  type Options,
  oidOf,
  openTable,
  recordsOf,
  tableWriter,
  writeTable,
} from './tables.ts';

const ref = (name: string, updateIndex = 1): RefRecord => ({ name, updateIndex, oid: oidOf(1) });
const log = (name: string, updateIndex = 1) => ({ name, updateIndex, entry: logEntry() });

describe('a table without records', () => {
  it.each([
    ['version 1', {}, 24 + 68],
    ['version 2', { version: 2 }, 28 + 72],
    ['version 2', { objectFormat: 'sha256' }, 28 + 72],
  ] as [string, Options, number][])('is a header and a footer: %s', (_, options, size) => {
    const bytes = writeTable({}, options);
    expect(bytes.length).toBe(size);
    const table = openTable(bytes);
    expect(recordsOf(table)).toEqual({ refs: [], logs: [] });
    expect(blockTypes(table)).toBe('');
    const merged = new MergedTable([table]);
    expect(merged.readRef('HEAD')).toBeUndefined();
    expect([
      ...merged.refsPointingAt(oidOf(1, options.objectFormat === 'sha256' ? 64 : 40)),
    ]).toEqual([]);
  });
});

describe('a table with one section', () => {
  it('has refs and no logs', () => {
    const table = openTable(writeTable({ refs: manyRefs(500) }));
    expect(blockTypes(table)).toMatch(/^r+io+i?$/);
    expect(recordsOf(table)).toEqual({ refs: manyRefs(500), logs: [] });
  });

  it('has logs and no refs', () => {
    for (const count of [1, 5, 500]) {
      const table = openTable(writeTable({ logs: manyLogs(count) }));
      expect(blockTypes(table)).toMatch(/^g+i?$/);
      expect(table.footer.logOffset).toBe(0);
      expect(recordsOf(table)).toEqual({ refs: [], logs: manyLogs(count) });
    }
  });

  it('has no object section where no ref has an object id, but says how long its keys are, as Git', () => {
    const refs = manyRefs(500).map(({ name }) => ({
      name,
      updateIndex: 1,
      target: 'refs/heads/main',
    }));
    const table = openTable(writeTable({ refs }, { blockSize: 1024 }));
    expect(blockTypes(table)).toMatch(/^r+i$/);
    expect(table.footer).toMatchObject({
      objectOffset: 0,
      objectIdLength: 2,
      objectIndexOffset: 0,
    });
    expect(table.indexesObjects).toBe(false);
  });
});

describe('what is written', () => {
  it('comes in pieces of 64 KiB', () => {
    const writer = tableWriter();
    for (const record of manyRefs(10_000)) writer.addRef(record);
    const { chunks, size, refCount, logCount } = writer.finish();
    expect(chunks.slice(0, -1).every(({ length }) => length === 65_536)).toBe(true);
    expect(chunks.length).toBe(Math.ceil(size / 65_536));
    expect([refCount, logCount]).toEqual([10_000, 0]);
  });

  it('starts blocks at multiples of the block size, and log blocks right behind', () => {
    const table = openTable(
      writeTable({ refs: manyRefs(500), logs: manyLogs(500) }, { blockSize: 1024 }),
    );
    const blocks = [...table.blocks()];
    let end = 0;
    for (const { type, offset, storedLength } of blocks) {
      if (offset < table.footer.logOffset) expect(offset % 1024).toBe(0);
      else if (String.fromCharCode(type) === 'g') expect(offset).toBe(end);
      end = offset + storedLength;
    }
  });

  it('has an index over more than three blocks, over more than one where blocks are not aligned', () => {
    const types = (blocks: number, aligned: boolean) => {
      // A ref takes 46 bytes: 1 and 1 of lengths, 22 of name, 1 of update index, 20 of object id.
      const refs = Array.from({ length: blocks }, (_, i) => ref(`${i}`.padEnd(22, '-')));
      const options = { aligned, indexObjects: false, blockSize: 90 };
      return blockTypes(openTable(writeTable({ refs }, options)));
    };
    expect(types(3, true)).toBe('rrr');
    expect(types(4, true)).toMatch(/^rrrri+$/);
    expect(types(1, false)).toBe('r');
    expect(types(2, false)).toMatch(/^rri+$/);
  });

  it('has no object section for made-up ids that only their last byte tells apart', () => {
    const refs = manyRefs(500).map((record, i) => ({ ...record, oid: oidOf(i, 64) }));
    const options = { objectFormat: 'sha256' as const };
    expect(openTable(writeTable({ refs }, options)).indexesObjects).toBe(false);
    expect([
      ...new MergedTable([openTable(writeTable({ refs }, options))]).refsPointingAt(oidOf(9, 64)),
    ]).toEqual([refs[9]]);
  });

  it('keeps log entries and tombstones of update indexes below the smallest one', () => {
    const logs = [
      { name: 'HEAD', updateIndex: 9, entry: logEntry() },
      { name: 'HEAD', updateIndex: 2 },
    ];
    const options = { minUpdateIndex: 9, maxUpdateIndex: 9 };
    expect(recordsOf(openTable(writeTable({ logs }, options))).logs).toEqual(logs);
  });
});

describe('a writer refuses', () => {
  const invalid = (message: RegExp) =>
    expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringMatching(message) });

  it.each([
    ['a block size of 0', { blockSize: 0 }, /blockSize: expected 32 to 16777215, found 0/],
    ['a block size of 16 MiB', { blockSize: 2 ** 24 }, /blockSize/],
    ['half a block', { blockSize: 4096.5 }, /blockSize/],
    ['a restart interval of 0', { restartInterval: 0 }, /restartInterval: expected 1 to 65535/],
    ['a restart interval of 65536', { restartInterval: 65_536 }, /restartInterval/],
    ['a negative update index', { minUpdateIndex: -1 }, /minUpdateIndex/],
    ['an update index of 2^53', { maxUpdateIndex: 2 ** 53 }, /maxUpdateIndex/],
    ['limits upside down', { minUpdateIndex: 5, maxUpdateIndex: 4 }, /maxUpdateIndex: expected 5/],
    ['SHA-256 in version 1', { version: 1, objectFormat: 'sha256' }, /version 1 holds sha1/],
  ] as [string, Options, RegExp][])('%s', (_, options, message) => {
    expect(() => tableWriter(options)).toThrow(invalid(message));
  });

  it.each([
    ['refs out of order', [ref('b'), ref('a')]],
    ['a ref twice', [ref('a'), ref('a', 2)]],
    ['refs in UTF-16 order', [ref('\u{1f600}'), ref('\u{ff5e}')]],
    ['a ref without a name', [ref('')]],
    ['an update index below the smallest', [ref('a', 0)]],
    ['an update index above the largest', [ref('a', 21)]],
    ['an update index that is no number', [ref('a', Number.NaN)]],
    ['an object id of the wrong length', [{ ...ref('a'), oid: oidOf(1, 64) }]],
    ['a peeled object id of the wrong length', [{ ...ref('a'), peeled: 'abc' }]],
  ])('%s', (_, refs) => {
    const writer = tableWriter({ minUpdateIndex: 1, maxUpdateIndex: 20 });
    const add = () => {
      for (const record of refs) writer.addRef(record);
    };
    expect(add).toThrow(invalid(/expected/));
  });

  it.each([
    ['reflogs out of order', [log('b'), log('a')]],
    ['entries oldest first', [log('a', 1), log('a', 2)]],
    ['an entry twice', [log('a', 1), log('a', 1)]],
    ['an update index above the largest', [log('a', 21)]],
    ['a negative update index of a tombstone', [{ name: 'a', updateIndex: -1 }]],
    ['a time before the epoch', [{ ...log('a'), entry: logEntry('', { time: -1 }) }]],
    ['an object id of the wrong length', [{ ...log('a'), entry: logEntry('', { newOid: '12' }) }]],
  ])('%s', (_, logs) => {
    const writer = tableWriter({ minUpdateIndex: 1, maxUpdateIndex: 20 });
    expect(() => {
      for (const record of logs) writer.addLog(record);
    }).toThrow(invalid(/expected/));
  });

  it('a ref after a log entry', () => {
    const writer = tableWriter();
    writer.addLog(log('a'));
    expect(() => writer.addRef(ref('b'))).toThrow(invalid(/refs before log records/));
  });

  it('a record that is larger than a block', () => {
    const tooLarge = expect.objectContaining({ code: 'RECORD_TOO_LARGE' });
    const writer = tableWriter({ blockSize: 512 });
    writer.addRef(ref('a'));
    expect(() => writer.addRef(ref('b'.repeat(512)))).toThrow(tooLarge);
    const logs = tableWriter({ blockSize: 512 });
    expect(() => logs.addLog({ ...log('a'), entry: logEntry('m'.repeat(500)) })).toThrow(tooLarge);
    const indexless = tableWriter({ blockSize: 128 });
    const long = Array.from({ length: 8 }, (_, i) => ref(`${i}`.padEnd(60, '-')));
    expect(() => {
      for (const record of long) indexless.addRef(record);
      indexless.finish();
    }).toThrow(tooLarge);
  });

  it('nothing of a record that just fits', () => {
    // 24 of header, 4 of block header, 3 of lengths, 1 of update index, 20 of object id, 5 of restarts.
    const fitting = ref('x'.repeat(512 - 57));
    expect(recordsOf(openTable(writeTable({ refs: [fitting] }, { blockSize: 512 }))).refs).toEqual([
      fitting,
    ]);
    expect(() => writeTable({ refs: [ref(`${fitting.name}x`)] }, { blockSize: 512 })).toThrow(
      /fit/,
    );
  });
});
