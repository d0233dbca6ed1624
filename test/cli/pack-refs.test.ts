// `pack-refs` beside Git's: the same exit code and output, the same tables, the same leftovers removed; and more
// leftovers than Git removes, but never what somebody still needs.

import fs, { cpSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeStack } from '../../src/cli/stack-view.ts';
import { DirectoryTableStore } from '../../src/stack/directory-table-store.ts';
import { Stack } from '../../src/stack/stack.ts';
import { nodeCompression } from '../../src/storage/node-compression.ts';
import { type Call, watchedFileSystem } from '../stack/watched-file-system.ts';
import { describeWithGit, type GitResult, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildCommandLine, reftable } from './command-line.ts';

const UNCOMPACTED = { GIT_TEST_REFTABLE_AUTOCOMPACTION: 'false' };

/** A bare repository with a table for each of these numbers of branches, and entries in their reflogs. */
function makeRepository(...counts: number[]): string {
  const path = join(temporaryFolder(), 'original');
  const at = { cwd: path, env: UNCOMPACTED };
  git.output(['init', '-q', '--bare', '--ref-format=reftable', path], { env: UNCOMPACTED });
  git.output(['config', 'core.logAllRefUpdates', 'true'], at);
  const tree = git.output(['hash-object', '-wt', 'tree', '--stdin'], at).trimEnd();
  for (const [table, count] of counts.entries()) {
    const oid = git.output(['commit-tree', '-m', `${table}`, tree], at).trimEnd();
    const names = Array.from({ length: count }, (_, i) => `refs/heads/${table % 2}/${i}`);
    const input = names.map((name) => `update ${name} ${oid}\n`).join('');
    git.output(['update-ref', '-m', `table ${table}`, '--create-reflog', '--stdin'], {
      ...at,
      input,
    });
    // With what `init` has written, which is out of proportion to any table.
    if (table === 0) git.output(['pack-refs'], at);
  }
  return path;
}

const stackFolder = (path: string) => join(path, 'reftable');
const filesIn = (path: string) => fs.readdirSync(stackFolder(path)).sort();
const tablesIn = (path: string) => describeStack(stackFolder(path)).tables;
const put = (path: string, name: string, bytes: string | Uint8Array = '') =>
  fs.writeFileSync(join(stackFolder(path), name), bytes);

/** A repository as far as it must be the same in both: sizes may differ, for there are two deflaters. */
function stateOf(path: string) {
  const tables = tablesIn(path).map(({ name, size, ratioToNext, ...rest }) => rest);
  const listed = new Set(tablesIn(path).map(({ name }) => name));
  const format = '--format=%(refname) %(objectname) %(symref)';
  return {
    tables,
    others: filesIn(path).filter((name) => !listed.has(name)),
    refs: git.output(['for-each-ref', '--include-root-refs', format], { cwd: path }),
    reflogs: git.output(['reflog', 'list'], { cwd: path }),
  };
}

interface Outcome {
  result: GitResult;
  path: string;
}

/**
 * Gives the same arguments to Git and to the command line, each in a copy of the original that `prepare` was
 * called for; expects the same exit code and output, but for what `shown` takes away, and the same repository.
 */
function expectSame(
  original: string,
  args: readonly string[],
  {
    prepare = () => {},
    shown = (stderr) => stderr,
  }: { prepare?: (path: string) => void; shown?: (stderr: string) => string } = {},
): { ours: Outcome; theirs: Outcome } {
  const folder = temporaryFolder();
  const [ours, theirs] = [reftable, git.run].map((run, i) => {
    const path = join(folder, `${i}`);
    cpSync(original, path, { recursive: true });
    prepare(path);
    return { path, result: run(['pack-refs', ...args], { cwd: path }) };
  }) as [Outcome, Outcome];
  const told = ({ result: { code, stdout, stderr } }: Outcome) => ({
    code,
    stdout,
    stderr: shown(stderr),
  });
  expect(told(ours)).toEqual(told(theirs));
  expect(stateOf(ours.path)).toEqual(stateOf(theirs.path));
  return { ours, theirs };
}

