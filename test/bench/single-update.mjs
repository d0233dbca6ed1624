// One ref updated at a time in a long-lived process, forced to the disk as always, beside a `git update-ref`
// each, which forces nothing: the median of 1,000, the two sides taking turns.

import { join } from 'node:path';
import { openRefStore } from '../../dist/index.js';
import { git, inFolder, makeRepository, median, report, run } from './bench.mjs';

const UPDATES = 1000;
/** So that what is measured is a process that has run for a while. */
const WARM_UP = 200;

export async function bench() {
  await inFolder(async (folder) => {
    const sides = ['ours', 'git'].map((name) => {
      const path = join(folder, name);
      const commits = [makeRepository(path)];
      run(git, ['-C', path, 'commit', '-q', '--allow-empty', '-m', 'second']);
      commits.push(run(git, ['-C', path, 'rev-parse', 'HEAD']).trim());
      return { path, commits, times: [] };
    });
    const [ours, theirs] = sides;
    const store = openRefStore(join(ours.path, '.git'), { lockTimeout: -1 });
    const ref = 'refs/heads/topic';
    const update = {
      ours: (newOid) => store.transaction([{ type: 'update', ref, newOid }]),
      git: (newOid) => run(git, ['-C', theirs.path, 'update-ref', ref, newOid]),
    };
    for (let i = -WARM_UP; i < UPDATES; i++) {
      for (const [name, side] of [
        ['ours', ours],
        ['git', theirs],
      ]) {
        const start = performance.now();
        await update[name](side.commits[i & 1]);
        if (i >= 0) side.times.push(performance.now() - start);
      }
    }
    await store.idle();
    store.close();
    for (const { path, commits } of sides) {
      const log = run(git, ['-C', path, 'reflog', 'show', '--format=%H', ref, '--']).trim();
      const entries = log.split('\n');
      if (entries.length !== WARM_UP + UPDATES || entries[0] !== commits[(UPDATES - 1) & 1]) {
        throw new Error(`${path}: an update was lost`);
      }
    }
    report('one update of one ref', median(ours.times), median(theirs.times), 0.1);
  });
}
