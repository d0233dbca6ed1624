import { describe, expect, it } from 'vitest';
import { encodeText } from '../../src/format/index.ts';
import { nodeCompression } from '../../src/storage/node-compression.ts';
import { bufferSource, MergedTable, Table } from '../../src/table/index.ts';
import {
  indexLevels,
  manyLogs,
  manyRefs,
  oidOf,
  openTable,
  recordsOf,
  writeTable,
} from './tables.ts';

const refs = manyRefs(5000);
const logs = manyLogs(2000);

describe.each([
  { aligned: true, restartInterval: 16, levels: 2 },
  { aligned: false, restartInterval: 1, levels: 3 },
  { aligned: true, restartInterval: 65_535, levels: 2 },
])(
  'a table of many levels of index (aligned: $aligned, restarts every $restartInterval)',
  ({ levels, ...options }) => {
    const table = openTable(writeTable({ refs, logs }, { blockSize: 256, ...options }));
    const merged = new MergedTable([table]);

    it('has them in every section', () => {
      const { refIndexOffset, objectIndexOffset, logIndexOffset } = table.footer;
      expect(indexLevels(table, refIndexOffset)).toBeGreaterThanOrEqual(levels);
      expect(indexLevels(table, objectIndexOffset)).toBeGreaterThanOrEqual(2);
      expect(indexLevels(table, logIndexOffset)).toBeGreaterThanOrEqual(levels);
    });

    it('finds each ref, and none between two', () => {
      for (const ref of refs) {
        expect(merged.readRef(ref.name)).toEqual(ref);
        expect(merged.readRef(`${ref.name}.`)).toBeUndefined();
      }
      expect(merged.readRef('refs/heads/')).toBeUndefined();
      expect(merged.readRef('refs/z')).toBeUndefined();
    });

    it('iterates from any ref on', () => {
      for (let i = 0; i < refs.length; i += 97) {
        const [first, second] = merged.refs('', refs[i]!.name);
        expect([first, second]).toEqual([refs[i], refs[i + 1]]);
        const [between] = merged.refs('', `${refs[i]!.name}.`);
        expect(between).toEqual(refs[i + 1]);
      }
      expect([...merged.refs('', 'refs/z')]).toEqual([]);
      expect([...merged.refs('refs/heads/branch-0012')]).toEqual(refs.slice(1200, 1300));
    });

    it('finds each reflog', () => {
      for (const log of logs) expect([...merged.log(log.name)]).toEqual([log]);
      expect([...merged.logNames()]).toEqual(logs.map(({ name }) => name));
    });

    it('finds refs by object id', () => {
      for (let i = 0; i < refs.length; i += 13) {
        expect([...merged.refsPointingAt(refs[i]!.oid!)]).toEqual([refs[i]]);
      }
      expect([...merged.refsPointingAt(oidOf(1))]).toEqual([]);
    });
  },
);

describe('reading a large table', () => {
  const bytes = writeTable({ refs: manyRefs(50_000) });

  it('takes the ends of the file and a block a level, not the file', () => {
    const { table, asked } = counting(bytes);
    const { name, oid } = manyRefs(50_000)[31_415]!;
    expect(table.readRef(encodeText(name), name)?.oid).toBe(oid);
    const levels = indexLevels(openTable(bytes), table.footer.refIndexOffset);
    expect(asked()).toBeLessThanOrEqual(29 + 68 + (levels + 1 + 3) * 4096);
    const before = asked();
    expect(table.readRef(encodeText(name), name)?.oid).toBe(oid);
    expect(asked()).toBe(before);
  });

  it('jumps over long reflogs to tell which there are', () => {
    const [first, second] = manyLogs(2);
    const logs = [first!, second!].flatMap((log) =>
      Array.from({ length: 4000 }, (_, i) => ({ ...log, updateIndex: 5000 - i })),
    );
    const file = writeTable({ logs }, { blockSize: 1024, maxUpdateIndex: 5000 });
    const { table, asked } = counting(file);
    expect([...new MergedTable([table]).logNames()]).toEqual([first!.name, second!.name]);
    expect(asked()).toBeLessThan(file.length / 4);
  });

  it('reads an object section of many offsets for one object id', () => {
    const same = manyRefs(30_000).map((ref) => ({ ...ref, oid: oidOf(5) }));
    same[7]!.oid = oidOf(6);
    const table = openTable(writeTable({ refs: same }));
    expect(table.indexesObjects).toBe(true);
    const merged = new MergedTable([table]);
    expect([...merged.refsPointingAt(oidOf(5))].length).toBe(29_999);
    expect([...merged.refsPointingAt(oidOf(6))]).toEqual([same[7]]);
  });

  it('lists no offsets where they do not fit a block, and scans then', () => {
    const same = manyRefs(30_000).map((ref) => ({ ...ref, oid: oidOf(5) }));
    const table = openTable(writeTable({ refs: same }, { blockSize: 512 }));
    expect(table.blocksWithObject(Buffer.from(oidOf(5), 'hex'))).toBeUndefined();
    expect([...new MergedTable([table]).refsPointingAt(oidOf(5))]).toEqual(recordsOf(table).refs);
  });
});

/** A table, and how many bytes it has asked its source for. */
function counting(bytes: Buffer): { table: Table; asked: () => number } {
  const source = bufferSource('test.ref', bytes);
  let asked = 0;
  const read = (offset: number, length: number) => {
    asked += length;
    return source.read(offset, length);
  };
  return { table: Table.open({ ...source, read }, nodeCompression), asked: () => asked };
}
