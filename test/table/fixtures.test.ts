import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LogRecord, MergedTable } from '../../src/table/index.ts';
import { fixtures } from '../support/fixtures.ts';
import { expectSameTable, rewrite } from './rewrite.ts';
import { blockTypes, openTable, recordsOf } from './tables.ts';

describe.each(fixtures())('the stack "$name" that Git wrote', (fixture) => {
  const tables = fixture.tables.map((path) => openTable(readFileSync(path)));

  it.each(fixture.tables.map((path) => [basename(path), path]))(
    '%s rewritten is itself',
    (_, path) => {
      const bytes = readFileSync(path);
      const rewritten = rewrite(openTable(bytes), {
        restartInterval: Number(fixture.config['reftable.restartinterval'] ?? 16),
        indexObjects: fixture.config['reftable.indexobjects'] !== 'false',
      });
      expectSameTable(rewritten, bytes);
    },
  );

  it('reads as the refs that Git sees in it', () => {
    const merged = new MergedTable(tables);
    const resolve = (name: string): string | undefined => {
      const ref = merged.readRef(name);
      return ref?.target === undefined ? ref?.oid : resolve(ref.target);
    };
    const refs = Array.from(merged.refs(), ({ name, peeled, target }) => {
      const oid = resolve(name);
      return { name, oid, ...(peeled && { peeled }), ...(target && { target }) };
    });
    expect(refs.filter(({ oid }) => oid !== undefined)).toEqual(
      // A symref shows the peeled id of what it points at.
      fixture.refs.map(({ peeled, ...ref }) => (ref.target || !peeled ? ref : { ...ref, peeled })),
    );
  });

  it('reads as the reflogs that Git sees in it', () => {
    const merged = new MergedTable(tables);
    const entries = [...merged.logNames()].flatMap((name) => [...merged.log(name)]);
    expect(entries.filter((record) => !marksEmptyReflog(record)).map(asGitPrints)).toEqual(
      fixture.reflog,
    );
  });
});

describe('the fixtures together', () => {
  const all = fixtures().flatMap(({ tables }) =>
    tables.map((path) => openTable(readFileSync(path))),
  );

  it('have every kind of block, record and hash function', () => {
    expect(new Set(all.map(blockTypes).join(''))).toEqual(new Set('riog'));
    expect(new Set(all.map(({ objectFormat }) => objectFormat))).toEqual(
      new Set(['sha1', 'sha256']),
    );
    const records = all.map(recordsOf);
    const refs = records.flatMap((record) => record.refs);
    expect(refs.some((ref) => ref.peeled)).toBe(true);
    expect(refs.some((ref) => ref.target)).toBe(true);
    expect(refs.some((ref) => !ref.oid && !ref.target)).toBe(true);
    const logs = records.flatMap((record) => record.logs);
    expect(logs.some((log) => log.entry === undefined)).toBe(true);
    expect(logs.some(marksEmptyReflog)).toBe(true);
  });
});

/** The entry of a reflog that exists and is empty. */
function marksEmptyReflog({ entry }: LogRecord): boolean {
  return entry !== undefined && entry.message === '' && /^0+$/.test(entry.oldOid + entry.newOid);
}

function asGitPrints({ name, entry }: LogRecord) {
  const { newOid, committerName, email, time, timezone, message } = entry!;
  const minutes = Math.trunc(timezone / 100) * 60 + (timezone % 100);
  const committer = { name: committerName, email, time, timezone: minutes === 0 ? 0 : minutes };
  return { ref: name, newOid, committer, message: message.replace(/\n$/, '') };
}
