// Reading from a million refs in one table: a name looked up hot, in a store opened anew, and all names
// and object ids listed; in this process, beside Git's processes.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRefStore } from '../../dist/index.js';
import { readHead } from '../../dist/read.cjs';
import { git, inFolder, interleave, makeRepository, report, run } from './bench.mjs';

const REFS = 1_000_000;
const HOT_LOOKUPS = 20_000;
const HEADS = 500;

const nameOf = (i) => `refs/heads/topic/n${String(i).padStart(7, '0')}`;
/** Some name, another one each time, from all over the table. */
const pick = (turn) => nameOf((turn * 7919) % REFS);

export async function bench() {
  await inFolder(async (folder) => {
    makeRepository(folder);
    run(git, ['-C', folder, 'config', 'core.logAllRefUpdates', 'false']);
    const gitDir = join(folder, '.git');
    // In a process of its own: what it needs would make each later start of Git slower, and so look bad.
    run(process.execPath, [fileURLToPath(import.meta.url), gitDir]);
    run(git, ['-C', folder, 'pack-refs', '--all']);

    const store = openRefStore(gitDir);
    verifySame(folder, store);
    const hot = await interleave(9, {
      ours() {
        const start = performance.now();
        for (let i = 0; i < HOT_LOOKUPS; i++) {
          if (store.read(pick(i)) === undefined) throw new Error('a ref is missing');
        }
        return (performance.now() - start) / HOT_LOOKUPS;
      },
      git() {
        run(git, ['-C', folder, 'rev-parse', pick(0)]);
      },
    });
    report('look-up by name, hot', hot.ours, hot.git, 1 / 300);

    let turn = 0;
    const cold = await interleave(31, {
      ours() {
        const fresh = openRefStore(gitDir);
        if (fresh.read(pick(turn++)) === undefined) throw new Error('a ref is missing');
        fresh.close();
      },
      git() {
        run(git, ['-C', folder, 'rev-parse', pick(turn++)]);
      },
    });
    report('open the store and read one ref', cold.ours, cold.git, 0.5);

    const again = await interleave(15, {
      ours() {
        const start = performance.now();
        for (let i = 0; i < HEADS; i++) readHead(folder);
        return (performance.now() - start) / HEADS;
      },
      git() {
        run(git, ['-C', folder, 'rev-parse', 'HEAD']);
      },
    });
    report("readHead of 'reftable/read', again", again.ours, again.git, 1 / 50);

    const list = (stdio) => () => {
      const args = ['-C', folder, 'for-each-ref', '--format=%(objectname) %(refname)'];
      run(git, args, { stdio, encoding: 'buffer' });
    };
    const all = await interleave(7, {
      ours() {
        let length = 0;
        for (const { name, oid } of store.refs()) length += name.length + oid.length;
        if (length < REFS * 60) throw new Error('refs are missing');
      },
      git: list(['ignore', 'pipe', 'pipe']),
      discarded: list(['ignore', 'ignore', 'pipe']),
    });
    report('list all names and object ids', all.ours, all.git, 0.3);
    report('the same, Git writing to /dev/null', all.ours, all.discarded, 0.3);
    store.close();
  });
}

function verifySame(folder, store) {
  const theirs = createHash('sha256');
  const args = ['-C', folder, 'for-each-ref', '--format=%(objectname) %(refname)'];
  theirs.update(run(git, args, { encoding: 'buffer' }));
  const ours = createHash('sha256');
  for (const { name, oid } of store.refs()) ours.update(`${oid} ${name}\n`);
  if (ours.digest('hex') !== theirs.digest('hex'))
    throw new Error('the two sides read different refs');
}

/** Object ids that differ, as they would; none of them has to exist. */
function oidOf(i) {
  return createHash('sha1').update(String(i)).digest('hex');
}

// Called by itself, with the repository to fill.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const store = openRefStore(process.argv[2], { objects: false });
  await store.transaction(
    Array.from({ length: REFS }, (_, i) => ({ type: 'create', ref: nameOf(i), newOid: oidOf(i) })),
  );
  store.close();
}
