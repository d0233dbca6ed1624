// `pack-refs` on a million refs and a small table, as whole processes; and how long `optimize` holds the event
// loop of a process that has other things to do.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as after } from 'node:timers/promises';
import { openRefStore } from '../../dist/index.js';
import {
  cli,
  copyFolder,
  environment,
  git,
  inFolder,
  interleave,
  makeRepository,
  report,
  reportLimit,
  run,
} from './bench.mjs';

const REFS = 1_000_000;
const LIMIT_MS = 10;

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

    copyFolder(original, copy);
    const store = openRefStore(join(copy, '.git'));
    const delay = monitorEventLoopDelay({ resolution: 1 });
    await after(50);
    delay.enable();
    await store.optimize();
    delay.disable();
    store.close();
    const ms = (nanoseconds) => Math.round(nanoseconds / 1e5) / 10;
    reportLimit(
      'event-loop delay meanwhile, 99th percentile',
      ms(delay.percentile(99)),
      LIMIT_MS,
      'ms',
    );
    console.log(`  the longest: ${ms(delay.max)} ms`);
  });
}
