// What the benchmarks share: whole processes and functions timed side by side in one run, interleaved, so
// that only ratios are read off; and a table of the results.

import { spawnSync } from 'node:child_process';
import { closeSync, cpSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const cli = join(root, 'dist', 'cli.cjs');
export const git = process.env.REFTABLE_TEST_GIT ?? 'git';

const identity = { NAME: 'A U Thor', EMAIL: 'author@example.com', DATE: '@1700000000 +0000' };

/** The environment of every process that is timed: the same for both sides, and nobody's own settings. */
export const environment = {
  PATH: process.env.PATH,
  HOME: tmpdir(),
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  ...Object.fromEntries(
    Object.entries(identity).map(([key, value]) => [`GIT_AUTHOR_${key}`, value]),
  ),
  ...Object.fromEntries(
    Object.entries(identity).map(([key, value]) => [`GIT_COMMITTER_${key}`, value]),
  ),
};

/** Runs a command that has to succeed; returns its output as text. */
export function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    env: environment,
    maxBuffer: 1 << 30,
    encoding: 'utf8',
    ...options,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: exit ${status}\n${stderr}`);
  return stdout;
}

/** Calls `use` with a new folder, which is removed afterwards. */
export async function inFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'reftable-bench-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A repository with one commit, made by Git; returns the commit. */
export function makeRepository(folder, settings = []) {
  const options = settings.flatMap((setting) => ['-c', setting]);
  run(git, [...options, 'init', '-q', '--ref-format=reftable', folder]);
  run(git, ['-C', folder, 'commit', '-q', '--allow-empty', '-m', 'first']);
  return run(git, ['-C', folder, 'rev-parse', 'HEAD']).trim();
}

/** Makes Git give a repository so many branches of one commit, without reflogs and in one table. */
export function makeBranches(folder, count, commit) {
  const list = join(folder, 'updates');
  const descriptor = openSync(list, 'w');
  let piece = '';
  for (let i = 0; i < count; i++) {
    piece += `create refs/heads/topic/n${String(i).padStart(7, '0')} ${commit}\n`;
    if (piece.length < 1 << 20 && i + 1 < count) continue;
    writeSync(descriptor, piece);
    piece = '';
  }
  closeSync(descriptor);
  const input = openSync(list);
  run(git, ['-C', folder, 'config', 'core.logAllRefUpdates', 'false']);
  run(git, ['-C', folder, 'update-ref', '--stdin'], { stdio: [input, 'ignore', 'pipe'] });
  closeSync(input);
  run(git, ['-C', folder, 'pack-refs', '--all']);
}

/** Copies a folder, replacing what is there. */
export function copyFolder(from, to) {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true });
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/**
 * Calls each of `sides` in turn, `rounds` times after one to warm up; a side returns how long what counts
 * took, ms, or nothing, and then the whole call counts. Gives the medians by name.
 */
export async function interleave(rounds, sides) {
  const times = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const [name, side] of Object.entries(sides)) {
      const start = performance.now();
      const counted = await side();
      const time = counted ?? performance.now() - start;
      if (round >= 0) times[name].push(time);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
}

/** Prints one comparison: what was measured, both sides, and their ratio beside the goal. */
export function report(what, ours, theirs, goal, other = 'git') {
  const ratio = ours / theirs;
  const verdict = ratio <= goal ? 'met' : 'MISSED';
  const show = (ms) => (ms < 1 ? `${(ms * 1000).toFixed(1)} µs` : `${ms.toFixed(1)} ms`);
  const shown = ratio < 0.05 ? `1/${Math.round(1 / ratio)}` : ratio.toFixed(2);
  const goalShown = goal < 0.05 ? `1/${Math.round(1 / goal)}` : goal.toFixed(2);
  console.log(
    `${what.padEnd(46)} ours ${show(ours).padStart(10)}   ${other} ${show(theirs).padStart(10)}` +
      `   ratio ${shown.padStart(6)}   goal ${goalShown.padStart(6)}   ${verdict}`,
  );
}

/** Prints one number beside its limit. */
export function reportLimit(what, value, limit, unit) {
  const verdict = value <= limit ? 'met' : 'MISSED';
  console.log(`${what.padEnd(46)} ${value} ${unit}   limit ${limit}   ${verdict}`);
}
