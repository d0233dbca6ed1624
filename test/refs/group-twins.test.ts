// The same transactions, all at once in one repository and one by one in its twin: the same verdicts, refs and
// reflogs, and the same to Git.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { openRefStore, type RefStore, type RefUpdate } from '../../src/index.ts';
import { describeWithGit, ENVIRONMENT, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Names in each other's way, and names that UTF-16 and bytes order in different ways. */
const ENDS = ['a', 'a/b', 'a/b/c', 'a-b', 'b', 'é', '😀', '～'];
const NAMES = [
  'HEAD',
  ...ENDS.map((end) => `refs/heads/${end}`),
  ...['a', 'a/b', 'logged'].map((end) => `refs/tags/${end}`),
];

interface Transaction {
  updates: RefUpdate[];
  createReflog: boolean;
}

let original: string;
let transactions: fc.Arbitrary<Transaction[]>;

beforeAll(() => {
  original = temporaryFolder();
  const run = (...args: string[]) => git.output(args, { cwd: original }).trimEnd();
  run('init', '-q', '--bare', '--ref-format=reftable');
  run('config', 'core.logAllRefUpdates', 'true');
  const tree = run('hash-object', '-wt', 'tree', '--stdin');
  const commits = ['1', '2', '3'].map((name) => run('commit-tree', '-m', name, tree));
  for (const commit of commits) run('update-ref', 'HEAD', commit);
  run('update-ref', '--create-reflog', 'refs/tags/logged', commits[0]!);
  transactions = transactionsOf(commits);
});

function transactionsOf(commits: readonly string[]): fc.Arbitrary<Transaction[]> {
  const ref = fc.constantFrom(...NAMES);
  const newOid = fc.constantFrom(...commits);
  const oldOid = fc.option(fc.constantFrom(...commits, '0'.repeat(40)), { nil: undefined });
  const knownOid = fc.option(newOid, { nil: undefined });
  const deref = fc.boolean();
  const newTarget = fc.constantFrom(...NAMES, 'refs/heads/absent');
  const oldTarget = fc.option(newTarget, { nil: undefined });
  const type = <T extends RefUpdate['type']>(name: T) => fc.constant(name);
  const update: fc.Arbitrary<RefUpdate> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ type: type('create'), ref, newOid, deref }) },
    { weight: 6, arbitrary: fc.record({ type: type('update'), ref, newOid, deref }) },
    { weight: 4, arbitrary: fc.record({ type: type('update'), ref, newOid, oldOid, deref }) },
    { weight: 4, arbitrary: fc.record({ type: type('delete'), ref, deref }) },
    fc.record({ type: type('delete'), ref, oldOid: knownOid, deref }),
    fc.record({ type: type('verify'), ref, oldOid, deref }),
    fc.record({ type: type('symref-create'), ref, newTarget }),
    fc.record({ type: type('symref-update'), ref, newTarget, oldTarget }),
    fc.record({ type: type('symref-delete'), ref, oldTarget }),
  );
  const updates = fc.oneof(
    { weight: 3, arbitrary: fc.tuple(update) },
    fc.array(update, { minLength: 1, maxLength: 4 }),
  );
  const createReflog = fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true));
  return fc.array(fc.record({ updates, createReflog }), { minLength: 2, maxLength: 40 });
}

/** Opens a copy of the original. */
function copy(): { path: string; store: RefStore } {
  const path = join(temporaryFolder(), 'copy');
  const objects = join(original, 'objects');
  cpSync(original, path, { recursive: true, filter: (file) => file !== objects });
  return { path, store: openRefStore(path, { env: ENVIRONMENT, fsync: false, lockTimeout: -1 }) };
}

const begin = (store: RefStore, { updates, createReflog }: Transaction, i: number) =>
  store.transaction(updates, { message: `number ${i}`, createReflog });

function verdict(result: PromiseSettledResult<{ updateIndex: number | undefined }>) {
  return result.status === 'fulfilled'
    ? result.value.updateIndex
    : `${result.reason.code}: ${result.reason.message}`;
}

function stateOf(store: RefStore) {
  const reflogs = [...store.reflogNames()].map((name) => [name, [...store.reflog(name)]]);
  return { refs: [...store.refs({ includeRoot: true })], reflogs };
}

/** What Git reads of refs and reflogs. */
function toGit(path: string) {
  const options = { cwd: path, env: { GIT_OBJECT_DIRECTORY: join(original, 'objects') } };
  const run = (...args: string[]) => {
    const { code, stdout, stderr } = git.run(args, options);
    return { code, stdout, stderr };
  };
  const format = '%(refname) %(objectname) %(symref)';
  const names = run('reflog', 'list').stdout.split('\n').filter(Boolean);
  const entry = '--format=%gD %H %gn %ge %gs';
  return {
    problems: run('refs', 'verify'),
    refs: run('for-each-ref', '--include-root-refs', `--format=${format}`),
    reflogs: names.map((name) => [name, run('log', '-g', '--date=raw', entry, name)]),
  };
}

async function runBoth(sequence: readonly Transaction[]) {
  const together = copy();
  const apart = copy();
  using grouped = together.store;
  using single = apart.store;
  const atOnce = await Promise.allSettled(sequence.map((each, i) => begin(grouped, each, i)));
  const oneByOne: typeof atOnce = [];
  for (const [i, each] of sequence.entries()) {
    oneByOne.push(...(await Promise.allSettled([begin(single, each, i)])));
  }
  expect(atOnce.map(verdict)).toEqual(oneByOne.map(verdict));
  expect(stateOf(grouped)).toEqual(stateOf(single));
  const indexes = atOnce.map(verdict).filter((each) => typeof each === 'number');
  expect(indexes).toEqual(indexes.map((_, i) => indexes[0]! + i));
  return { together, apart };
}

describeWithGit('transactions at once', () => {
  it('come to what they come to one by one, whatever they are', async () => {
    await fc.assert(
      fc.asyncProperty(transactions, async (sequence) => {
        await runBoth(sequence);
      }),
      { numRuns: 150 },
    );
  });

  it('look the same to Git', async () => {
    await fc.assert(
      fc.asyncProperty(transactions, async (sequence) => {
        const { together, apart } = await runBoth(sequence);
        const seen = toGit(together.path);
        expect(seen).toEqual(toGit(apart.path));
        // HEAD may lead anywhere here, of which Git tells.
        const problems = seen.problems.stderr.replace(/^error: HEAD: badHeadTarget: .*\n/m, '');
        expect(problems).toBe('');
      }),
      { numRuns: 10 },
    );
  });
});
