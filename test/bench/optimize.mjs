// `pack-refs` on a million refs and a small table, as whole processes; and how long `optimize` holds the event
// loop of a process that has other things to do.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  cli,
  copyFolder,
  environment,
  git,
  inFolder,
  interleave,
  makeRepository,
  median,
  report,
  reportLimit,
  root,
  run,
} from './bench.mjs';

const REFS = 1_000_000;
const LIMIT_MS = 10;
const SERVERS = 7;
const self = fileURLToPath(import.meta.url);

export async function bench() {
  await inFolder(async (folder) => {
    const original = join(folder, 'original');
    const commit = makeRepository(original);
    const create = (from, count, stride) =>
      Array.from({ length: count }, (_, i) => {
        const number = String(from + i * stride).padStart(7, '0');
        return `create refs/heads/topic/n${number} ${commit}\n`;
      }).join('');
    const commands = join(folder, 'commands');
    const apply = (text, autoCompaction) => {
      writeFileSync(commands, text);
      const env = { ...environment, GIT_TEST_REFTABLE_AUTOCOMPACTION: autoCompaction };
      run('sh', ['-c', `"${git}" -C "${original}" update-ref --stdin < "${commands}"`], { env });
    };
    apply(create(0, REFS, 2), '1');
    apply(create(100_001, 10, 20_000), '0');
    const copy = join(folder, 'copy');
    const packing =
      (command, ...args) =>
      () => {
        copyFolder(original, copy);
        const start = performance.now();
        run(command, args);
        return performance.now() - start;
      };
    const times = await interleave(7, {
      ours: packing(process.execPath, cli, '-C', copy, 'pack-refs'),
      git: packing(git, '-C', copy, 'pack-refs'),
    });
    report('pack-refs, a million refs and a small table', times.ours, times.git, 0.7);

    const delays = [];
    for (let i = 0; i < SERVERS; i++) {
      copyFolder(original, copy);
      delays.push(JSON.parse(run(process.execPath, [self, join(copy, '.git'), commit])));
    }
    const middle = (percentile) => median(delays.map((delay) => delay[percentile]));
    reportLimit('event-loop delay, 99th percentile', middle('p99'), LIMIT_MS, 'ms');
    console.log(`  the longest: ${middle('max')} ms`);
  });
}

/** A process that has served before compacts; prints for how long its event loop was held meanwhile, ms. */
async function serve(gitDir, commit) {
  const { openRefStore } = await import(join(root, 'dist', 'index.js'));
  const store = openRefStore(gitDir);
  await store.transaction([{ type: 'update', ref: 'refs/heads/served', newOid: commit }]);
  await store.idle();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await after(50);
  delay.enable();
  await store.optimize();
  delay.disable();
  store.close();
  const ms = (nanoseconds) => Math.round(nanoseconds / 1e5) / 10;
  console.log(JSON.stringify({ p99: ms(delay.percentile(99)), max: ms(delay.max) }));
}

// Called by itself, with a repository and a commit in it.
if (process.argv[1] === self) await serve(process.argv[2], process.argv[3]);
