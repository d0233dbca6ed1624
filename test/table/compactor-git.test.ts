// Compaction beside Git's: the same stack compacted by both, and Git reading what was compacted here.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { CompactionOptions } from '../../src/table/compaction/compactor.ts';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { compact } from './compaction.ts';
import { expectSameTable } from './rewrite.ts';
import { openTable, recordsOf } from './tables.ts';

/** Git leaves a stack as it is while one is made. */
const NO_COMPACTION = { GIT_TEST_REFTABLE_AUTOCOMPACTION: '0' };

interface Repository {
  cwd: string;
  reftable: string;
  commits: string[];
}

function makeRepository(objectFormat: string, settings: Record<string, string>): Repository {
  const cwd = temporaryFolder();
  git.output(['init', '-q', '--ref-format=reftable', `--object-format=${objectFormat}`], { cwd });
  for (const [key, value] of Object.entries(settings)) git.output(['config', key, value], { cwd });
  const tree = git.output(['mktree'], { cwd }).trim();
  const commits = Array.from({ length: 12 }, (_, i) =>
    git.output(['commit-tree', '-m', `${i}`, tree], { cwd }).trim(),
  );
  return { cwd, reftable: join(cwd, '.git', 'reftable'), commits };
}

function update({ cwd }: Repository, commands: string[]): void {
  const input = commands.map((command) => `${command}\n`).join('');
  git.output(['update-ref', '-m', 'some change', '--stdin'], { cwd, input, env: NO_COMPACTION });
}

function names({ reftable }: Repository): string[] {
  return readFileSync(join(reftable, 'tables.list'), 'utf8').trim().split('\n');
}

function read(repository: Repository): Buffer[] {
  return names(repository).map((name) => readFileSync(join(repository.reftable, name)));
}

/** Compacts the whole stack here, then lets Git do it; both files. */
function compactBoth(repository: Repository, options: Partial<CompactionOptions>) {
  const tables = read(repository).map((bytes) => openTable(bytes));
  expect(tables.length).toBeGreaterThan(1);
  const ours = compact(tables, options).bytes;
  git.output(['pack-refs'], { cwd: repository.cwd });
  const theirs = read(repository);
  expect(theirs.length).toBe(1);
  return { ours, theirs: theirs[0]! };
}

/** All that Git reads from the repository. */
function gitReads({ cwd, commits }: Repository): string[] {
  const format = '--format=%(refname) %(objectname) %(symref)';
  const logs = git.output(['reflog', 'list'], { cwd }).trim().split('\n').filter(Boolean);
  return [
    git.output(['refs', 'verify'], { cwd }),
    git.output(['for-each-ref', '--include-root-refs', format], { cwd }),
    ...commits.map((oid) => git.output(['for-each-ref', format, `--points-at=${oid}`], { cwd })),
    ...logs
      .filter((_, i) => i % 97 === 0)
      .map((name) => git.output(['log', '-g', '--format=%H %gn %gs', name, '--'], { cwd })),
    ...logs,
  ];
}

/** Makes one table the whole stack. */
function place({ reftable }: Repository, bytes: Buffer): void {
  for (const name of readdirSync(reftable)) rmSync(join(reftable, name));
  const { minUpdateIndex, maxUpdateIndex } = openTable(bytes);
  const hex = (index: number) => `0x${index.toString(16).padStart(12, '0')}`;
  const name = `${hex(minUpdateIndex)}-${hex(maxUpdateIndex)}-0123abcd.ref`;
  writeFileSync(join(reftable, name), bytes);
  writeFileSync(join(reftable, 'tables.list'), `${name}\n`);
}

describeWithGit('a stack compacted here and by Git', () => {
  it.each([
    ['sha1', { blockSize: 256, restartInterval: 16, indexObjects: true }],
    ['sha1', { blockSize: 1024, restartInterval: 3, indexObjects: false }],
    ['sha256', { blockSize: 4096, restartInterval: 16, indexObjects: true }],
  ] as const)('is the same, byte for byte: %s, %o', (objectFormat, layout) => {
    const repository = makeRepository(objectFormat, {
      'core.logAllRefUpdates': 'always',
      ...Object.fromEntries(
        Object.entries(layout).map(([key, value]) => [`reftable.${key}`, `${value}`]),
      ),
    });
    const { commits } = repository;
    for (let t = 0; t < 6; t++) {
      const commands = Array.from(
        { length: 60 },
        (_, i) => `update refs/heads/${(i * 7 + t * 31) % 200}-é ${commits[(i + t) % 12]}`,
      );
      update(repository, commands);
      if (t > 0) update(repository, [`delete refs/heads/${t * 31}-é`]);
    }
    update(repository, ['symref-create refs/heads/symbolic refs/heads/7-é']);
    const { ours, theirs } = compactBoth(repository, {
      ...layout,
      objectFormat,
      minCopiedBlocks: Number.POSITIVE_INFINITY,
    });
    expectSameTable(ours, theirs);
  });

  it.each([
    ['sha1', 'always'],
    ['sha256', 'false'],
  ] as const)(
    'has the same records where blocks were copied, and Git reads them: %s, reflogs %s',
    (objectFormat, logAllRefUpdates) => {
      const repository = makeRepository(objectFormat, {
        'core.logAllRefUpdates': logAllRefUpdates,
        'reftable.blockSize': '1024',
      });
      const { commits, cwd } = repository;
      const ref = (i: number) => `refs/heads/topic-${String(i).padStart(5, '0')}`;
      update(
        repository,
        Array.from({ length: 6000 }, (_, i) => `create ${ref(i)} ${commits[(i * 5) % 12]}`),
      );
      git.output(['pack-refs'], { cwd });
      update(
        repository,
        [100, 101, 3000].map((i) => `update ${ref(i)} ${commits[11]}`),
      );
      update(repository, [`delete ${ref(200)}`, `delete ${ref(4000)}`]);
      update(repository, [
        `create ${ref(2500)}-new ${commits[3]}`,
        `create refs/heads/a ${commits[4]}`,
        `create refs/tags/z ${commits[5]}`,
      ]);
      const before = gitReads(repository);
      const { ours, theirs } = compactBoth(repository, { objectFormat, blockSize: 1024 });
      expect(recordsOf(openTable(ours))).toEqual(recordsOf(openTable(theirs)));
      // Blocks were copied: written anew, each would be as full as Git's.
      expect(ours.equals(theirs)).toBe(false);
      place(repository, ours);
      expect(gitReads(repository)).toEqual(before);
      // And Git goes on from it.
      update(repository, [`delete ${ref(5000)}`]);
      git.output(['pack-refs'], { cwd });
      expect(git.output(['refs', 'verify'], { cwd })).toBe('');
      expect(git.run(['rev-parse', '-q', '--verify', ref(5000)], { cwd }).code).toBe(1);
    },
  );
});
