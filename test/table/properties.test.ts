import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeText, zeroOid } from '../../src/format/index.ts';
import { MergedTable, type RefRecord, type Table } from '../../src/table/index.ts';
import { name as anyName, records as anyRecords, byBytes } from './arbitraries.ts';
import { blockTypes, openTable, recordsOf, writeTable } from './tables.ts';

describe('any records, in a table of any kind', () => {
  it('survive writing and reading', () => {
    fc.assert(
      fc.property(anyRecords, ({ refs, logs, options }) => {
        const table = openTable(writeTable({ refs, logs }, options));
        expect(recordsOf(table)).toEqual({ refs, logs });
        expect(table.header).toMatchObject({
          version: options.version,
          objectFormat: options.objectFormat,
          blockSize: options.aligned ? options.blockSize : 0,
        });
      }),
      { numRuns: 400 },
    );
  });

  it('are found by name, and nothing else is', () => {
    fc.assert(
      fc.property(
        anyRecords,
        fc.array(anyName, { maxLength: 20 }),
        ({ refs, logs, options }, more) => {
          const table = openTable(writeTable({ refs, logs }, options));
          const byName = new Map(refs.map((ref) => [ref.name, ref]));
          const near = refs.flatMap(({ name }) => [`${name}0`, name.slice(0, -1)]);
          for (const name of [...byName.keys(), ...more, ...near]) {
            if (name !== '') expect(find(table, name)).toEqual(byName.get(name));
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('are iterated from any name and by any prefix, in byte order', () => {
    fc.assert(
      fc.property(
        anyRecords,
        anyName,
        fc.nat(),
        fc.nat(8),
        ({ refs, options }, drawn, at, length) => {
          const merged = new MergedTable([openTable(writeTable({ refs }, options))]);
          const live = refs.filter(isLive).map(({ name }) => name);
          const present = live[at % Math.max(1, live.length)] ?? '';
          // A prefix that cuts a character in two is none; cut between characters.
          const prefix = Array.from(present).slice(0, length).join('');
          for (const from of ['', drawn, present, `${present}!`]) {
            for (const start of ['', prefix, drawn]) {
              const expected = live.filter(
                (name) => hasPrefix(name, start) && (from === '' || byBytes(name, from) >= 0),
              );
              expect(Array.from(merged.refs(start, from), ({ name }) => name)).toEqual(expected);
            }
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('tell the reflog of each ref, and which refs have one', () => {
    fc.assert(
      fc.property(anyRecords, ({ logs, options }) => {
        const merged = new MergedTable([openTable(writeTable({ logs }, options))]);
        const live = logs.filter(({ entry }) => entry !== undefined);
        expect([...merged.logNames()]).toEqual([...new Set(live.map(({ name }) => name))]);
        for (const { name } of logs) {
          expect([...merged.log(name)]).toEqual(live.filter((log) => log.name === name));
        }
      }),
      { numRuns: 150 },
    );
  });

  it('tell which refs point at an object, with and without an object section', () => {
    let indexed = 0;
    fc.assert(
      fc.property(anyRecords, ({ refs, options }) => {
        const table = openTable(writeTable({ refs }, options));
        if (table.indexesObjects) indexed++;
        const merged = new MergedTable([table]);
        const oids = refs.flatMap(({ oid, peeled }) => [oid ?? '', peeled ?? '']).filter(Boolean);
        for (const oid of new Set([...oids, zeroOid(options.objectFormat!)])) {
          expect([...merged.refsPointingAt(oid)]).toEqual(
            refs.filter((ref) => ref.oid === oid || ref.peeled === oid),
          );
        }
      }),
      { numRuns: 150 },
    );
    expect(indexed).toBeGreaterThan(0);
  });

  it('come in blocks of one section after the other', () => {
    fc.assert(
      fc.property(anyRecords, ({ refs, logs, options }) => {
        const table = openTable(writeTable({ refs, logs }, options));
        const indexed = `(r+i+(o+i*)?)`;
        expect(blockTypes(table)).toMatch(new RegExp(`^(r{0,3}|${indexed})(g{0,3}|g+i+)$`));
      }),
      { numRuns: 100 },
    );
  });
});

function find(table: Table, name: string): RefRecord | undefined {
  return table.readRef(encodeText(name), name);
}

function isLive(ref: RefRecord): boolean {
  return ref.oid !== undefined || ref.target !== undefined;
}

function hasPrefix(name: string, prefix: string): boolean {
  const bytes = encodeText(prefix);
  return Buffer.compare(encodeText(name).subarray(0, bytes.length), bytes) === 0;
}
