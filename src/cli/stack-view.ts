// A stack of tables as data, and drawn so that its geometry is seen at a glance.

import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ObjectFormat } from '../format/object-format.ts';
import { readConfig } from '../repository/config-layers.ts';
import { discoverGitDir } from '../repository/discover.ts';
import { linkedCommonDir } from '../repository/git-dir.ts';
import { DirectoryTableStore } from '../stack/directory-table-store.ts';
import { DEFAULT_GEOMETRIC_FACTOR } from '../stack/geometry.ts';
import { Stack } from '../stack/stack.ts';
import { nodeCompression } from '../storage/node-compression.ts';
import { nodeFileSystem } from '../storage/node-file-system.ts';
import { Table } from '../table/table.ts';
import { outlineTable, type TableOutline } from '../table/table-outline.ts';
import {
  type Alignment,
  bar,
  bold,
  columns,
  dim,
  formatCount,
  formatSize,
  plural,
} from './text-layout.ts';

const BAR_WIDTH = 32;

export type TableDescription = Omit<
  TableOutline,
  'blocks' | 'version' | 'objectFormat' | 'blockSize'
> & {
  /** How many times the size of the next, newer table this one is; `null` for the newest. */
  ratioToNext: number | null;
};

export interface StackDescription {
  location: string;
  /** Each table should be at least so many times the size of the next. */
  geometricFactor: number;
  /** Oldest first. */
  tables: TableDescription[];
}

/**
 * The folder of the stack that a path means: the path itself if it has a `tables.list`, else that of the
 * repository there; without a path, of the repository that the process works on. Throws
 * `NOT_A_REPOSITORY`.
 */
export function findStackFolder(path: string | undefined): string {
  if (path !== undefined && existsSync(join(path, 'tables.list'))) return path;
  return join(findGitDir(path), 'reftable');
}

/** The repository at or around a path; without one, the repository that the process works on. */
export function findGitDir(path: string | undefined): string {
  const env = path === undefined ? process.env : { ...process.env, GIT_DIR: undefined };
  return discoverGitDir(path ?? '.', { env }).gitDir;
}

/** Reads all tables of the stack in a folder. Throws `RefError`. */
export function describeStack(folder: string): StackDescription {
  const geometricFactor = geometricFactorOf(folder);
  const store = new DirectoryTableStore(nodeFileSystem, folder);
  const objectFormat = objectFormatOf(store);
  const stack = new Stack(store, { objectFormat, compression: nodeCompression });
  try {
    const { names, tables } = stack.current();
    const described = tables.map((table, i) => {
      const next = tables[i + 1];
      const { blocks, version, objectFormat, blockSize, ...outline } = outlineTable(table);
      const ratioToNext = next === undefined ? null : table.size / next.size;
      return { ...outline, name: names[i]!, ratioToNext };
    });
    return { location: folder, geometricFactor, tables: described };
  } finally {
    stack.close();
  }
}

/** The setting of the repository that a stack's folder is in. */
export function geometricFactorOf(folder: string): number {
  const around = dirname(resolve(folder));
  const commonDir = linkedCommonDir(around) ?? around;
  const config = readConfig(around, { env: process.env, commonDir });
  return config.getInteger('reftable.geometricFactor', { min: 0 }) || DEFAULT_GEOMETRIC_FACTOR;
}

/** What the oldest table says, so that a stack can be shown without its repository. */
function objectFormatOf(store: DirectoryTableStore): ObjectFormat {
  const list = store.readList();
  try {
    const [oldest] = list.names;
    if (oldest === undefined) return 'sha1';
    const table = Table.open(store.open(oldest), nodeCompression);
    table.close();
    return table.objectFormat;
  } finally {
    store.releaseList(list);
  }
}

/** The stack as text: a line a table, oldest first, with a bar as long as the table is large. */
export function drawStack({ location, geometricFactor, tables }: StackDescription): string {
  const total = tables.reduce((sum, { size }) => sum + size, 0);
  const largest = Math.max(...tables.map(({ size }) => size));
  const title = `${bold(location)}  ${plural(tables.length, 'table')}, ${formatSize(total)}\n`;
  if (tables.length === 0) return title;
  const rows = [['updates', 'size', '', '× next', 'refs', 'log', 'table'].map(dim)];
  for (const table of tables) {
    const { minUpdateIndex, maxUpdateIndex, size, ratioToNext } = table;
    rows.push([
      minUpdateIndex === maxUpdateIndex
        ? String(minUpdateIndex)
        : `${minUpdateIndex}–${maxUpdateIndex}`,
      formatSize(size),
      bar(size / largest, BAR_WIDTH),
      ratioToNext === null ? '' : formatRatio(ratioToNext, geometricFactor),
      formatRecords(table.refs, table.deletedRefs),
      formatRecords(table.logEntries, table.deletedLogEntries),
      dim(table.name),
    ]);
  }
  const alignments: Alignment[] = ['right', 'right', 'left', 'right', 'right', 'right', 'left'];
  return `${title}\n${columns(rows, alignments, '  ')}\n${verdict(tables, geometricFactor)}\n`;
}

function formatRatio(ratio: number, factor: number): string {
  const text = ratio < 99.95 ? ratio.toFixed(1) : formatCount(Math.round(ratio));
  return ratio < factor ? `! ${text}` : text;
}

/** `10,004`, or `12 −3` with three records that delete. */
function formatRecords(live: number, deleted: number): string {
  return deleted === 0 ? formatCount(live) : `${formatCount(live)} −${formatCount(deleted)}`;
}

function verdict(tables: readonly TableDescription[], factor: number): string {
  const tooSmall = tables.filter(({ ratioToNext }) => (ratioToNext ?? factor) < factor).length;
  const rule = `at least ${factor} times the size of the next, newer one`;
  if (tooSmall === 0) return `Geometric: every table is ${rule}.`;
  const which = tooSmall === 1 ? '1 table is' : `${formatCount(tooSmall)} tables are`;
  return `Due for compaction: ${which} not ${rule} (!).`;
}
