// Processes that write to one stack at the same time, each 500 updates of a ref of its own, one after the other:
// ours, and loops of `git update-ref`. As both come (ours forces each update to the disk, Git none), both without
// fsync, and both with. Each side waits for the lock as long as it takes.
//
// Beside the wall time of all: how long one update waits, at the 99th percentile. Ours is the time in which the
// lock was waited for, as the store tells. Git does not tell, so that it is the time of the whole call.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import {
  environment,
  git,
  inFolder,
  interleave,
  makeRepository,
  report,
  root,
  run,
} from './bench.mjs';

const UPDATES = 500;
const ROUNDS = 3;
/** The same by Git, as a shell does it: with Git's path, the repository, the ref and two object ids. */
const GIT_LOOP = `
times=
for ((i = 0; i < ${UPDATES}; i++)); do
  oid=$4
  if ((i % 2)); then oid=$5; fi
  start=\${EPOCHREALTIME/./}
  "$1" -C "$2" update-ref "$3" "$oid" || exit
  times+=,$((\${EPOCHREALTIME/./} - start))e-3
done
printf '[%s]' "\${times#,}"
`;
const self = fileURLToPath(import.meta.url);

const SETTINGS = [
  ['as they come', { fsync: true, config: [] }],
  ['without fsync', { fsync: false, config: ['core.fsync=none'] }],
  ['with fsync', { fsync: true, config: ['core.fsync=reference'] }],
];

export async function bench() {
  for (const processes of [8, 2]) {
    for (const [what, setting] of SETTINGS) {
      await compare(`${processes} processes, ${what}`, processes, setting);
    }
  }
}

async function compare(what, processes, { fsync, config }) {
  await inFolder(async (folder) => {
    const waits = { ours: [], git: [] };
    let turn = 0;
    const side = (name) => async () => {
      const path = join(folder, `${turn++}`);
      const oids = repository(path, config);
      const start = performance.now();
      const writers = Array.from({ length: processes }, (_, i) =>
        startWriter({
          gitCommand: name === 'git' ? git : undefined,
          path,
          ref: `refs/heads/writer-${i}`,
          oids,
          fsync,
        }),
      );
      const waited = (await Promise.all(writers)).flat();
      const time = performance.now() - start;
      check(path, processes, oids);
      waits[name].push(...waited);
      return time;
    };
    const times = await interleave(ROUNDS, { ours: side('ours'), git: side('git') });
    report(what, times.ours, times.git, 0.5);
    const percentile = (list) => list.sort((a, b) => a - b)[Math.floor(list.length * 0.99)];
    console.log(
      `  99th percentile: ours waits ${percentile(waits.ours).toFixed(1)} ms for the lock,` +
        ` a call of git takes ${percentile(waits.git).toFixed(1)} ms`,
    );
  });
}

/** A repository with two commits, which are written in turn. */
function repository(path, config) {
  const first = makeRepository(path);
  for (const setting of ['reftable.lockTimeout=-1', ...config]) {
    run(git, ['-C', path, 'config', ...setting.split('=')]);
  }
  run(git, ['-C', path, 'commit', '-q', '--allow-empty', '-m', 'second']);
  return [first, run(git, ['-C', path, 'rev-parse', 'HEAD']).trim()];
}

/** Gives how long each update waited, ms. */
async function startWriter(orders) {
  const [command, args] =
    orders.gitCommand === undefined
      ? [process.execPath, [self, JSON.stringify(orders)]]
      : [
          'bash',
          ['-c', GIT_LOOP, 'bash', orders.gitCommand, orders.path, orders.ref, ...orders.oids],
        ];
  const child = spawn(command, args, { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`a writer ended with ${code}`);
  return JSON.parse(printed);
}

/** Every ref has its last value, and every update is in its reflog. */
function check(path, processes, oids) {
  for (let i = 0; i < processes; i++) {
    const ref = `refs/heads/writer-${i}`;
    const log = run(git, ['-C', path, 'reflog', 'show', '--format=%H', ref, '--']);
    const expected = Array.from({ length: UPDATES }, (_, k) => `${oids[k % 2]}\n`).reverse();
    if (log !== expected.join('')) throw new Error(`an update of ${ref} was lost`);
  }
}

/** Makes the updates and prints how long each waited. */
async function write({ path, ref, oids, fsync }) {
  const { openRefStore } = await import(join(root, 'dist', 'index.js'));
  const store = openRefStore(join(path, '.git'), { fsync, lockTimeout: -1 });
  const waits = [];
  for (let i = 0; i < UPDATES; i++) {
    const before = store.stats.lockWait;
    await store.transaction([{ type: 'update', ref, newOid: oids[i % 2] }]);
    waits.push(store.stats.lockWait - before);
  }
  console.log(JSON.stringify(waits));
}

// Called by itself, with what a writer has to do.
if (process.argv[1] === self) await write(JSON.parse(process.argv[2]));
