// What the inspector page asks of a stack's tables, against what the tables say.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Inspection } from '../../src/inspector/inspection.ts';
import { pakoCompression } from '../../src/inspector/page/pako-compression.ts';
import { nodeCompression } from '../../src/storage/node-compression.ts';
import { fixture, fixtures } from '../support/fixtures.ts';

function inspect(tables: readonly string[], compression = pakoCompression): Inspection {
  const files = tables.map((path) => ({ name: basename(path), bytes: readFileSync(path) }));
  return new Inspection(files, compression, 2);
}

describe.each(fixtures())('the stack $name', ({ tables, refs, reflog }) => {
  it('has the refs and reflogs that Git reads', () => {
    const inspection = inspect(tables);
    const { outline } = inspection;
    const all = inspection.refs(0, outline.refs);
    expect(all).toHaveLength(outline.refs);
    const direct = new Map(all.map((ref) => [ref.name, ref]));
    for (const { name, oid, target, peeled } of refs) {
      expect(direct.get(name)).toMatchObject(target === undefined ? { oid, peeled } : { target });
    }
    const [last] = reflog;
    if (last !== undefined) {
      const entries = inspection.history(last.ref).flatMap(({ log }) => log);
      expect(entries[0]?.entry).toMatchObject({ newOid: last.newOid });
    }
    for (const table of outline.tables) {
      const covered = table.blocks.reduce((sum, { length }) => sum + length, 0);
      expect(covered).toBeLessThan(table.size);
    }
  });
});

describe('records by number', () => {
  const { tables } = fixture('many-refs');
  const inspection = inspect(tables);
  const { outline } = inspection;
  const [table] = outline.tables;
  const refBlocks = table!.blocks.flatMap(({ kind }, i) => (kind === 'ref' ? [i] : []));

  it('are the same, however many are asked for at once', () => {
    const total = refBlocks.reduce((sum, block) => sum + table!.blocks[block]!.records, 0);
    const whole = inspection.records(0, refBlocks, 0, total);
    expect(whole).toHaveLength(total);
    const pieces = [];
    for (let start = 0; start < total; start += 37) {
      pieces.push(...inspection.records(0, refBlocks, start, 37));
    }
    expect(pieces).toEqual(whole);
    const refs = [];
    for (let start = 0; start < outline.refs; start += 101)
      refs.push(...inspection.refs(start, 101));
    expect(refs).toEqual(inspection.refs(0, outline.refs));
  });

  it('are found by name and by object id', () => {
    const [first, second] = inspection.refs(outline.refs - 2, 2);
    const byName = inspection.find(second!.name.slice(-9));
    expect(byName.rows).toContainEqual(second);
    expect(byName.total).toBe(byName.rows.length);
    const byOid = inspection.find(first!.oid!.slice(0, 12).toUpperCase());
    expect(byOid.total).toBeGreaterThan(0);
    expect(byOid.rows.filter(({ oid }) => oid !== first!.oid)).toEqual([]);
    expect(inspection.find('no-such-ref')).toEqual({ rows: [], total: 0 });
  });
});

it('inflates as zlib does', () => {
  const bytes = new TextEncoder().encode('some text, some text '.repeat(300));
  const deflated = nodeCompression.deflate(bytes);
  const stream = new Uint8Array([...deflated, 0x78, 0x9c, 1, 2, 3]);
  const inflated = pakoCompression.inflate(stream, bytes.length);
  expect(inflated.consumed).toBe(deflated.length);
  expect(new Uint8Array(inflated.bytes)).toEqual(bytes);
  expect(() => pakoCompression.inflate(stream, bytes.length - 1)).toThrow('longer');
  expect(() => pakoCompression.inflate(deflated.subarray(0, 20), bytes.length)).toThrow();
  expect(() => pakoCompression.inflate(bytes, bytes.length)).toThrow();
  expect(nodeCompression.inflate(pakoCompression.deflate(bytes), bytes.length).bytes.length).toBe(
    bytes.length,
  );
});

it('says which table is damaged, and where', () => {
  const [path] = fixture('minimal').tables;
  const bytes = readFileSync(path!);
  bytes[24] = 0xff;
  const open = () => new Inspection([{ name: 'x.ref', bytes }], pakoCompression, 2);
  expect(open).toThrow(/^x\.ref: at byte \d+: expected/);
});
