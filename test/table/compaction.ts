// Compacting tables in memory, and what the records of a stack have to be afterwards.

import { expect } from 'vitest';
import { nodeCompression } from '../../src/storage/node-compression.ts';
import {
  type CompactedTable,
  type CompactionOptions,
  compactTables,
} from '../../src/table/compaction/compactor.ts';
import { MergedTable, type Table } from '../../src/table/index.ts';
import { byBytes } from './arbitraries.ts';
import { openTable, type Records, recordsOf } from './tables.ts';

export interface Compacted extends CompactedTable {
  bytes: Buffer;
  table: Table;
}

/** Compacts to the end; every chunk but the last has 64 KiB. */
export function compact(
  tables: readonly Table[],
  options: Partial<CompactionOptions> = {},
): Compacted {
  const steps = compactTables(tables, {
    compression: nodeCompression,
    dropTombstones: true,
    ...options,
  });
  const chunks: Uint8Array[] = [];
  let step = steps.next();
  for (; !step.done; step = steps.next()) chunks.push(...step.value);
  expect(chunks.slice(0, -1).every(({ length }) => length === 65_536)).toBe(true);
  const bytes = Buffer.concat(chunks);
  return { ...step.value, bytes, table: openTable(bytes) };
}

/** The newest record of each key, tombstones too. */
export function newestRecords(stack: readonly Records[]): Records {
  const refs = new Map(stack.flatMap((table) => table.refs.map((ref) => [ref.name, ref])));
  const logs = new Map(
    stack.flatMap((table) => table.logs.map((log) => [`${log.name}\0${log.updateIndex}`, log])),
  );
  return {
    refs: [...refs.values()].sort((a, b) => byBytes(a.name, b.name)),
    logs: [...logs.values()].sort(
      (a, b) => byBytes(a.name, b.name) || b.updateIndex - a.updateIndex,
    ),
  };
}

export function withoutTombstones({ refs, logs }: Records): Records {
  return {
    refs: refs.filter(({ oid, target }) => oid !== undefined || target !== undefined),
    logs: logs.filter(({ entry }) => entry !== undefined),
  };
}

/** All that readers can ask of a stack, by every way: from the front, by name, and by object id. */
export function answers(tables: readonly Table[], oids: Iterable<string>) {
  const merged = new MergedTable(tables);
  const refs = [...merged.refs()];
  const logNames = [...merged.logNames()];
  return {
    refs,
    byName: refs.map(({ name }) => merged.readRef(name)),
    byObject: Array.from(oids, (oid) => [...merged.refsPointingAt(oid)]),
    logs: logNames.map((name) => [name, [...merged.log(name)]]),
  };
}

/** The object ids and peeled ones in the tables. */
export function oidsOf(tables: readonly Table[]): Set<string> {
  const refs = tables.flatMap((table) => recordsOf(table).refs);
  return new Set(
    refs.flatMap(({ oid, peeled }) => [oid, peeled]).filter((oid) => oid !== undefined),
  );
}
