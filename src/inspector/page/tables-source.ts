// Where the tables come from: the server that gave the page, or what was dropped on it.

import { DEFAULT_GEOMETRIC_FACTOR } from '../../stack/geometry.ts';
import type { TableFile } from '../inspection.ts';

/** A file may have so many bytes: more than one buffer of a browser's holds is not read. */
const MAX_SIZE = 1 << 30;

export interface OpenedStack {
  /** What to call it. */
  title: string;
  files: TableFile[];
  geometricFactor: number;
}

/** What the server says of the stack. */
export interface ServedStack {
  location: string;
  tables: string[];
  geometricFactor: number;
}

/** A compaction may remove a table between the list and its reading. */
const ATTEMPTS = 5;

/** The stack that the page is served for; `undefined` where it was opened on its own. */
export async function servedStack(): Promise<OpenedStack | undefined> {
  if (!location.protocol.startsWith('http')) return undefined;
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch('api/stack', { cache: 'no-store' });
    if (answer.status === 404) return undefined;
    if (!answer.ok) throw new Error(await answer.text());
    const { location: title, tables, geometricFactor } = (await answer.json()) as ServedStack;
    const files = await Promise.all(tables.map(servedTable));
    const there = files.filter((file) => file !== undefined);
    if (there.length === files.length) return { title, files: there, geometricFactor };
    if (attempt === ATTEMPTS) throw new Error('The tables are replaced faster than they are read.');
  }
}

async function servedTable(name: string): Promise<TableFile | undefined> {
  const answer = await fetch(`api/tables/${encodeURIComponent(name)}`);
  if (answer.status === 404) return undefined;
  if (!answer.ok) throw new Error(await answer.text());
  return { name, bytes: new Uint8Array(await answer.arrayBuffer()) };
}

/** What was dropped or chosen: single tables, or the folder of a stack with its list. */
export async function droppedStack(files: readonly File[]): Promise<OpenedStack> {
  const list = files.find(({ name }) => name === 'tables.list');
  const byName = new Map(files.map((file) => [file.name, file]));
  const names = list === undefined ? [...byName.keys()].sort() : namesIn(await list.text());
  if (names.length === 0) throw new Error('There is no table in what was dropped.');
  const tables = names.map((name) => {
    const file = byName.get(name);
    if (file === undefined)
      throw new Error(`tables.list names ${name}, which was not dropped with it.`);
    if (file.size > MAX_SIZE) {
      throw new Error(
        `${name} has ${file.size.toLocaleString('en')} bytes, more than this page reads.`,
      );
    }
    return file;
  });
  return {
    title: names.length === 1 ? names[0]! : `${names.length} tables`,
    files: await Promise.all(
      tables.map(async (file) => ({
        name: file.name,
        bytes: new Uint8Array(await file.arrayBuffer()),
      })),
    ),
    geometricFactor: DEFAULT_GEOMETRIC_FACTOR,
  };
}

function namesIn(list: string): string[] {
  return list.split('\n').filter((line) => line !== '');
}

/** The files of a drop, those in folders too. */
export async function filesOf(data: DataTransfer): Promise<File[]> {
  // All at once: when the event is over, they can be asked for nothing any more.
  const dropped = [...data.items].map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  const files: File[] = [];
  for (const each of dropped) {
    if (each instanceof File) files.push(each);
    else if (each !== null) await collect(each, files);
  }
  return files;
}

async function collect(entry: FileSystemEntry, files: File[]): Promise<void> {
  if (entry.isFile) {
    files.push(
      await new Promise((found, failed) => (entry as FileSystemFileEntry).file(found, failed)),
    );
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // A folder is given in pieces.
    const entries = await new Promise<FileSystemEntry[]>((found, failed) =>
      reader.readEntries(found, failed),
    );
    if (entries.length === 0) return;
    for (const each of entries) await collect(each, files);
  }
}
