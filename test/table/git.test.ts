// Tables that this library writes, as Git reads them, and tables that Git writes, rewritten.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type ObjectFormat, zeroOid } from '../../src/format/index.ts';
import type { LogRecord, RefRecord } from '../../src/table/index.ts';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { byBytes } from './arbitraries.ts';
import { expectSameTable, rewrite } from './rewrite.ts';
import {
  blockTypes,
  logEntry,
  type Options,
  openTable,
  type Records,
  writeTable,
} from './tables.ts';

/** A repository with objects for refs to point at. */
interface Repository {
  folder: string;
  reftable: string;
  objectFormat: ObjectFormat;
  commits: string[];
  /** An annotated tag of the first commit. */
  tag: string;
}

describeWithGit('Git reads a table that was written here', () => {
  it.each<[ObjectFormat, Options]>([
    ['sha1', {}],
    ['sha1', { blockSize: 512, restartInterval: 3 }],
    ['sha1', { blockSize: 65_536, indexObjects: false }],
    ['sha1', { aligned: false }],
    ['sha256', {}],
    ['sha256', { blockSize: 1024, restartInterval: 1 }],
    ['sha256', { blockSize: 0xffffff }],
  ])('%s, %o', (objectFormat, options) => {
    const repository = makeRepository(objectFormat);
    const { refs, logs } = manyRecords(repository);
    place(repository, [
      writeTable(
        { refs, logs },
        { objectFormat, minUpdateIndex: 1, maxUpdateIndex: 9, ...options },
      ),
    ]);
    expectGitToRead(repository, refs, logs);
  });

  it.each<ObjectFormat>(['sha1', 'sha256'])(
    'with tombstones over an older one: %s',
    (objectFormat) => {
      const repository = makeRepository(objectFormat);
      const older = manyRecords(repository);
      const deleted = (name: string) => name.endsWith('7');
      const newer: Records = {
        refs: older.refs
          .filter(({ name }) => deleted(name))
          .map(({ name }) => ({ name, updateIndex: 10 })),
        logs: older.logs
          .filter(({ name }) => deleted(name))
          .map(({ name, updateIndex }) => ({ name, updateIndex })),
      };
      expect(newer.refs.length).toBeGreaterThan(100);
      place(repository, [
        writeTable(older, { objectFormat, minUpdateIndex: 1, maxUpdateIndex: 9 }),
        writeTable(newer, { objectFormat, minUpdateIndex: 10, maxUpdateIndex: 10 }),
      ]);
      expectGitToRead(
        repository,
        older.refs.filter(({ name }) => !deleted(name)),
        older.logs.filter(({ name }) => !deleted(name)),
      );
    },
  );

  it('goes on from it: commits, compacts, and finds all that was there', () => {
    const repository = makeRepository('sha1');
    const { refs, logs } = manyRecords(repository);
    place(repository, [writeTable({ refs, logs }, { minUpdateIndex: 1, maxUpdateIndex: 9 })]);
    const cwd = repository.folder;
    git.output(['update-ref', 'refs/heads/zz', repository.commits[1]!], { cwd });
    git.output(['pack-refs'], { cwd });
    git.output(['update-ref', '-d', 'refs/heads/zz'], { cwd });
    git.output(['pack-refs'], { cwd });
    expectGitToRead(repository, refs, logs);
  });
});

describeWithGit('a table that Git writes', () => {
  it.each([
    ['sha1', 256, 1, true],
    ['sha1', 300, 2, true],
    ['sha1', 1000, 50, false],
    ['sha1', 4096, 65_535, true],
    ['sha1', 20_000, 16, true],
    ['sha256', 400, 5, true],
    ['sha256', 4096, 16, false],
  ] as const)(
    'is itself rewritten: %s, block size %i, restart interval %i, objects %o',
    (objectFormat, blockSize, restartInterval, indexObjects) => {
      const repository = makeRepository(objectFormat);
      const { folder, reftable, commits, tag } = repository;
      const settings = {
        blockSize,
        restartInterval,
        indexObjects,
        'core.logAllRefUpdates': 'always',
      };
      const config = Object.entries(settings).flatMap(([key, value]) => [
        '-c',
        `${key.includes('.') ? '' : 'reftable.'}${key}=${value}`,
      ]);
      const oids = [...commits, tag];
      const commands = Array.from({ length: 1500 }, (_, i) => {
        const name = `refs/${i % 3 === 0 ? 'tags' : 'remotes/origin'}/${(i * 7919) % 1500}-é`;
        return `create ${name} ${oids[i % oids.length]}\n`;
      });
      commands.push('symref-create refs/remotes/origin/HEAD refs/remotes/origin/1-é\n');
      const input = commands.join('');
      const cwd = folder;
      git.output([...config, 'update-ref', '-m', 'fetched', '--stdin'], { cwd, input });
      const deletions = commands.slice(0, 40).map((line) => `${line.replace('create', 'delete')}`);
      git.output([...config, 'update-ref', '--stdin'], { cwd, input: deletions.join('') });
      const written = tablesOf(reftable);
      git.output([...config, 'pack-refs'], { cwd });
      for (const bytes of [...written, ...tablesOf(reftable)]) {
        const table = openTable(bytes);
        expectSameTable(rewrite(table, { restartInterval, indexObjects }), bytes);
      }
      const types = tablesOf(reftable).map((bytes) => blockTypes(openTable(bytes)));
      expect(types.join('')).toContain('i');
    },
  );
});

