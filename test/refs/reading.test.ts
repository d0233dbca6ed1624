// What a store and its snapshots answer, and what they hold open while they do.

import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeEach, describe, expect, it } from 'vitest';
import { encodeText } from '../../src/format/text.ts';
import type { RefReader, RefStore, RefsOptions } from '../../src/index.ts';
import { fixture } from '../support/fixtures.ts';
import { repositoryOf } from '../support/repository.ts';
import { emptyRepository, oid, open } from './empty-repository.ts';

/** Large enough that its table is read block by block, from an open file. */
const MANY = 60_000;

let gitDir: string;
let store: RefStore;
beforeEach(() => {
  gitDir = emptyRepository();
  store = open(gitDir);
  return () => store.close();
});

const create = (names: readonly string[], digit = '1') =>
  store.transaction(names.map((ref) => ({ type: 'create', ref, newOid: oid(digit) })));

const namesOf = (reader: RefReader, options?: RefsOptions) =>
  [...reader.refs(options)].map(({ name }) => name);

const bytesOf = (name: string) => Buffer.from(encodeText(name));

describe('refs()', () => {
  const below = ['a', 'a-b', 'a.b', 'a/b', 'é', '～', '😀', '\udcfe', '\udcff', 'z'];
  const names = ['HEAD', 'ORIG_HEAD', 'X', ...below.map((end) => `refs/heads/${end}`), 'refs/x'];
  const shuffled = [...names].reverse();

  it('gives names in the order of their bytes, whatever order they came in', async () => {
    const free = shuffled.filter((name) => name !== 'refs/heads/a/b');
    await create(free);
    const ordered = free.toSorted((a, b) => Buffer.compare(bytesOf(a), bytesOf(b)));
    // X is a ref of its own kind that is listed nowhere, as in Git.
    const listed = ordered.filter((name) => name !== 'X');
    expect(namesOf(store, { includeRoot: true })).toEqual(listed);
    expect(namesOf(store)).toEqual(listed.filter((name) => name.startsWith('refs/')));
    expect(store.read('X')).toMatchObject({ oid: oid('1') });
  });

  it('selects what a filter over all of them selects', async () => {
    await create(names.filter((name) => name !== 'refs/heads/a'));
    const all = namesOf(store, { includeRoot: true });
    const prefixes = ['', 'H', 'HEAD', 'ORIG', 'r', 'refs', 'refs/', 'refs/heads/', 'refs/heads/a'];
    const starts = [
      ...names,
      '',
      'A',
      'refs/',
      'refs/heads/a',
      'refs/heads/a\udc80',
      'refs/y',
      '😀',
    ];
    for (const prefix of [...prefixes, 'refs/heads/～', 'refs/heads/\udcff', 'none', undefined]) {
      for (const after of [...starts, undefined]) {
        for (const includeRoot of [true, false, undefined]) {
          const expected = all.filter(
            (name) =>
              (includeRoot === true || name.startsWith('refs/')) &&
              (prefix === undefined || name.startsWith(prefix)) &&
              (after === undefined || Buffer.compare(bytesOf(name), bytesOf(after)) > 0),
          );
          expect(
            namesOf(store, { prefix, after, includeRoot }),
            JSON.stringify({ prefix, after, includeRoot }),
          ).toEqual(expected);
        }
      }
    }
  });

  it('goes on with what it began with, whatever is written meanwhile', async () => {
    await create(['refs/heads/a', 'refs/heads/b', 'refs/heads/c']);
    const refs = store.refs();
    const log = store.reflogNames();
    expect(refs.next().value).toMatchObject({ name: 'refs/heads/a' });
    await store.transaction([
      { type: 'delete', ref: 'refs/heads/b' },
      { type: 'update', ref: 'refs/heads/c', newOid: oid('2') },
      { type: 'create', ref: 'refs/heads/d', newOid: oid('2') },
    ]);
    expect([...refs]).toMatchObject([
      { name: 'refs/heads/b', oid: oid('1') },
      { name: 'refs/heads/c', oid: oid('1') },
    ]);
    expect(refs.next()).toEqual({ done: true, value: undefined });
    expect([...log]).toEqual([]);
    expect(namesOf(store)).toEqual(['refs/heads/a', 'refs/heads/c', 'refs/heads/d']);
  });
});

