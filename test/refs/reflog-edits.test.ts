// Promises that what is done to reflogs by themselves, and to refs with their reflogs, appends the very records that
// Git appends: entries, tombstones, marks of empty reflogs, and refs.

import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { LogRecord } from '../../src/format/records.ts';
import { openRefStore, type RefStore } from '../../src/index.ts';
import { describeWithGit, ENVIRONMENT, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openTable, type Records, recordsOf } from '../table/tables.ts';

const START = 1_600_000_000;
const HOUR = 3600;

/** Git does not compact, so that its last table is what the command wrote. */
const AS_IT_IS = { GIT_TEST_REFTABLE_AUTOCOMPACTION: 'false' };

interface Base {
  path: string;
  oids: string[];
  tag: string;
  zero: string;
}

function makeBase(objectFormat: 'sha1' | 'sha256'): Base {
  const path = join(temporaryFolder(), 'base');
  git.output(['init', '-q', '--ref-format=reftable', `--object-format=${objectFormat}`, path]);
  const run = (args: string[], time = START) =>
    git
      .output(args, { cwd: path, env: { ...AS_IT_IS, GIT_COMMITTER_DATE: `${time} +0530` } })
      .trimEnd();
  const tree = run(['write-tree']);
  const oids = ['A', 'B', 'C', 'D', 'E'].map((name) => run(['commit-tree', '-m', name, tree]));
  oids.forEach((oid, i) => {
    for (const ref of ['refs/heads/main', 'refs/heads/side']) {
      run(['update-ref', '-m', `step ${i}`, ref, oid], START + i * HOUR);
    }
  });
  run(['update-ref', 'refs/heads/dir/leaf', oids[0]!]);
  run(['update-ref', '--create-reflog', '-m', 'x', 'refs/tags/logged', oids[0]!]);
  run(['update-ref', 'refs/tags/bare', oids[0]!]);
  run(['symbolic-ref', '-m', 'points', 'refs/heads/alias', 'refs/heads/side']);
  run(['tag', '-m', 'annotated', 'v1', oids[1]!]);
  return { path, oids, tag: run(['rev-parse', 'v1']), zero: '0'.repeat(tree.length) };
}

/** The records of the tables from `first` on, each by itself. */
function tablesFrom(first: number, path: string): Records[] {
  const folder = join(path, '.git/reftable');
  const names = listOf(path).slice(first);
  return names.map((name) => {
    const { refs, logs } = recordsOf(openTable(readFileSync(join(folder, name))));
    return { refs, logs: logs.map(withoutMarkerMessage) };
  });
}

/** Git marks an empty reflog by an entry without a message, and adds a line feed when it compacts that; ours has it. */
function withoutMarkerMessage(log: LogRecord): LogRecord {
  const { entry } = log;
  const isMarker = entry !== undefined && /^0+$/.test(entry.oldOid + entry.newOid);
  return isMarker
    ? { ...log, entry: { ...entry, message: entry.message.replace(/\n$/, '') } }
    : log;
}

function listOf(path: string): string[] {
  return readFileSync(join(path, '.git/reftable/tables.list'), 'utf8').trimEnd().split('\n');
}

/** Runs `args` by Git in one copy and `edit` in the other, and expects the same tables, or the same refusal. */
async function expectSameTables(
  { path }: Base,
  args: readonly string[],
  edit: (store: RefStore) => Promise<void>,
): Promise<void> {
  const folder = temporaryFolder();
  const [ofGit, ours] = [join(folder, 'git'), join(folder, 'ours')];
  for (const copy of [ofGit, ours]) cpSync(path, copy, { recursive: true });
  const { code, stderr } = git.run(args, { cwd: ofGit, env: AS_IT_IS });
  const options = { env: ENVIRONMENT, fsync: false, autoCompaction: false };
  using store = openRefStore(join(ours, '.git'), options);
  const refusal = await edit(store).then(
    () => '',
    (error: Error) => error.message,
  );
  if (code === 0) expect(refusal).toBe('');
  else expect(stderr.split('\n')[0]).toBe(`error: ${refusal}`);
  const first = listOf(path).length;
  expect(tablesFrom(first, ours)).toEqual(tablesFrom(first, ofGit));
}

