// What a script leaves in a repository: refs and reflogs as Git reads them, every record of every stack or every file
// of refs and reflogs, what Git's own checks say, and the files that lie about.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { LogEntry } from '../../src/format/records.ts';
import { nodeCompression } from '../../src/storage/node-compression.ts';
import { bufferSource, MergedTable, Table } from '../../src/table/index.ts';
import { runShell } from './process.ts';

/** What Git reads, in one process of the shell: names that are not ASCII cannot be arguments. */
const READ = `
git for-each-ref --include-root-refs --format='%(refname) %(objectname) %(*objectname) %(symref)'
names=$(git reflog list | LC_ALL=C grep '^[ -~]*$')
test -z "$names" || git log -g --date=raw --format='%gD %H %gn %ge %gs' $names --
git fsck --no-progress --no-dangling`;

/**
 * The state of the repository `repo` in `folder`, in a form that `toEqual` shows well. Where the tables are still
 * those of `original`, of which it is a copy, they are not read.
 */
export async function stateOf(folder: string, original: string): Promise<object> {
  const files = filesOf(folder);
  if (isUsingFiles(folder)) return { read: await runShell(READ, folder), files };
  if (listsOf(folder) === listsOf(original)) return { files };
  return { read: await runShell(READ, folder), records: stacksOf(folder).map(recordsOf), files };
}

function isUsingFiles(folder: string): boolean {
  return !existsSync(join(folder, 'repo/.git/reftable'));
}

/** The folders of a repository's stacks. */
function stacksOf(folder: string): string[] {
  const gitDir = join(folder, 'repo/.git');
  const worktrees = join(gitDir, 'worktrees');
  const names = existsSync(worktrees) ? readdirSync(worktrees).sort() : [];
  return [gitDir, ...names.map((name) => join(worktrees, name))].map((each) =>
    join(each, 'reftable'),
  );
}

/** The refs and log entries of a stack, without their update indexes. */
function recordsOf(stack: string): string[] {
  const tables = tablesOf(stack).map((name) => {
    const path = join(stack, name);
    return Table.open(bufferSource(path, readFileSync(path)), nodeCompression);
  });
  const merged = new MergedTable(tables);
  const refs = [...merged.refs()].map(({ name, oid, peeled, target }) =>
    [name, oid, peeled, target].filter((value) => value !== undefined).join(' '),
  );
  const logs = [...merged.logNames()].flatMap((name) =>
    [...merged.log(name)].map(({ entry }) =>
      JSON.stringify({ name, ...withoutMarkerMessage(entry!) }),
    ),
  );
  return [...refs, ...logs];
}

/** What all `tables.list` say. */
function listsOf(folder: string): string {
  return stacksOf(folder)
    .map((stack) => tablesOf(stack).join(' '))
    .join('\n');
}

function tablesOf(stack: string): string[] {
  return readFileSync(join(stack, 'tables.list'), 'utf8').split('\n').slice(0, -1);
}

/** Loose refs, reflogs, and packed-refs. */
const REF_FILE = /\/(?:logs|refs)\/|\/(?:[A-Z_]*HEAD|packed-refs)$/;

/** Every file but the tables in use; refs, and what is not Git's, with what it holds. */
function filesOf(folder: string): string[] {
  const used = new Set(isUsingFiles(folder) ? [] : stacksOf(folder).flatMap(tablesOf));
  const found: string[] = [];
  for (const name of filesIn(folder)) {
    if (used.has(basename(name))) continue;
    const isGits = name.includes('.git') && !REF_FILE.test(name);
    const text = () => readFileSync(Buffer.from(`${folder}/${name}`, 'latin1'), 'latin1');
    found.push(isGits ? name : `${name}: ${text().replaceAll(folder, '')}`);
  }
  return found.sort();
}

/** The paths of all files in a folder, from there; a character a byte. */
function filesIn(folder: string, below = ''): string[] {
  const options = { encoding: 'buffer', withFileTypes: true } as const;
  const path = Buffer.from(`${folder}/${below}`, 'latin1');
  return readdirSync(path, options).flatMap((entry) => {
    const name = below + entry.name.toString('latin1');
    if (entry.isDirectory()) return filesIn(folder, `${name}/`);
    return entry.isFile() ? [name] : [];
  });
}

/** Git marks an empty reflog by an entry without a message, and adds a line feed when it compacts that; ours has it. */
function withoutMarkerMessage(entry: LogEntry): LogEntry {
  const isMarker = /^0+$/.test(entry.oldOid + entry.newOid);
  return isMarker ? { ...entry, message: entry.message.replace(/\n$/, '') } : entry;
}
