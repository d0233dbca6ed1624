// isomorphic-git on a reftable repository, through the wrapper, beside isomorphic-git on loose refs: 10,000 branches in
// both. Neither forces anything to the disk.

import * as fs from 'node:fs';
import { join } from 'node:path';
import iso from 'isomorphic-git';
import { withReftable } from '../../dist/isomorphic-git.js';
import { git, inFolder, interleave, report, run } from './bench.mjs';

const REFS = 10_000;
const LOOKUPS = 500;
const UPDATES = 1_000;

const nameOf = (i) => `refs/heads/topic/n${String(i).padStart(5, '0')}`;

export async function bench() {
  await inFolder(async (folder) => {
    const wrapped = withReftable(fs, { fsync: false });
    const sides = {
      ours: makeSide(join(folder, 'reftable'), 'reftable', wrapped),
      theirs: makeSide(join(folder, 'files'), 'files', fs),
    };
    const expected = await iso.listBranches({ ...sides.theirs });
    const found = await iso.listBranches({ ...sides.ours });
    if (found.length !== REFS + 1 || found.join() !== expected.join()) {
      throw new Error('the two sides list different branches');
    }
    const timed = async (rounds, work) => {
      const each = (side) => async () => {
        const start = performance.now();
        await work(side);
        return performance.now() - start;
      };
      return interleave(rounds, { ours: each(sides.ours), theirs: each(sides.theirs) });
    };
    const show = (what, { ours, theirs }, goal) => report(what, ours, theirs, goal, 'loose');

    let turn = 0;
    const resolved = await timed(9, async (side) => {
      for (let i = 0; i < LOOKUPS; i++) {
        await iso.resolveRef({ ...side, ref: nameOf((turn++ * 7919) % REFS) });
      }
    });
    show(`resolveRef, ${LOOKUPS} times`, resolved, 0.5);
    show(`listBranches of ${REFS}`, await timed(9, (side) => iso.listBranches(side)), 0.3);

    const update = (side, i) =>
      iso.writeRef({ ...side, ref: nameOf(i), value: side.commits[side.round & 1], force: true });
    const atOnce = await timed(9, (side) => {
      side.round++;
      return Promise.all(Array.from({ length: UPDATES }, (_, i) => update(side, i)));
    });
    show(`writeRef of ${UPDATES} at once`, atOnce, 1.0);
    const inTurn = await timed(5, async (side) => {
      side.round++;
      for (let i = 0; i < UPDATES; i++) await update(side, i);
    });
    show(`writeRef of ${UPDATES} one by one`, inTurn, 1.0);
    await wrapped.close();
    for (const { dir, commits, round } of Object.values(sides)) {
      const value = run(git, ['-C', dir, 'rev-parse', nameOf(UPDATES - 1)]).trim();
      if (value !== commits[round & 1]) throw new Error(`${dir}: an update was lost`);
    }
  });
}

function makeSide(dir, format, fsGiven) {
  const inDir = (...args) => run(git, ['-C', dir, ...args]).trim();
  run(git, ['init', '-q', `--ref-format=${format}`, dir]);
  inDir('commit', '-q', '--allow-empty', '-m', 'first');
  inDir('commit', '-q', '--allow-empty', '-m', 'second');
  const commits = [inDir('rev-parse', 'HEAD'), inDir('rev-parse', 'HEAD~')];
  const input = Array.from({ length: REFS }, (_, i) => `create ${nameOf(i)} ${commits[0]}\n`);
  run(git, ['-C', dir, 'update-ref', '--stdin'], { input: input.join('') });
  return { fs: fsGiven, dir, commits, round: 0 };
}
