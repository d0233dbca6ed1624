// `reftable demo`, which `npm start` runs: the library at work in a repository made for it, or what it
// reads from a repository that is there.

import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monotonicNow } from '../../clock.ts';
import { RefError } from '../../errors.ts';
import type { ReflogEntry, RefReader, RefStore } from '../../refs/ref-store.ts';
import { openBackend } from '../../repository/backend.ts';
import { initRepository } from '../../repository/init.ts';
import { parseArguments } from '../arguments.ts';
import { UsageError } from '../failure.ts';
import { stdout } from '../output.ts';
import { describeStack, drawStack, findGitDir } from '../stack-view.ts';
import { bold, columns, dim, formatCount, plural, printable } from '../text-layout.ts';

export const help = `usage: reftable demo [<path>]

Without a path: makes a repository in a temporary folder, writes to it from several sides at once, shows
its refs, a reflog and its stack of tables, and removes it. With one: shows the repository there.
`;

/** How much of a repository that is there to show. */
const MAX_REFS = 20;
const MAX_LOG_ENTRIES = 10;
const ABBREVIATION = 7;

const WRITERS = 4;
const COMMITS = 6;

/** Settings of nobody's, so that the demonstration is the same everywhere. */
const ENVIRONMENT = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_COMMITTER_NAME: 'Ada Demo',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};

export async function run(args: readonly string[]): Promise<number> {
  const { operands } = parseArguments(args, {});
  if (operands.length > 1) throw new UsageError();
  if (operands[0] !== undefined) {
    const gitDir = findGitDir(operands[0]);
    showRepository(openBackend(gitDir), gitDir);
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), 'reftable-demo-'));
  try {
    await demonstrate(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  stdout.write(
    `\n${dim('The folder is removed. Show a repository of yours: npm start -- <path>')}\n`,
  );
  return 0;
}

async function demonstrate(folder: string): Promise<void> {
  const { gitDir } = await initRepository(folder, { initialBranch: 'main', env: ENVIRONMENT });
  tell(`Made a repository that Git opens, in ${folder}`);
  using store = openBackend(gitDir, { env: ENVIRONMENT, lockTimeout: 10_000, objects: false });
  await commitToMain(store);
  await writeAtOnce(store);
  await race(store);
  showRepository(store, gitDir);
}

/** Moves the branch that HEAD names, as commits do: each update is logged for both. */
async function commitToMain(store: RefStore): Promise<void> {
  for (let i = 1; i <= COMMITS; i++) {
    const message = i === 1 ? 'commit (initial): begin' : `commit: step ${i}`;
    await store.transaction([{ type: 'update', ref: 'HEAD', newOid: inventOid(i) }], { message });
  }
  const newOid = inventOid(COMMITS);
  await store.transaction([{ type: 'create', ref: 'refs/tags/v1', newOid }]);
  tell(`Moved main ${COMMITS} times through HEAD, and tagged it`);
}

async function writeAtOnce(store: RefStore): Promise<void> {
  const started = monotonicNow();
  const branches = ['api', 'docs', 'tests'];
  await Promise.all(
    Array.from({ length: WRITERS }, (_, writer) =>
      store.transaction(
        branches.map((branch) => ({
          type: 'create' as const,
          ref: `refs/heads/writer-${writer + 1}/${branch}`,
          newOid: inventOid(`${writer} ${branch}`),
        })),
        { message: `branch: created by writer ${writer + 1}` },
      ),
    ),
  );
  const took = (monotonicNow() - started).toFixed(1);
  tell(`${WRITERS} writers at once made ${branches.length} branches each, in ${took} ms`);
}

/** Two writers that saw the same value both want to replace it. */
async function race(store: RefStore): Promise<void> {
  const oldOid = store.resolve('refs/heads/main')!.oid;
  const outcomes = await Promise.allSettled(
    ['left', 'right'].map((side) =>
      store.transaction(
        [{ type: 'update', ref: 'refs/heads/main', newOid: inventOid(side), oldOid }],
        { message: `push: from the ${side}` },
      ),
    ),
  );
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue;
    const { reason } = outcome;
    if (!(reason instanceof RefError)) throw reason;
    tell(`Two writers raced for main, and one was refused: ${dim(reason.message)}`);
  }
}

function showRepository(store: RefStore, gitDir: string): void {
  using snapshot = store.snapshot();
  showRefs(snapshot);
  showReflog(snapshot, 'HEAD');
  stdout.write(`\n${drawStack(describeStack(join(gitDir, 'reftable')))}`);
}

function showRefs(refs: RefReader): void {
  const rows: string[][] = [];
  let count = 0;
  for (const { name, oid, target } of refs.refs({ includeRoot: true })) {
    if (++count > MAX_REFS) continue;
    const value = target === undefined ? oid : `-> ${printable(target)}`;
    rows.push([printable(name), value]);
  }
  stdout.write(`\n${bold('refs')}  ${plural(count, 'ref')}\n`);
  stdout.write(columns(rows, ['left', 'left'], '  '));
  if (count > MAX_REFS) stdout.write(dim(`  … and ${formatCount(count - MAX_REFS)} more\n`));
}

function showReflog(refs: RefReader, name: string): void {
  const entries: ReflogEntry[] = [];
  for (const entry of refs.reflog(name)) if (entries.push(entry) === MAX_LOG_ENTRIES) break;
  stdout.write(`\n${bold(`reflog of ${name}`)}\n`);
  if (entries.length === 0) stdout.write(dim('  empty\n'));
  const rows = entries.map(({ newOid, message, committer }, i) => [
    newOid.slice(0, ABBREVIATION),
    `${name}@{${i}}`,
    printable(committer.name),
    printable(message),
  ]);
  stdout.write(columns(rows, ['left', 'left', 'left', 'left'], '  '));
}

function tell(what: string): void {
  stdout.write(`• ${what}\n`);
}

/** An object id of an object that does not exist; the refs do not mind. */
function inventOid(seed: string | number): string {
  return createHash('sha1').update(`demo ${seed}`).digest('hex');
}
