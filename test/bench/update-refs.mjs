// 50,000 refs created by one `update-ref --stdin`, as tags (where Git looks for a reflog of each) and as
// branches (each with a reflog entry): wall time of whole processes, system calls and peak memory.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

const REFS = 50_000;
const STAT_CALLS = /^\d+ +(?:stat|lstat|fstat|statx|newfstatat|fstatat64)\(/;
const WRITE_CALLS = /^\d+ +(?:write|writev|pwrite64|pwritev2?)\(/;

export async function bench() {
  await inFolder(async (folder) => {
    const base = join(folder, 'base');
    const work = join(folder, 'work');
    const oid = makeRepository(base);
    for (const kind of ['tags', 'heads']) {
      const input = Array.from(
        { length: REFS },
        (_, i) => `create refs/${kind}/n${String(i).padStart(6, '0')} ${oid}\n`,
      ).join('');
      const commands = {
        ours: [process.execPath, [cli, 'update-ref', '--stdin']],
        git: [git, ['update-ref', '--stdin']],
      };
      const timed = (name) => () => {
        copyFolder(base, work);
        const start = performance.now();
        run(...commands[name], { cwd: work, input });
        return performance.now() - start;
      };
      verifySame(base, work, commands, input);
      const times = await interleave(9, { ours: timed('ours'), git: timed('git') });
      report(`update-ref --stdin, ${REFS} ${kind}`, times.ours, times.git, 0.6);
      countCalls(folder, base, work, commands, input, kind);
      measureMemory(base, work, commands.ours, input, kind);
    }
  });
}

/** Both sides have to leave the same refs and reflogs. */
function verifySame(base, work, commands, input) {
  const results = Object.values(commands).map((command) => {
    copyFolder(base, work);
    run(...command, { cwd: work, input });
    const refs = run(git, ['-C', work, 'for-each-ref', '--include-root-refs']);
    const logs = run(git, ['-C', work, 'reflog', 'list']);
    return refs + logs;
  });
  if (results[0] !== results[1]) throw new Error('the two sides left different refs');
}

/** Counts calls by strace; those that Node makes to start an empty program are told apart. */
function countCalls(folder, base, work, commands, input, kind) {
  if (spawnSync('strace', ['-V']).error) {
    console.log('  (system calls not counted: strace is not installed)');
    return;
  }
  const empty = join(folder, 'empty.cjs');
  writeFileSync(empty, '');
  const trace = ([command, args], input) => {
    const file = join(folder, 'trace');
    copyFolder(base, work);
    run('strace', ['-f', '-o', file, command, ...args], { cwd: work, input });
    const lines = readFileSync(file, 'latin1').split('\n');
    return {
      stats: lines.filter((line) => STAT_CALLS.test(line)).length,
      writes: lines.filter((line) => WRITE_CALLS.test(line)).length,
    };
  };
  const node = trace([process.execPath, [empty]], '');
  const ours = trace(commands.ours, input);
  const theirs = trace(commands.git, input);
  console.log(
    `  ${kind}: stat family: ours ${ours.stats} (${node.stats} of them Node's own start), git ${theirs.stats};` +
      ` write family: ours ${ours.writes} (${node.writes}), git ${theirs.writes}`,
  );
  reportLimit('  stat calls beyond starting Node', ours.stats - node.stats, 20, 'calls');
  reportLimit('  write calls', ours.writes, 60, 'calls');
}

function measureMemory(base, work, [command, args], input, kind) {
  if (!existsSync('/usr/bin/time')) return;
  copyFolder(base, work);
  const { stderr } = spawnSync('/usr/bin/time', ['-f', '%M', command, ...args], {
    cwd: work,
    input,
    env: environment,
    encoding: 'utf8',
  });
  reportLimit(`  peak memory, ${kind}`, Math.round(Number(stderr.trim()) / 1024), 150, 'MiB');
}
