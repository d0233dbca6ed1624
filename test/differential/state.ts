// What a script leaves in a repository: refs and reflogs as Git reads them, every record of every stack, what
// Git's own checks say, and the files that lie about.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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
  if (listsOf(folder) === listsOf(original)) return { files };
  return { read: await runShell(READ, folder), records: stacksOf(folder).map(recordsOf), files };
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

/** Every file but the tables in use; what is not Git's, with what it holds. */
function filesOf(folder: string): string[] {
  const used = new Set(stacksOf(folder).flatMap(tablesOf));
  const found: string[] = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length + 1);
    if (!entry.isFile() || used.has(entry.name)) continue;
    const isGits = name.includes('.git');
    found.push(isGits ? name : `${name}: ${readFileSync(path, 'latin1').replaceAll(folder, '')}`);
  }
  return found.sort();
}

/** Git marks an empty reflog by an entry without a message, and adds a line feed when it compacts that; ours has it. */
function withoutMarkerMessage(entry: LogEntry): LogEntry {
  const isMarker = /^0+$/.test(entry.oldOid + entry.newOid);
  return isMarker ? { ...entry, message: entry.message.replace(/\n$/, '') } : entry;
}