describe('reading', () => {
  it('tells refs and symrefs apart, and follows them', async () => {
    await create(['refs/heads/main']);
    await store.transaction([
      { type: 'symref-create', ref: 'HEAD', newTarget: 'refs/heads/main' },
      { type: 'symref-create', ref: 'refs/heads/unborn-alias', newTarget: 'refs/heads/unborn' },
    ]);
    const main = { name: 'refs/heads/main', oid: oid('1'), updateIndex: 1 };
    expect(store.read('HEAD')).toEqual({ name: 'HEAD', target: 'refs/heads/main', updateIndex: 2 });
    expect(store.resolve('HEAD')).toEqual(main);
    expect(store.read('refs/heads/main')).toEqual(main);
    expect(store.resolve('refs/heads/unborn-alias')).toBeUndefined();
    expect(store.read('refs/heads/unborn')).toBeUndefined();
    expect(store.resolve('refs/heads/unborn')).toBeUndefined();
    for (const name of [
      '',
      'refs',
      'refs/heads',
      'refs/heads/',
      'refs/heads/mai',
      'no such\0name',
    ]) {
      expect(store.read(name)).toBeUndefined();
      expect(store.hasReflog(name)).toBe(false);
      expect([...store.reflog(name)]).toEqual([]);
    }
  });

  it('follows at most five steps, and no circle', async () => {
    await create(['refs/x/0']);
    for (let i = 1; i <= 5; i++) {
      await store.transaction([
        { type: 'symref-create', ref: `refs/x/${i}`, newTarget: `refs/x/${i - 1}` },
      ]);
    }
    await store.transaction([{ type: 'symref-create', ref: 'refs/o', newTarget: 'refs/o' }]);
    expect(store.resolve('refs/x/4')).toMatchObject({ name: 'refs/x/0' });
    for (const name of ['refs/x/5', 'refs/o']) {
      expect(() => store.resolve(name)).toThrow(
        expect.objectContaining({ code: 'SYMREF_DEPTH', ref: name }),
      );
    }
  });

  it('finds the refs of an object id in any case', async () => {
    await create(['refs/heads/a', 'refs/heads/b'], 'f');
    await create(['refs/heads/c'], '1');
    const found = [...store.refsPointingAt('F'.repeat(40))].map(({ name }) => name);
    expect(found).toEqual(['refs/heads/a', 'refs/heads/b']);
    expect([...store.refsPointingAt(oid('2'))]).toEqual([]);
  });

  it('gives a reflog in either order', async () => {
    for (const digit of ['1', '2', '3']) {
      const update = { type: 'update', ref: 'refs/heads/a', newOid: oid(digit) } as const;
      await store.transaction([update], { message: `to ${digit}`, createReflog: true });
    }
    const newestFirst = [...store.reflog('refs/heads/a')];
    expect(newestFirst.map(({ message }) => message)).toEqual(['to 3', 'to 2', 'to 1']);
    expect([...store.reflog('refs/heads/a', { order: 'newest-first' })]).toEqual(newestFirst);
    const oldestFirst = [...store.reflog('refs/heads/a', { order: 'oldest-first' })];
    expect(oldestFirst).toEqual(newestFirst.toReversed());
    expect(oldestFirst[0]).toMatchObject({ oldOid: oid('0'), newOid: oid('1'), updateIndex: 1 });
  });
});

describe('an empty reflog, which Git left', () => {
  const emptied = fixture('empty-reflog');
  const ref = 'refs/tags/logged';

  it('is there, without an entry', () => {
    using reader = open(repositoryOf(emptied));
    expect(reader.hasReflog(ref)).toBe(true);
    expect([...reader.reflogNames()]).toContain(ref);
    expect([...reader.reflog(ref)]).toEqual([]);
    expect([...reader.reflog(ref, { order: 'oldest-first' })]).toEqual([]);
  });

  it('is written to, and goes with its ref', async () => {
    using writer = open(repositoryOf(emptied));
    await writer.transaction([{ type: 'update', ref, newOid: oid('1') }], { message: 'moved' });
    expect([...writer.reflog(ref)]).toMatchObject([{ newOid: oid('1'), message: 'moved' }]);
    await writer.transaction([{ type: 'delete', ref }]);
    expect(writer.hasReflog(ref)).toBe(false);
    expect([...writer.reflogNames()]).not.toContain(ref);
  });
});