for (const objectFormat of ['sha1', 'sha256'] as const) {
  describeWithGit(`edits of reflogs, as Git's (${objectFormat})`, () => {
    let base: Base;
    beforeAll(() => {
      base = makeBase(objectFormat);
    });

    it.each([
      ['refs/heads/main', 'told'],
      ['refs/heads/new', '  folded\n\tto  one line '],
      ['HEAD', 'x'.repeat(5000)],
      ['refs/heads/new', `${'é'.repeat(1500)}`],
      ['refs/tags/bare', ''],
    ])('writes an entry for %s', async (name, message) => {
      const [oldOid, newOid] = base.oids as [string, string];
      await expectSameTables(base, ['reflog', 'write', name, oldOid, newOid, message], (store) =>
        store.writeReflogEntry(name, { oldOid, newOid, message }),
      );
    });

    it('ends a reflog with an entry that has no new object id', async () => {
      const [oldOid, newOid] = [base.oids[0]!, base.zero];
      const args = ['reflog', 'write', 'refs/heads/main', oldOid, newOid, 'gone'];
      await expectSameTables(base, args, (store) =>
        store.writeReflogEntry('refs/heads/main', { oldOid, newOid, message: 'gone' }),
      );
    });

    it.each(['refs/heads/main', 'refs/tags/logged', 'HEAD'])(
      'drops the reflog of %s',
      async (name) => {
        await expectSameTables(base, ['reflog', 'drop', name], (store) => store.deleteReflog(name));
      },
    );

    const expiries: [string, string[], (time: number) => boolean][] = [
      ['nothing', [`--expire=${START - 1}`], () => false],
      ['all', ['--expire=all'], () => true],
      ['old ones', [`--expire=${START + 2 * HOUR}`], (time) => time < START + 2 * HOUR],
    ];
    for (const [what, args, isOld] of expiries) {
      for (const [flags, options] of [
        [[], {}],
        [['--rewrite'], { rewrite: true }],
        [['--updateref'], { updateRef: true }],
        [['--rewrite', '--updateref'], { rewrite: true, updateRef: true }],
        [['--dry-run'], { dryRun: true }],
      ] as const) {
        it(`expires ${what} ${flags.join(' ')}`, async () => {
          const name = 'refs/heads/main';
          const command = [
            'reflog',
            'expire',
            ...args,
            '--expire-unreachable=never',
            ...flags,
            name,
          ];
          await expectSameTables(base, command, (store) =>
            store.expireReflog(name, {
              shouldExpire: ({ committer }) => isOld(committer.time),
              ...options,
            }),
          );
        });
      }
    }

    it.each([0, 2, 4])('deletes the entry %i from the newest', async (back) => {
      const name = 'refs/heads/side';
      const args = ['reflog', 'delete', '--rewrite', '--updateref', `${name}@{${back}}`];
      await expectSameTables(base, args, (store) => {
        let left = 5 - back;
        return store.expireReflog(name, {
          shouldExpire: () => --left === 0,
          rewrite: true,
          updateRef: true,
        });
      });
    });

    it('does not move a symref', async () => {
      const never = ['--expire=never', '--expire-unreachable=never'];
      const args = ['reflog', 'expire', '--updateref', ...never, 'refs/heads/alias'];
      await expectSameTables(base, args, (store) =>
        store.expireReflog('refs/heads/alias', { shouldExpire: () => false, updateRef: true }),
      );
    });

    it.each([
      ['side', 'other'],
      ['side', 'a/b'],
      ['side', 'side/deeper'],
      ['dir/leaf', 'dir'],
      ['dir/leaf', 'zzz'],
      ['main', 'renamed'],
      ['side', 'main/below'],
      ['side', 'dir'],
      ['alias', 'other'],
    ])('renames %s to %s', async (from, to) => {
      const [oldName, newName] = [`refs/heads/${from}`, `refs/heads/${to}`];
      const message = `Branch: renamed ${oldName} to ${newName}`;
      await expectSameTables(base, ['branch', '-m', from, to], async (store) => {
        await store.renameRef(oldName, newName, { message });
        // Git's branch command goes on to move HEAD.
        const head = { type: 'symref-update', ref: 'HEAD', newTarget: newName } as const;
        if (from === 'main') await store.transaction([head], { message });
      });
    });

    it('renames an annotated tag, with what it points at', async () => {
      const path = join(temporaryFolder(), 'ours');
      cpSync(base.path, path, { recursive: true });
      using store = openRefStore(join(path, '.git'), { env: ENVIRONMENT, fsync: false });
      await store.renameRef('refs/tags/v1', 'refs/tags/v2');
      const refs = [...store.refs({ prefix: 'refs/tags/v' })];
      expect(refs).toMatchObject([{ name: 'refs/tags/v2', oid: base.tag, peeled: base.oids[1] }]);
      expect(git.run(['fsck', '--strict'], { cwd: path })).toMatchObject({ code: 0, stderr: '' });
    });

    it.each([
      ['side', 'other'],
      ['side', 'a/b'],
      ['main', 'copy'],
      ['dir/leaf', 'aaa'],
    ])('copies %s to %s', async (from, to) => {
      const [oldName, newName] = [`refs/heads/${from}`, `refs/heads/${to}`];
      const message = `Branch: copied ${oldName} to ${newName}`;
      await expectSameTables(base, ['branch', '-c', from, to], (store) =>
        store.copyRef(oldName, newName, { message }),
      );
    });

    it('starts an empty reflog that Git finds, and once only', async () => {
      const path = join(temporaryFolder(), 'ours');
      cpSync(base.path, path, { recursive: true });
      const options = { env: ENVIRONMENT, fsync: false, autoCompaction: false };
      using store = openRefStore(join(path, '.git'), options);
      await store.createReflog('refs/tags/bare');
      const before = listOf(path);
      await store.createReflog('refs/tags/bare');
      await store.createReflog('refs/heads/main');
      expect(listOf(path)).toEqual(before);
      expect(git.run(['reflog', 'exists', 'refs/tags/bare'], { cwd: path }).code).toBe(0);
      expect([...store.reflog('refs/tags/bare')]).toEqual([]);
      git.output(['update-ref', '-m', 'logged now', 'refs/tags/bare', base.oids[1]!], {
        cwd: path,
      });
      expect([...store.reflog('refs/tags/bare')].map(({ message }) => message)).toEqual([
        'logged now',
      ]);
    });

    it('makes edits and transactions one after the other', async () => {
      const path = join(temporaryFolder(), 'ours');
      cpSync(base.path, path, { recursive: true });
      using store = openRefStore(join(path, '.git'), { env: ENVIRONMENT, lockTimeout: 0 });
      const edits = [1, 2, 3, 4].flatMap((i) => [
        store.copyRef('refs/heads/side', `refs/heads/copy-${i}`),
        store.transaction([{ type: 'create', ref: `refs/heads/new-${i}`, newOid: base.oids[0]! }]),
      ]);
      await Promise.all(edits);
      const names = [...store.refs({ prefix: 'refs/heads/' })].map(({ name }) => name);
      expect(names.filter((name) => /copy|new/.test(name))).toHaveLength(8);
      expect([...store.reflog('refs/heads/copy-1')]).toHaveLength(6);
    });

    it('refuses what is no ref, no name and no object id', async () => {
      using store = openRefStore(join(base.path, '.git'), { env: ENVIRONMENT });
      const [oldOid, newOid] = base.oids as [string, string];
      await expect(store.renameRef('refs/heads/no', 'refs/heads/b')).rejects.toMatchObject({
        code: 'MISSING_REF',
        message: 'refname refs/heads/no not found',
      });
      await expect(store.renameRef('refs/heads/side', 'a..b')).rejects.toMatchObject({
        code: 'BAD_NAME',
      });
      await expect(store.writeReflogEntry('a..b', { oldOid, newOid })).rejects.toMatchObject({
        code: 'BAD_NAME',
        message: "refusing to update reflog with bad name 'a..b'",
      });
      await expect(store.writeReflogEntry('FETCH_HEAD', { oldOid, newOid })).rejects.toMatchObject({
        message: "refusing to update reflog for pseudoref 'FETCH_HEAD'",
      });
      await expect(
        store.writeReflogEntry('refs/heads/a', { oldOid: 'abc', newOid }),
      ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    });
  });
}
