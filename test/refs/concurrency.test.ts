// Many writers at once: every transaction lands, none is lost, each has the stack for itself.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import type { ReftableStore } from '../../src/refs/reftable-store.ts';
import { describeWithGit, ENVIRONMENT, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { emptyRepository, oid, open } from './empty-repository.ts';

describe('in one process', () => {
  it('transactions that are begun at once land in that order', async () => {
    const gitDir = emptyRepository();
    using store = open(gitDir, { lockTimeout: -1 }) as ReftableStore;
    const numbers = Array.from({ length: 50 }, (_, i) => i + 1);
    const results = await Promise.all(
      numbers.map((i) =>
        store.transaction(
          [
            { type: 'create', ref: `refs/heads/${i}`, newOid: oid('1') },
            { type: 'update', ref: 'refs/heads/last', newOid: i.toString(16).padStart(40, '0') },
          ],
          { createReflog: true, message: `number ${i}` },
        ),
      ),
    );
    expect(results.map(({ updateIndex }) => updateIndex)).toEqual(numbers);
    expect([...store.refs()]).toHaveLength(51);
    const log = [...store.reflog('refs/heads/last', { order: 'oldest-first' })];
    expect(log.map(({ message }) => message)).toEqual(numbers.map((i) => `number ${i}`));
    expect(log.slice(1).map(({ oldOid }) => oldOid)).toEqual(
      log.slice(0, -1).map(({ newOid }) => newOid),
    );
    expect(store.stats.locks).toBe(1);
    expect(existsSync(join(gitDir, 'reftable/tables.list.lock'))).toBe(false);
  });

  it('one that is refused is not in the way of the others', async () => {
    const gitDir = emptyRepository();
    using store = open(gitDir, { lockTimeout: -1 });
    using other = open(gitDir, { lockTimeout: -1 });
    const creations = Array.from({ length: 40 }, (_, i) =>
      (i % 2 === 0 ? store : other).transaction([
        { type: 'create', ref: `refs/heads/${i >> 2}`, newOid: oid('1') },
      ]),
    );
    const results = await Promise.allSettled(creations);
    expect(results.map(({ status }) => status)).toEqual(
      results.map((_, i) => (i % 4 === 0 ? 'fulfilled' : 'rejected')),
    );
    for (const result of results) {
      if (result.status === 'rejected') {
        expect(result.reason).toMatchObject({ code: 'EXPECTED_OLD_VALUE' });
      }
    }
    expect([...store.refs()]).toEqual([...other.refs()]);
    expect([...store.refs()]).toHaveLength(10);
  });

  it('one that is under way is finished when its store is closed', async () => {
    const gitDir = emptyRepository();
    const store = open(gitDir);
    const update = { type: 'create', ref: 'refs/heads/a', newOid: oid('1') } as const;
    const first = store.transaction([update]);
    store.close();
    await first.catch((error) => expect(error).toMatchObject({ code: 'CLOSED' }));
    expect(existsSync(join(gitDir, 'reftable/tables.list.lock'))).toBe(false);
    using again = open(gitDir);
    await again.transaction([{ ...update, type: 'update' }]);
  });

  it('a transaction asks once whether the stack is current, however large it is', async () => {
    const asked = [];
    for (const count of [20, 2000]) {
      using store = open(emptyRepository('[core]\nlogAllRefUpdates = true\n')) as ReftableStore;
      await store.transaction([{ type: 'create', ref: 'refs/tags/first', newOid: oid('1') }]);
      const before = { ...store.stats };
      await store.transaction(
        Array.from({ length: count }, (_, i) => ({
          type: 'create',
          ref: `refs/tags/${i}`,
          newOid: oid('1'),
        })),
      );
      asked.push(store.stats.reloads - before.reloads);
      // The reflog policy asks of each tag whether it has a reflog.
      expect(store.stats.reloadsSkipped - before.reloadsSkipped).toBeGreaterThanOrEqual(count);
      expect([...store.refs()]).toHaveLength(count + 1);
    }
    expect(asked).toEqual([0, 0]);
  });
});

/**
 * Creates a ref of its own a transaction, and counts in one that it shares: that one is a number in hex,
 * which each increment expects to be as it read it.
 */
const WRITER = `
  import { openRefStore } from './src/index.ts';

  const [gitDir, name, count] = process.argv.slice(2);
  const store = openRefStore(gitDir, { lockTimeout: -1, fsync: false, objects: false });
  const ref = 'refs/counter/shared';
  for (let i = 0; i < Number(count); ) {
    const oldOid = store.read(ref)?.oid ?? '0'.repeat(40);
    const newOid = (Number('0x' + oldOid) + 1).toString(16).padStart(40, '0');
    try {
      await store.transaction(
        [
          { type: 'update', ref, newOid, oldOid },
          { type: 'create', ref: 'refs/writers/' + name + '/' + i, newOid },
        ],
        { createReflog: true, message: name },
      );
      i++;
    } catch (error) {
      if (error.code !== 'EXPECTED_OLD_VALUE') throw error;
    }
  }
`;

function bundledWriter(): string {
  const outfile = join(temporaryFolder(), 'writer.mjs');
  buildSync({
    stdin: {
      contents: WRITER,
      resolveDir: join(import.meta.dirname, '../..'),
      loader: 'ts',
    },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    alias: { 'graceful-fs': 'node:fs' },
    banner: {
      js: "import { createRequire as fromHere } from 'node:module'; const require = fromHere(import.meta.url);",
    },
    logLevel: 'warning',
  });
  return outfile;
}

async function ended(child: ChildProcess): Promise<void> {
  const [complaint, [code]] = await Promise.all([text(child.stderr!), once(child, 'close')]);
  expect(complaint).toBe('');
  expect(code).toBe(0);
}

describeWithGit('between processes', () => {
  it('all transactions of three writers and of Git land', async () => {
    const folder = temporaryFolder();
    const run = (...args: string[]) => git.output(args, { cwd: folder }).trimEnd();
    run('init', '-q', '--bare', '--ref-format=reftable');
    run('config', 'core.fsync', 'none');
    const commit = run('commit-tree', '-m', 'first', run('hash-object', '-wt', 'tree', '--stdin'));
    const writer = bundledWriter();
    const writers = ['x', 'y', 'z'].map((name) => {
      const args = [writer, folder, name, '30'];
      return ended(
        spawn(process.execPath, args, { env: ENVIRONMENT, stdio: ['ignore', 'ignore', 'pipe'] }),
      );
    });
    let done = false;
    const all = Promise.all(writers).finally(() => {
      done = true;
    });
    let created = 0;
    while (!done || created < 30) {
      const ref = `refs/heads/git-${created++}`;
      run('-c', 'reftable.lockTimeout=-1', 'update-ref', '--create-reflog', ref, commit);
      // Git blocks this process: the writers' ends are told in between.
      await new Promise(setImmediate);
    }
    await all;

    using store = open(folder);
    const names = [...store.refs()].map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('refs/writers/'))).toHaveLength(90);
    expect(names.filter((name) => name.startsWith('refs/heads/git-'))).toHaveLength(created);
    const log = [...store.reflog('refs/counter/shared', { order: 'oldest-first' })];
    expect(log.map(({ newOid }) => Number(`0x${newOid}`))).toEqual(
      Array.from({ length: 90 }, (_, i) => i + 1),
    );
    expect(
      log.every(({ oldOid, newOid }) => Number(`0x${oldOid}`) + 1 === Number(`0x${newOid}`)),
    ).toBe(true);
    const indexes = log.map(({ updateIndex }) => updateIndex);
    expect(indexes).toEqual([...new Set(indexes)].sort((a, b) => a - b));
  });
});
