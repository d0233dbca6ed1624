// 64 updates of one ref each, all forced to the disk: asked for at once in one process, where they share a
// commit; one after the other, where they cannot; and by a `git update-ref` each. Time is per update.

import { join } from 'node:path';
import { openRefStore } from '../../dist/index.js';
import { git, inFolder, interleave, makeRepository, report, run } from './bench.mjs';

const UPDATES = 64;
/** So that one fsync that is slow or fast by chance does not decide, and what is warm in a server is. */
const REPEATS = { together: 30, apart: 4 };
const SPAWNED = 32;

const refOf = (i) => `refs/heads/topic/n${String(i).padStart(3, '0')}`;

export async function bench() {
  await inFolder(async (folder) => {
    const sides = { together: inProcess(folder, 'together'), apart: inProcess(folder, 'apart') };
    const spawned = repository(folder, 'spawned');
    const times = await interleave(9, {
      together: () =>
        perUpdate(UPDATES * REPEATS.together, async () => {
          for (let i = 0; i < REPEATS.together; i++) await Promise.all(sides.together.updates());
        }),
      apart: () =>
        perUpdate(UPDATES * REPEATS.apart, async () => {
          for (let i = 0; i < REPEATS.apart; i++) {
            for (const update of sides.apart.updates()) await update;
          }
        }),
      git: () =>
        perUpdate(SPAWNED, () => {
          const oid = spawned.nextOid();
          for (let i = 0; i < SPAWNED; i++)
            run(git, ['-C', spawned.path, 'update-ref', refOf(i), oid]);
        }),
    });
    for (const { store } of Object.values(sides)) store.close();
    report(`${UPDATES} at once`, times.together, times.apart, 1 / 20, 'one by one');
    report(`${UPDATES} at once`, times.together, times.git, 1 / 50);
  });
}

/** A repository with two commits, which `nextOid` gives in turn: each update is a change. */
function repository(folder, name) {
  const path = join(folder, name);
  const commits = [makeRepository(path)];
  run(git, ['-C', path, 'commit', '-q', '--allow-empty', '-m', 'second']);
  commits.push(run(git, ['-C', path, 'rev-parse', 'HEAD']).trim());
  let turn = 0;
  return { path, nextOid: () => commits[turn++ % 2] };
}

function inProcess(folder, name) {
  const { path, nextOid } = repository(folder, name);
  const store = openRefStore(join(path, '.git'), { lockTimeout: -1 });
  return {
    store,
    /** Begins each update when it is asked for. */
    *updates() {
      const newOid = nextOid();
      for (let i = 0; i < UPDATES; i++) {
        yield store.transaction([{ type: 'update', ref: refOf(i), newOid }]);
      }
    },
  };
}

async function perUpdate(count, work) {
  const start = performance.now();
  await work();
  return (performance.now() - start) / count;
}
