import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LogRecord, MergedTable, type RefRecord } from '../../src/table/index.ts';
import { byBytes, logRecord, refRecord, sortedRecords } from './arbitraries.ts';
import {
  logEntry,
  manyLogs,
  manyRefs,
  oidOf,
  openTable,
  type Records,
  writeTable,
} from './tables.ts';

/** Few names and update indexes, so that tables disagree. */
const name = fc.constantFrom(
  'HEAD',
  'refs/heads/a',
  'refs/heads/a/b',
  'refs/heads/é',
  'refs/t/\u{1f600}',
);
const ref = refRecord('sha1', name).map((record) => ({
  ...record,
  updateIndex: record.updateIndex % 9,
}));
const log = logRecord('sha1', name).map((record) => ({
  ...record,
  updateIndex: record.updateIndex % 3,
}));
const tables = fc.array(
  fc
    .record({ refs: fc.array(ref, { maxLength: 6 }), logs: fc.array(log, { maxLength: 8 }) })
    .map(sortedRecords),
  { maxLength: 9 },
);

describe('tables merged, whatever they hold', () => {
  it('answer like a Map into which they were replayed, oldest first', () => {
    fc.assert(
      fc.property(tables, (stack) => {
        const merged = mergedTable(stack);
        const refs = replayRefs(stack);
        expect([...merged.refs()]).toEqual(refs);
        for (const asked of ['HEAD', 'refs/heads/a', 'refs/heads/a/b', 'refs/heads/none']) {
          expect(merged.readRef(asked)).toEqual(refs.find((record) => record.name === asked));
        }
        expect([...merged.refs('refs/heads/')]).toEqual(
          refs.filter((record) => record.name.startsWith('refs/heads/')),
        );
        for (const oid of new Set(refs.flatMap((record) => [record.oid, record.peeled]))) {
          if (oid === undefined) continue;
          expect([...merged.refsPointingAt(oid)]).toEqual(
            refs.filter((record) => record.oid === oid || record.peeled === oid),
          );
        }
      }),
      { numRuns: 400 },
    );
  });

  it('are walked in runs of one table as they are one by one', () => {
    fc.assert(
      fc.property(tables, (stack) => {
        const iterator = mergedTable(stack).refs();
        const names: string[] = [];
        for (let at = iterator.nextRaw(); at !== undefined; at = iterator.nextRaw()) {
          const { runEnd } = iterator;
          for (; at.index < runEnd; at.index++) names.push(at.refName());
          at.index = runEnd - 1;
        }
        expect(names).toEqual(replayRefs(stack).map((record) => record.name));
      }),
      { numRuns: 400 },
    );
  });

  it('have long runs where a large table lies between small ones', () => {
    const refs = manyRefs(600);
    const few = refs.filter((_, i) => i % 100 === 7);
    const iterator = mergedTable([
      { refs, logs: [] },
      { refs: few, logs: [] },
    ]).refs();
    const names: string[] = [];
    let runs = 0;
    for (let at = iterator.nextRaw(); at !== undefined; at = iterator.nextRaw()) {
      const { runEnd } = iterator;
      for (; at.index < runEnd; at.index++) names.push(at.refName());
      at.index = runEnd - 1;
      runs++;
    }
    expect(names).toEqual(refs.map(({ name }) => name));
    expect(runs).toBeLessThan(refs.length / 4);
  });

  it('have the reflogs that a Map into which they were replayed has', () => {
    fc.assert(
      fc.property(tables, (stack) => {
        const merged = mergedTable(stack);
        const logs = replayLogs(stack);
        const names = [...new Set(logs.map((record) => record.name))];
        expect([...merged.logNames()]).toEqual(names);
        for (const asked of [...names, 'refs/heads/none']) {
          expect([...merged.log(asked)]).toEqual(logs.filter((record) => record.name === asked));
        }
      }),
      { numRuns: 400 },
    );
  });
});

describe('the merged table', () => {
  it('takes the newer table by its place, not by its update indexes', () => {
    const older = { refs: [{ name: 'HEAD', updateIndex: 9, oid: oidOf(1) }], logs: [] };
    const newer = { refs: [{ name: 'HEAD', updateIndex: 3, oid: oidOf(2) }], logs: [] };
    expect(mergedTable([older, newer]).readRef('HEAD')?.oid).toBe(oidOf(2));
  });

  it('is empty where there are no tables, and where all are', () => {
    for (const merged of [new MergedTable([]), mergedTable([none(), none()])]) {
      expect([...merged.refs()]).toEqual([]);
      expect([...merged.logNames()]).toEqual([]);
      expect([...merged.log('HEAD')]).toEqual([]);
      expect([...merged.refsPointingAt(oidOf(1))]).toEqual([]);
      expect(merged.readRef('HEAD')).toBeUndefined();
    }
  });

  it('does not give a ref by an object id that only an older table has', () => {
    const refs = manyRefs(2000);
    const moved = { ...refs[700]!, oid: oidOf(1) };
    const merged = mergedTable([
      { refs, logs: [] },
      { refs: [moved], logs: [] },
    ]);
    expect(merged.tables[0]?.indexesObjects).toBe(true);
    expect([...merged.refsPointingAt(refs[700]!.oid!)]).toEqual([]);
    expect([...merged.refsPointingAt(oidOf(1))]).toEqual([moved]);
  });

  it('keeps apart the reflogs of names that begin alike', () => {
    const logs = ['a', 'a!', 'a/b', 'aa'].map((ref) => ({
      name: ref,
      updateIndex: 1,
      entry: logEntry(ref),
    }));
    const merged = mergedTable([{ refs: [], logs }]);
    expect([...merged.log('a')]).toEqual([logs[0]]);
    expect([...merged.logNames()]).toEqual(['a', 'a!', 'a/b', 'aa']);
  });

  it('steps from one long reflog to the next', () => {
    const logs = manyLogs(5).flatMap((record) =>
      Array.from({ length: 400 }, (_, i) => ({ ...record, updateIndex: 500 - i })),
    );
    const merged = mergedTable([{ refs: [], logs }]);
    expect([...merged.logNames()]).toEqual(manyLogs(5).map((record) => record.name));
    expect([...merged.log(logs[800]!.name)]).toEqual(logs.slice(800, 1200));
  });
});

function none(): Records {
  return { refs: [], logs: [] };
}

/** Some with an object section, some without. */
function mergedTable(stack: Records[]): MergedTable {
  return new MergedTable(
    stack.map((records, i) =>
      openTable(
        writeTable(records, {
          blockSize: 2048,
          maxUpdateIndex: 2 ** 53 - 1,
          indexObjects: i % 2 === 0,
        }),
      ),
    ),
  );
}

function replayRefs(stack: Records[]): RefRecord[] {
  const map = new Map(stack.flatMap(({ refs }) => refs.map((record) => [record.name, record])));
  return [...map.values()]
    .filter((record) => record.oid !== undefined || record.target !== undefined)
    .sort((a, b) => byBytes(a.name, b.name));
}

function replayLogs(stack: Records[]): LogRecord[] {
  const map = new Map(
    stack.flatMap(({ logs }) =>
      logs.map((record) => [`${record.name}\0${record.updateIndex}`, record]),
    ),
  );
  return sortedRecords({ refs: [], logs: [...map.values()] }).logs.filter((record) => record.entry);
}
