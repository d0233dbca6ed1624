// Compaction beside Git: twin repositories that are given the same updates have the same tables after every
// step. And a reader whose tables are compacted away, by us and by Git, reads on.

import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { describeStack } from '../../src/cli/stack-view.ts';
import { openRefStore, type RefUpdate } from '../../src/index.ts';
import { tableName } from '../../src/stack/tables-list.ts';
import { nodeCompression } from '../../src/storage/node-compression.ts';
import { TableWriter } from '../../src/table/table-writer.ts';
import { describeWithGit, ENVIRONMENT, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const OPTIONS = { env: ENVIRONMENT, fsync: false };

interface Repository {
  path: string;
  /** Of three commits. */
  oids: readonly string[];
}

/** A bare repository without reflogs, with these settings. */
function makeRepository(settings: readonly string[] = [], objectFormat = 'sha1'): Repository {
  const path = temporaryFolder();
  const run = (...args: string[]) => git.output(args, { cwd: path }).trimEnd();
  run('init', '-q', '--bare', '--ref-format=reftable', `--object-format=${objectFormat}`);
  for (const setting of ['core.logAllRefUpdates=false', ...settings]) {
    run('config', ...setting.split('='));
  }
  const tree = run('hash-object', '-wt', 'tree', '--stdin');
  return { path, oids: ['1', '2', '3'].map((name) => run('commit-tree', '-m', name, tree)) };
}

/** Numbers below a bound, the same for the same seed. */
function seeded(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

/** The refs of twins, to make steps that change them: names mapped to values. */
class Steps {
  readonly #below: (bound: number) => number;
  readonly #oids: readonly string[];
  readonly #refs = new Map<string, string>();

  constructor(seed: number, oids: readonly string[]) {
    this.#below = seeded(seed);
    this.#oids = oids;
  }

  /** One update of one of 60 refs. */
  one(): RefUpdate[] {
    return [this.#update(`refs/heads/n${this.#below(60)}`, 4)];
  }

  /** Between `least` and `most` of `names` refs; one in `deletes` that exists is deleted, none if 0. */
  many(least: number, most: number, names: number, deletes: number): RefUpdate[] {
    const count = least + this.#below(most - least + 1);
    const numbers = new Set<number>();
    while (numbers.size < count) numbers.add(this.#below(names));
    return Array.from(numbers, (n) => this.#update(`refs/tags/t${n}`, deletes));
  }

  #update(ref: string, deletes: number): RefUpdate {
    const old = this.#refs.get(ref);
    if (old !== undefined && deletes > 0 && this.#below(deletes) === 0) {
      this.#refs.delete(ref);
      return { type: 'delete', ref };
    }
    const newOid = this.#oids[this.#below(this.#oids.length)]!;
    this.#refs.set(ref, newOid);
    return old === undefined ? { type: 'create', ref, newOid } : { type: 'update', ref, newOid };
  }
}

/** Gives Git the updates: a single one as arguments, several on standard input. */
function updateByGit(cwd: string, updates: readonly RefUpdate[]): void {
  const commands = updates.map((update) =>
    update.type === 'delete' ? ['-d', update.ref] : [update.ref, (update as ByOid).newOid],
  );
  if (commands.length === 1) {
    git.output(['update-ref', ...commands[0]!], { cwd });
    return;
  }
  const lines = commands.map(([first, second]) =>
    first === '-d' ? `delete ${second}\n` : `update ${first} ${second}\n`,
  );
  git.output(['update-ref', '--stdin'], { cwd, input: lines.join('') });
}

type ByOid = Extract<RefUpdate, { newOid: string }>;

/** What the tables of a repository are, but for the random part of their names. */
function tablesOf(path: string) {
  const { tables } = describeStack(join(path, 'reftable'));
  return tables.map(({ name, ratioToNext, ...rest }) => rest);
}

/** Makes the steps in both repositories; gives the largest number of tables there were. */
async function compareSteps(
  settings: readonly string[],
  objectFormat: string,
  makeSteps: (repository: Repository) => Iterable<RefUpdate[]>,
): Promise<number> {
  const ofGit = makeRepository(settings, objectFormat);
  const ours = makeRepository(settings, objectFormat);
  using store = openRefStore(ours.path, OPTIONS);
  let deepest = 0;
  let step = 0;
  for (const updates of makeSteps(ofGit)) {
    updateByGit(ofGit.path, updates);
    await store.transaction(updates);
    await store.idle();
    const tables = tablesOf(ours.path);
    expect(tables, `step ${++step}`).toEqual(tablesOf(ofGit.path));
    deepest = Math.max(deepest, tables.length);
  }
  return deepest;
}

describeWithGit('the tables after each update are Git’s', () => {
  it.each([
    { settings: [], objectFormat: 'sha1', count: 300 },
    { settings: ['reftable.geometricFactor=3'], objectFormat: 'sha1', count: 300 },
    { settings: ['reftable.geometricFactor=5'], objectFormat: 'sha1', count: 300 },
    { settings: ['reftable.blockSize=512'], objectFormat: 'sha1', count: 100 },
    { settings: [], objectFormat: 'sha256', count: 100 },
  ])('of one ref: $settings $objectFormat', async ({ settings, objectFormat, count }) => {
    const deepest = await compareSteps(settings, objectFormat, function* ({ oids }) {
      const steps = new Steps(count, oids);
      for (let i = 0; i < count; i++) yield steps.one();
    });
    expect(deepest).toBeGreaterThan(1);
  });

  it.each([
    { settings: [], objectFormat: 'sha1', seed: 1 },
    { settings: ['reftable.geometricFactor=3'], objectFormat: 'sha1', seed: 2 },
    { settings: ['reftable.geometricFactor=5'], objectFormat: 'sha1', seed: 3 },
    { settings: [], objectFormat: 'sha256', seed: 4 },
  ])('of one ref, several or many: $settings $objectFormat', async (each) => {
    const { settings, objectFormat, seed } = each;
    const deepest = await compareSteps(settings, objectFormat, function* ({ oids }) {
      const steps = new Steps(seed, oids);
      const choose = seeded(seed);
      for (let i = 0; i < 120; i++) {
        const kind = choose(10);
        if (kind < 4) yield steps.one();
        else if (kind < 7) yield steps.many(2, 200, 2000, 3);
        // Of those that only set refs, some are merged with older tables while they are written.
        else yield steps.many(600, 1500, 2000, kind === 7 ? 3 : 0);
      }
    });
    expect(deepest).toBeGreaterThan(2);
  });
});

const REFS = 1_000_000;
/** Where compactions come between. */
const SLICES = 11;
const nameOf = (i: number) => `refs/heads/topic/n${String(i).padStart(7, '0')}`;
/** Scattered: Git takes hours to index ids that come in order, in a tree that becomes a list. */
const oidOf = (i: number) =>
  (Math.imul(i + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0').padEnd(40, '1');

/** Puts a table of a million refs behind those of a repository. */
function addManyRefs(path: string): void {
  const updateIndex = 2;
  const writer = new TableWriter({
    compression: nodeCompression,
    minUpdateIndex: updateIndex,
    maxUpdateIndex: updateIndex,
  });
  for (let i = 0; i < REFS; i++) writer.addRef({ name: nameOf(i), updateIndex, oid: oidOf(i) });
  const name = tableName(updateIndex, updateIndex);
  writeFileSync(join(path, 'reftable', name), Buffer.concat(writer.finish().chunks));
  const list = join(path, 'reftable/tables.list');
  writeFileSync(list, `${readFileSync(list, 'latin1')}${name}\n`);
}

/** Changes of refs from first to last: existing ones deleted and moved, new ones in between. */
function changes(round: number, newOid: string): RefUpdate[] {
  return Array.from({ length: 600 }, (_, i): RefUpdate => {
    const ref = nameOf(Math.floor((i * REFS) / 600) + round);
    if (i % 3 === 0) return { type: 'delete', ref };
    if (i % 3 === 1) return { type: 'update', ref, newOid };
    return { type: 'create', ref: `${ref}-${round}`, newOid };
  });
}

/** The files that this process has open though nobody finds them any more. */
function removedFilesOpen(folder: string): string[] {
  const open: string[] = [];
  for (const descriptor of readdirSync('/proc/self/fd')) {
    try {
      open.push(readlinkSync(`/proc/self/fd/${descriptor}`));
    } catch {
      // That of the listing itself.
    }
  }
  return open.filter((path) => path.startsWith(folder) && path.endsWith('.ref (deleted)'));
}

describeWithGit('a snapshot of a million refs', () => {
  it('is read to its end while ten compactions replace its tables', async () => {
    const { path, oids } = makeRepository();
    addManyRefs(path);
    using reading = openRefStore(path, OPTIONS);
    using writing = openRefStore(path, OPTIONS);
    const snapshot = reading.snapshot();
    const refs = snapshot.refs();
    let number = 0;
    const wrong: unknown[] = [];
    for (let slice = 1; slice <= SLICES; slice++) {
      for (const end = Math.floor((slice * REFS) / SLICES); number < end; number++) {
        const ref = refs.next().value;
        if (ref?.name !== nameOf(number) || ref.oid !== oidOf(number)) wrong.push(ref);
      }
      if (slice === SLICES) break;
      const updates = changes(slice, oids[slice % 3]!);
      if (slice % 2 === 0) {
        updateByGit(path, updates);
        git.output(['pack-refs'], { cwd: path });
      } else {
        await writing.transaction(updates);
        await writing.optimize();
      }
      expect(readdirSync(join(path, 'reftable'))).toHaveLength(2);
    }
    expect(wrong).toEqual([]);
    expect(refs.next()).toEqual({ done: true, value: undefined });

    const deleted = nameOf(1);
    expect(snapshot.read(deleted)?.oid).toBe(oidOf(1));
    expect(reading.read(deleted)).toBeUndefined();
    expect(Array.from(reading.refs()).length).toBe(REFS);
    writing.close();
    if (process.platform === 'linux') {
      // A large file is closed in the background.
      await vi.waitFor(() => expect(removedFilesOpen(path)).toHaveLength(1));
      snapshot.close();
      await vi.waitFor(() => expect(removedFilesOpen(path)).toEqual([]));
    }
  }, 240_000);
});