/** What Git calls itself in its usage is its name. */
const firstLine = (text: string) => text.split('\n', 1)[0]!.replace(/^usage: .*/, 'usage: …');

/** Why is told in different words. */
const withoutReason = (text: string) =>
  text.replace(/(?<=^error: unable to compact stack: ).*/s, '');

beforeAll(buildCommandLine);

describeWithGit('pack-refs', () => {
  /** The tables' numbers of branches: out of proportion, and in proportion. */
  const UNEVEN = [400, 3, 4, 3, 5, 4];
  const EVEN = [400, 60, 5];
  let uneven: string;
  let even: string;
  beforeAll(() => {
    uneven = makeRepository(...UNEVEN);
    even = makeRepository(...EVEN);
  });

  it.each(['', '--all', '--all --prune', '--no-prune', '--include refs/heads/* --exclude *'])(
    'merges all tables: %s',
    (line) => {
      for (const original of [uneven, even]) {
        const { ours } = expectSame(original, line === '' ? [] : line.split(' '));
        expect(ours.result.code).toBe(0);
        expect(tablesIn(ours.path)).toHaveLength(1);
        expect(filesIn(ours.path)).toHaveLength(2);
      }
    },
  );

  it.each(['--auto', '--all --auto'])('merges what is out of proportion: %s', (line) => {
    const { ours } = expectSame(uneven, line.split(' '));
    const count = tablesIn(ours.path).length;
    expect(count).toBeGreaterThan(1);
    expect(count).toBeLessThan(UNEVEN.length);
    const before = filesIn(even);
    expect(filesIn(expectSame(even, line.split(' ')).ours.path)).toEqual(before);
  });

  it('has nothing to merge in a stack of one table', () => {
    const packed = makeRepository();
    expect(filesIn(packed)).toHaveLength(2);
    for (const args of [[], ['--auto']]) {
      expect(filesIn(expectSame(packed, args).ours.path)).toEqual(filesIn(packed));
    }
  });

  it.each(['--nonsense', '-x', 'refs/heads/main', '--all more', '--include', '--auto=yes'])(
    'is called the wrong way: %s',
    (line) => {
      const { ours } = expectSame(uneven, line.split(' '), { shown: firstLine });
      expect(ours.result.code).toBe(129);
      expect(filesIn(ours.path)).toEqual(filesIn(uneven));
    },
  );

  it.each([[[]], [['--auto']]])('ends with 255 while somebody writes: %j', (args) => {
    const prepare = (path: string) => put(path, 'tables.list.lock');
    const { ours } = expectSame(uneven, args, { prepare, shown: withoutReason });
    expect(ours.result.code).toBe(255);
    expect(ours.result.stderr).toMatch(/tables\.list\.lock': File exists\./);
    expect(filesIn(ours.path)).toEqual([...filesIn(uneven), 'tables.list.lock'].sort());
  });

  it.each([0, 2, 5])('and while somebody compacts table %i', (place) => {
    const name = tablesIn(uneven)[place]!.name;
    const prepare = (path: string) => put(path, `${name}.lock`);
    const { ours } = expectSame(uneven, [], { prepare, shown: withoutReason });
    expect(ours.result.code).toBe(255);
    expect(filesIn(ours.path)).toEqual([...filesIn(uneven), `${name}.lock`].sort());
    // With --auto, what is newer than that table can be merged.
    expectSame(uneven, ['--auto'], { prepare, shown: withoutReason });
  });

  describe('cleans up', () => {
    const STALE = '0x000000000001-0x000000000001-0000abcd.ref';
    const NEWER = '0x0000000000f0-0x0000000000f0-0000abcd.ref';

    it('tables that no list names any more', () => {
      const prepare = (path: string) => {
        const [oldest] = tablesIn(path);
        put(path, STALE, fs.readFileSync(join(stackFolder(path), oldest!.name)));
      };
      for (const args of [[], ['--auto']]) {
        for (const original of [uneven, even]) {
          const { ours } = expectSame(original, args, { prepare });
          expect(filesIn(ours.path)).not.toContain(STALE);
        }
      }
    });

    it('but neither what is newer than the stack, nor what is no table, nor what is not ours', () => {
      const newer = makeRepository(...Array(20).fill(1));
      const last = tablesIn(newer).at(-1)!;
      const bytes = fs.readFileSync(join(stackFolder(newer), last.name));
      const prepare = (path: string) => {
        put(path, NEWER, bytes);
        put(path, STALE, 'no table');
        put(path, 'notes.txt', 'mine');
      };
      for (const args of [[], ['--auto']]) {
        const { ours } = expectSame(even, args, { prepare });
        expect(filesIn(ours.path)).toEqual(expect.arrayContaining([NEWER, STALE, 'notes.txt']));
      }
    });

    const TEMPORARY = [
      '0x000000000001-0x000000000002-0000abcd.temp.a1b2c3',
      '0x000000000001-0x000000000002-0000abcd.ref.temp.a1B2c3',
    ];

    it('files that were never finished, which Git leaves', () => {
      const path = join(temporaryFolder(), 'copy');
      cpSync(uneven, path, { recursive: true });
      for (const name of [...TEMPORARY, 'tables.list.temp.a1b2c3', 'mine.temp.a1b2c3']) {
        put(path, name);
      }
      expect(reftable(['pack-refs'], { cwd: path })).toMatchObject({ code: 0, stderr: '' });
      const [packed, ...more] = tablesIn(path);
      expect(more).toEqual([]);
      expect(filesIn(path)).toEqual([packed!.name, 'mine.temp.a1b2c3', 'tables.list']);
    });

    it('but no table that somebody may still be writing', () => {
      const path = join(temporaryFolder(), 'copy');
      cpSync(even, path, { recursive: true });
      const lock = `${tablesIn(path)[0]!.name}.lock`;
      for (const name of [...TEMPORARY, lock]) put(path, name);
      const before = filesIn(path);
      expect(reftable(['pack-refs', '--auto'], { cwd: path })).toMatchObject({ code: 0 });
      expect(filesIn(path)).toEqual(before);
    });
  });

  it.each(['ours', 'Git’s'])('%s leaves a compaction that is under way alone', async (whose) => {
    const run = whose === 'ours' ? reftable : git.run;
    const path = join(temporaryFolder(), 'copy');
    cpSync(even, path, { recursive: true });
    const before = stateOf(path);
    let during: string[] = [];
    const results: GitResult[] = [];
    const meanwhile = ({ name }: Call) => {
      // The merged table is written; its name and the list come next.
      if (name !== 'file.sync' || results.length > 0) return;
      during = filesIn(path);
      results.push(run(['pack-refs', '--auto'], { cwd: path }));
      results.push(run(['pack-refs'], { cwd: path }));
      expect(filesIn(path)).toEqual(during);
    };
    const store = new DirectoryTableStore(watchedFileSystem(meanwhile), stackFolder(path));
    const stack = new Stack(store, { objectFormat: 'sha1', compression: nodeCompression });
    await stack.compact('all');
    stack.close();
    expect(results.map(({ code }) => code)).toEqual([0, 255]);
    expect(during.filter((name) => name.includes('.temp.'))).toHaveLength(1);
    expect(during.filter((name) => name.endsWith('.ref.lock'))).toHaveLength(EVEN.length);
    const { tables, ...rest } = stateOf(path);
    expect(tables).toHaveLength(1);
    expect(rest).toMatchObject({ refs: before.refs, reflogs: before.reflogs });
    expect(filesIn(path)).toHaveLength(2);
  });
});
