// One repository, written by Git and by the library in turn: both read the same from it, and Git finds
// nothing wrong with it.

import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openRefStore, type RefStore, type RefUpdate } from '../../src/index.ts';
import { describeWithGit, ENVIRONMENT, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const NAMES = ['a', 'b', 'b-c', 'd/e', 'd/f', 'é', '😀', '～'];
const ROUNDS = 5;
const STEPS = 12;

/** A step of one side: which, with what, and how. */
const step = fc.record({
  byGit: fc.boolean(),
  kind: fc.nat(7),
  name: fc.constantFrom(...NAMES),
  other: fc.constantFrom(...NAMES),
  commit: fc.nat(2),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

class Repository {
  readonly gitDir: string;
  readonly bare: boolean;
  readonly commits: readonly string[];
  private readonly folder: string;

  constructor(objectFormat: string, bare: boolean) {
    this.bare = bare;
    this.folder = temporaryFolder();
    this.gitDir = bare ? this.folder : join(this.folder, '.git');
    const kind = bare ? ['--bare'] : [];
    this.run('init', '-q', ...kind, '--ref-format=reftable', `--object-format=${objectFormat}`);
    this.run('config', 'core.fsync', 'none');
    const tree = this.run('hash-object', '-wt', 'tree', '--stdin');
    this.commits = ['1', '2', '3'].map((name) => this.run('commit-tree', '-m', name, tree));
    this.run('update-ref', 'HEAD', this.commits[0]!);
  }

  run(...args: string[]): string {
    return git.output(args, { cwd: this.folder }).trimEnd();
  }

  /** Whether Git did it. */
  tryRun(args: readonly string[]): boolean {
    return git.run(args, { cwd: this.folder }).code === 0;
  }

  /** All refs with what they come to, as Git reads them. */
  refs(): string[] {
    const format = '%(refname)%00%(objectname)%00%(symref)';
    return this.run('for-each-ref', '--include-root-refs', `--format=${format}`).split('\n');
  }

  /** All reflogs, newest first, as Git reads them. */
  reflogs(): string[] {
    const names = this.run('reflog', 'list').split('\n');
    const format = '--format=%gD%x00%H%x00%gn%x00%ge%x00%gs';
    return names.flatMap((name) =>
      this.run('log', '-g', '--date=raw', format, name, '--').split('\n'),
    );
  }

  /** What Git says of a repository with which nothing is wrong: nothing. */
  complaints(): string {
    const checks = [
      ['refs', 'verify'],
      ['fsck', '--strict', '--no-dangling', '--no-progress'],
    ];
    const results = checks.map((args) => git.run(args, { cwd: this.folder }));
    return results.map(({ stdout, stderr, code }) => stdout + stderr + (code || '')).join('');
  }
}

function refsOf(store: RefStore): string[] {
  return [...store.refs({ includeRoot: true })].map(({ name, target }) =>
    [name, store.resolve(name)?.oid, target ?? ''].join('\0'),
  );
}

/** Git does not show an entry that ends with no commit, as it writes one where a branch is renamed. */
function reflogsOf(store: RefStore): string[] {
  return [...store.reflogNames()].flatMap((name) =>
    [...store.reflog(name)]
      .filter(({ newOid }) => !/^0+$/.test(newOid))
      .map(({ newOid, committer, message }) => {
        const zone = Math.abs(committer.timezone);
        const hhmm = Math.floor(zone / 60) * 100 + (zone % 60);
        const date = `${committer.time} ${committer.timezone < 0 ? '-' : '+'}${String(hhmm).padStart(4, '0')}`;
        return [`${name}@{${date}}`, newOid, committer.name, committer.email, message].join('\0');
      }),
  );
}

/** Each entry of a reflog goes on from where the one before it left off. */
function expectChains(store: RefStore): void {
  for (const name of store.reflogNames()) {
    const [newest, ...older] = store.reflog(name);
    let later = newest!;
    for (const entry of older) {
      expect(later.oldOid, name).toBe(entry.newOid);
      later = entry;
    }
  }
}

/** What Git does at one step; it may refuse, as where a branch is in the way of another. */
function commandOfGit(repository: Repository, { kind, name, other, commit }: Step): string[] {
  const oid = repository.commits[commit]!;
  switch (kind) {
    case 0:
      return ['branch', '-f', name, oid];
    case 1:
      return ['tag', '-f', name, oid];
    case 2: {
      // In a bare repository, Git would let HEAD dangle; a dangling symref it does not list.
      const isHead = repository.run('symbolic-ref', 'HEAD') === `refs/heads/${name}`;
      return isHead ? ['pack-refs'] : ['branch', '-D', name];
    }
    case 3:
      return ['branch', '-m', name, other];
    case 4: {
      const branch = `refs/heads/${name}`;
      const isThere = repository.tryRun(['rev-parse', '-q', '--verify', branch]);
      return ['symbolic-ref', '-m', 'points', 'HEAD', isThere ? branch : 'refs/heads/main'];
    }
    case 5:
      if (repository.bare) return ['update-ref', '-m', 'moves', 'HEAD', oid];
      return ['commit', '-q', '--allow-empty', '-m', `on ${name}`];
    case 6:
      return ['tag', '-m', 'annotated', '-f', name, oid];
    default:
      return ['pack-refs'];
  }
}

/** What the library does at one; whether it did. */
async function stepOfOurs(store: RefStore, repository: Repository, step: Step): Promise<boolean> {
  const { kind, name, other, commit } = step;
  const newOid = repository.commits[commit]!;
  const [branch, tag] = [`refs/heads/${name}`, `refs/tags/${name}`];
  const head = store.read('HEAD')?.target;
  const isHead = branch === head;
  const updates: Record<number, RefUpdate[]> = {
    0: [{ type: 'update', ref: branch, newOid }],
    1: [
      { type: 'update', ref: tag, newOid },
      { type: 'verify', ref: head!, oldOid: store.resolve('HEAD')!.oid },
    ],
    // A branch that is checked out stays.
    2: isHead ? [] : [{ type: 'delete', ref: branch, deref: false }],
    3: [{ type: 'create', ref: `refs/remotes/origin/${name}`, newOid }],
    4: store.resolve(branch) ? [{ type: 'symref-update', ref: 'HEAD', newTarget: branch }] : [],
    5: [{ type: 'update', ref: 'HEAD', newOid }],
    6: [{ type: 'delete', ref: tag }],
    7: [{ type: 'update', ref: `refs/notes/${other}`, newOid }],
  };
  const message = `step\n${kind} of ${name}`;
  try {
    const { updateIndex } = await store.transaction(updates[kind]!, { message });
    return updateIndex !== undefined;
  } catch (error) {
    expect((error as { code: string }).code).toMatch(/^(NAME_CONFLICT|EXPECTED_OLD_VALUE)$/);
    return false;
  }
}

describeWithGit('Git and the library in one repository', () => {
  it.each([
    ['sha1', true],
    ['sha1', false],
    ['sha256', true],
    ['sha256', false],
  ])('read the same, %s, bare: %s', async (objectFormat, bare) => {
    const repository = new Repository(objectFormat, bare);
    if (bare) repository.run('config', 'core.logAllRefUpdates', 'true');
    using store = openRefStore(repository.gitDir, { env: ENVIRONMENT, fsync: false });
    expect(store.objectFormat).toBe(objectFormat);
    const seed = objectFormat.length * 2 + Number(bare);
    const steps = fc.sample(step, { seed, numRuns: ROUNDS * STEPS });
    const done = { git: 0, ours: 0 };
    for (const [i, at] of steps.entries()) {
      if (at.byGit) done.git += Number(repository.tryRun(commandOfGit(repository, at)));
      else done.ours += Number(await stepOfOurs(store, repository, at));
      if ((i + 1) % STEPS !== 0) continue;
      expect(refsOf(store)).toEqual(repository.refs());
      expect(reflogsOf(store)).toEqual(repository.reflogs());
      expectChains(store);
    }
    expect(repository.complaints()).toBe('');
    expect(Math.min(done.git, done.ours)).toBeGreaterThan((ROUNDS * STEPS) / 6);
  });
});