describe('closing', () => {
  const questions: [string, (reader: RefReader) => unknown][] = [
    ['read', (reader) => reader.read('HEAD')],
    ['resolve', (reader) => reader.resolve('HEAD')],
    ['refs', (reader) => [...reader.refs()]],
    ['refsPointingAt', (reader) => [...reader.refsPointingAt(oid('1'))]],
    ['reflog', (reader) => [...reader.reflog('HEAD')]],
    ['hasReflog', (reader) => reader.hasReflog('HEAD')],
    ['reflogNames', (reader) => [...reader.reflogNames()]],
  ];
  const closed = expect.objectContaining({ code: 'CLOSED' });

  it.each(questions)('refuses %s of a closed snapshot and a closed store', (_, ask) => {
    const snapshot = store.snapshot();
    ask(snapshot);
    snapshot.close();
    snapshot.close();
    expect(() => ask(snapshot)).toThrow(closed);
    ask(store);
    store.close();
    store.close();
    expect(() => ask(store)).toThrow(closed);
  });

  it('refuses transactions and snapshots of a closed store', async () => {
    store.close();
    expect(() => store.snapshot()).toThrow(closed);
    await expect(create(['refs/heads/a'])).rejects.toThrow(closed);
  });

  it('comes with the end of a block', async () => {
    let kept: RefReader;
    {
      using snapshot = store.snapshot();
      kept = snapshot;
      expect(kept.read('HEAD')).toBeUndefined();
    }
    expect(() => kept.read('HEAD')).toThrow(closed);
    {
      using other = open(gitDir);
      kept = other;
    }
    expect(() => kept.read('HEAD')).toThrow(closed);
  });

  it('leaves the snapshots of a closed store usable', async () => {
    await create(['refs/heads/a']);
    const snapshot = store.snapshot();
    store.close();
    expect(namesOf(snapshot)).toEqual(['refs/heads/a']);
    snapshot.close();
  });
});

/** The tables, and the list of them, that this process has open. */
function openFiles(): string[] {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(join('/proc/self/fd', fd));
    } catch {
      return '';
    }
  });
  return links.filter((link) => link.startsWith(join(gitDir, 'reftable')));
}

/** Collects garbage until `done`, which finalizers bring about. */
async function collectUntil(done: () => boolean): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let attempt = 0; attempt < 100 && !done(); attempt++) {
    collect();
    await setImmediate();
  }
}

describe.runIf(process.platform === 'linux')('open files', () => {
  const many = Array.from({ length: MANY }, (_, i) => `refs/tags/${String(i).padStart(6, '0')}`);
  const tables = () => openFiles().filter((file) => !file.includes('tables.list')).length;

  it('are those of a snapshot until it is closed, and of an iterator until it ends', async () => {
    await create(many);
    expect(tables()).toBe(1);
    const snapshot = store.snapshot();
    const broken = store.refs();
    const finished = store.refs({ prefix: 'refs/tags/0599' });
    broken.next();
    store.close();
    expect(tables()).toBe(1);
    for (const _ of broken) break;
    expect(tables()).toBe(1);
    expect([...finished]).toHaveLength(100);
    expect(tables()).toBe(1);
    snapshot.close();
    // A list that was replaced is closed in the background.
    await expect.poll(openFiles).toEqual([]);
  });

  it('are given back when a snapshot or an iterator is forgotten', async () => {
    await create(many);
    (() => {
      store.snapshot();
      store.refs().next();
      store.reflogNames();
      store.refsPointingAt(oid('1')).next();
    })();
    store.close();
    expect(tables()).toBe(1);
    await collectUntil(() => tables() === 0);
    await expect.poll(openFiles).toEqual([]);
  });
});
