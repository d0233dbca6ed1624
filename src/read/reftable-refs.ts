// The refs of a reftable stack, read once: the tables that one reading of `tables.list` names are opened, asked and
// closed again.

import { readFileSync } from 'node:fs';
import { RefError, ReftableFormatError } from '../errors.ts';
import type { Compression } from '../format/compression.ts';
import type { ObjectFormat } from '../format/object-format.ts';
import { refsInBlock } from '../format/ref-records.ts';
import { compareText, encodeText } from '../format/text.ts';
import { openFileSource, READ_WHOLE_SIZE } from '../stack/file-source.ts';
import { parseTablesList } from '../stack/tables-list.ts';
import type { FileReading } from '../storage/file-system.ts';
import { ioError } from '../storage/io-error.ts';
import { nodeFileReading } from '../storage/node-file-reading.ts';
import { Table } from '../table/table.ts';
import type { StoredRef, StoredRefs } from './stored-refs.ts';

/** So often writers may replace the list while its tables are being opened: each time one of them gets on. */
const MAX_READINGS = 1000;

/** Nothing stays open, not even until a thread has time to close it. */
const FILES: FileReading = { ...nodeFileReading, closeLater: nodeFileReading.close };

/** Only logs are deflated, which nobody asks for here. */
const NO_COMPRESSION: Compression = { deflate: unasked, inflate: unasked };

function unasked(): never {
  throw new Error('logs are not read here');
}

/**
 * Opens the stack in `folder`; where there is none, it is empty. Throws `MISSING_TABLE`, `CORRUPT_LIST`,
 * `CORRUPT_TABLE`, `IO`.
 */
export function openReftableRefs(folder: string, objectFormat: ObjectFormat): StoredRefs {
  let names = readList(folder);
  for (let reading = 1; ; reading++) {
    try {
      return new ReftableRefs(openTables(folder, names, objectFormat));
    } catch (error) {
      // A compaction may have replaced tables since the list was read: then it names others now.
      if (!(error instanceof RefError) || error.code !== 'MISSING_TABLE') throw error;
      const before = names;
      names = readList(folder);
      if (reading === MAX_READINGS || names.join() === before.join()) throw error;
    }
  }
}

class ReftableRefs implements StoredRefs {
  /** Newest first. */
  readonly #tables: readonly Table[];

  constructor(tables: readonly Table[]) {
    this.#tables = tables;
  }

  read(name: string): StoredRef | undefined {
    const key = encodeText(name);
    for (const table of this.#tables) {
      const record = table.readRef(key, name);
      if (record !== undefined) return isTombstone(record) ? undefined : record;
    }
    return undefined;
  }

  list(prefix: string): StoredRef[] {
    const newest = new Map<string, StoredRef>();
    for (const table of this.#tables) {
      for (const record of refsFrom(table, prefix)) {
        if (!record.name.startsWith(prefix)) break;
        if (!newest.has(record.name)) newest.set(record.name, record);
      }
    }
    const records = [...newest.values()].filter((record) => !isTombstone(record));
    return records.sort((a, b) => compareText(a.name, b.name));
  }

  /** Writers store what annotated tags stand for. */
  isPeeled(): boolean {
    return true;
  }

  close(): void {
    for (const table of this.#tables) table.close();
  }
}

function isTombstone({ oid, target }: StoredRef): boolean {
  return oid === undefined && target === undefined;
}

/** The records of a table from `name` on, tombstones included. */
function* refsFrom(table: Table, name: string): Generator<StoredRef> {
  const key = encodeText(name);
  const { oidLength, minUpdateIndex } = table;
  for (let block = table.seekBlock('refs', key); block; block = table.nextBlock(block)) {
    yield* refsInBlock(block, key, oidLength, minUpdateIndex);
  }
}

function readList(folder: string): string[] {
  const path = `${folder}/tables.list`;
  try {
    // As text, which Node reads faster: nothing beyond ASCII may be in it.
    return parseTablesList(Buffer.from(readFileSync(path, 'utf8')), path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw ioError('read', path, error);
  }
}

/** Newest first. */
function openTables(
  folder: string,
  names: readonly string[],
  objectFormat: ObjectFormat,
): readonly Table[] {
  const known = kept?.folder === folder ? kept.tables : NO_TABLES;
  const opened = new Map<string, Table>();
  const small = new Map<string, Table>();
  try {
    for (const name of names) {
      const path = `${folder}/${name}`;
      const table = known.get(name) ?? openTable(path);
      opened.set(name, table);
      checkFormat(table, path, objectFormat);
      if (table.size <= READ_WHOLE_SIZE) small.set(name, table);
    }
  } catch (error) {
    for (const table of opened.values()) table.close();
    throw error;
  }
  kept = { folder, tables: small };
  return [...opened.values()].reverse();
}

const NO_TABLES: ReadonlyMap<string, Table> = new Map();

/**
 * The small tables of the stack that was read last, which are in memory whole: closing them does nothing. A table never
 * changes once it has its name, and no name is used twice.
 */
let kept: { folder: string; tables: ReadonlyMap<string, Table> } | undefined;

function openTable(path: string): Table {
  try {
    return Table.open(openFileSource(FILES, path), NO_COMPRESSION);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw ioError('read', path, error);
    const message = `${path}: the table is named in tables.list but is not there`;
    throw new RefError('MISSING_TABLE', message, { file: path, cause: error });
  }
}

function checkFormat({ header }: Table, path: string, objectFormat: ObjectFormat): void {
  if (header.objectFormat === objectFormat) return;
  const at = header.version === 1 ? 4 : 24;
  const expected = `object ids of the repository's format, ${objectFormat}`;
  throw new ReftableFormatError(path, at, expected, header.objectFormat);
}