function makeRepository(objectFormat: ObjectFormat): Repository {
  const folder = temporaryFolder();
  const cwd = folder;
  git.output(['init', '-q', '--ref-format=reftable', `--object-format=${objectFormat}`, '.'], {
    cwd,
  });
  const tree = git.output(['mktree'], { cwd }).trim();
  const commits = ['one', 'two', 'three'].map((message) =>
    git.output(['commit-tree', '-m', message, tree], { cwd }).trim(),
  );
  const tagText = `object ${commits[0]}\ntype commit\ntag v\ntagger T <t@example.com> 1 +0000\n\nv\n`;
  const tag = git.output(['mktag'], { cwd, input: tagText }).trim();
  return { folder, reftable: join(folder, '.git', 'reftable'), objectFormat, commits, tag };
}

/** 5,000 refs of every kind, and reflogs of one to three entries of every second one. */
function manyRecords({ commits, tag, objectFormat }: Repository): Records {
  const refs: RefRecord[] = [{ name: 'HEAD', updateIndex: 1, target: 'refs/heads/00001' }];
  const logs: LogRecord[] = [];
  for (let i = 0; i < 5000; i++) {
    const number = String(i).padStart(5, '0');
    const updateIndex = 1 + (i % 9);
    const oid = commits[i % commits.length]!;
    if (i % 5 === 0)
      refs.push({ name: `refs/tags/${number}`, updateIndex, oid: tag, peeled: commits[0] });
    else if (i % 50 === 1) refs.push({ name: `refs/heads/\u{1f600}${number}`, updateIndex, oid });
    else if (i % 50 === 2) {
      refs.push({ name: `refs/heads/${number}`, updateIndex, target: 'refs/heads/00003' });
    } else refs.push({ name: `refs/heads/${number}`, updateIndex, oid });
    if (i % 2 !== 0) continue;
    for (let n = 0; n <= i % 3; n++) {
      const entry = logEntry(`commit: ${i} ${n}\n`, {
        oldOid: n === 0 ? zeroOid(objectFormat) : oid,
        newOid: oid,
        time: 1_700_000_000 + i,
        timezone: [0, 530, -800, -30][i % 4]!,
      });
      logs.push({ name: refs.at(-1)!.name, updateIndex: 1 + n, entry });
    }
  }
  refs.push({ name: 'refs/heads/00001', updateIndex: 1, oid: commits[0]! });
  refs.push({ name: 'refs/heads/00003x', updateIndex: 1, oid: commits[0]! });
  return {
    refs: [...new Map(refs.map((ref) => [ref.name, ref])).values()].sort((a, b) =>
      byBytes(a.name, b.name),
    ),
    logs: logs.sort((a, b) => byBytes(a.name, b.name) || b.updateIndex - a.updateIndex),
  };
}

/** Makes the tables, oldest first, the stack of a repository. */
function place({ reftable }: Repository, tables: Buffer[]): void {
  for (const name of readdirSync(reftable)) rmSync(join(reftable, name));
  const names = tables.map((bytes, i) => {
    const { minUpdateIndex, maxUpdateIndex } = openTable(bytes);
    const hex = (index: number) => `0x${index.toString(16).padStart(12, '0')}`;
    const name = `${hex(minUpdateIndex)}-${hex(maxUpdateIndex)}-0000000${i}.ref`;
    writeFileSync(join(reftable, name), bytes);
    return name;
  });
  writeFileSync(join(reftable, 'tables.list'), names.map((name) => `${name}\n`).join(''));
}

function tablesOf(reftable: string): Buffer[] {
  const list = readFileSync(join(reftable, 'tables.list'), 'utf8').split('\n').slice(0, -1);
  return list.map((name) => readFileSync(join(reftable, name)));
}

function expectGitToRead(repository: Repository, refs: RefRecord[], logs: LogRecord[]): void {
  const cwd = repository.folder;
  const verified = git.run(['refs', 'verify'], { cwd });
  expect(verified).toMatchObject({ code: 0, stdout: '', stderr: '' });

  const byName = new Map(refs.map((ref) => [ref.name, ref]));
  const resolved = (ref: RefRecord): RefRecord =>
    ref.target === undefined ? ref : resolved(byName.get(ref.target)!);
  const format = '%(refname) %(objectname) %(*objectname) %(symref)';
  const shown = git.output(['for-each-ref', '--include-root-refs', `--format=${format}`], { cwd });
  expect(shown.split('\n').slice(0, -1)).toEqual(
    refs.map((ref) => {
      const { oid, peeled } = resolved(ref);
      return `${ref.name} ${oid} ${peeled ?? ''} ${ref.target ?? ''}`;
    }),
  );
  const points = git.output(
    ['for-each-ref', '--format=%(refname)', `--points-at=${repository.tag}`],
    { cwd },
  );
  expect(points.split('\n').slice(0, -1)).toEqual(
    refs.filter(({ oid }) => oid === repository.tag).map(({ name }) => name),
  );

  const names = [...new Set(logs.map(({ name }) => name))];
  expect(git.output(['reflog', 'list'], { cwd }).split('\n').slice(0, -1)).toEqual(names);
  // Git shows entries of commits only, and the tags here are of a tag object.
  const heads = names.filter((name) => name.startsWith('refs/heads/'));
  for (const name of heads.filter((_, i) => i % 150 === 1)) {
    const entries = git.output(
      ['log', '-g', '--date=raw', '--format=%H %gn %ge %gD %gs', name, '--'],
      { cwd },
    );
    expect(entries.split('\n').slice(0, -1)).toEqual(
      logs
        .filter((log) => log.name === name)
        .map(({ entry }) => {
          const { newOid, committerName, email, time, timezone, message } = entry!;
          const sign = timezone < 0 ? '-' : '+';
          const zone = `${sign}${String(Math.abs(timezone)).padStart(4, '0')}`;
          const selector = `${name}@{${time} ${zone}}`;
          return `${newOid} ${committerName} ${email} ${selector} ${message.trim()}`;
        }),
    );
  }
}
