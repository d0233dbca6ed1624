// Reading from a million refs in one table: a name looked up hot, in a store opened anew, and all names
// and object ids listed; in this process, beside Git's processes.

import { join } from 'node:path';
import { openRefStore } from '../../dist/index.js';
import { git, inFolder, interleave, makeRepository, report, run } from './bench.mjs';

const REFS = 1_000_000;
const HOT_LOOKUPS = 20_000;

export async function bench() {
  await inFolder(async (folder) => {
    const oid = makeRepository(folder, ['core.logAllRefUpdates=false']);
    run(git, ['-C', folder, 'config', 'core.logAllRefUpdates', 'false']);
    const names = Array.from(
      { length: REFS },
      (_, i) => `refs/heads/topic/n${String(i).padStart(7, '0')}`,
    );
    // Object ids that differ, as they would: none of them has to exist.
    const oids = names.map((_, i) => (i % 2 === 0 ? oid : pseudoOid(i)));
    const gitDir = join(folder, '.git');
    const writer = openRefStore(gitDir);
    await writer.transaction(names.map((ref, i) => ({ type: 'create', ref, newOid: oids[i] })));
    writer.close();
    run(git, ['-C', folder, 'pack-refs', '--all']);

    const store = openRefStore(gitDir);
    verifySame(folder, store);
    const pick = (i) => names[(i * 7919) % REFS];
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

    const all = await interleave(5, {
      ours() {
        let length = 0;
        for (const { name, oid: id } of store.refs()) length += name.length + id.length;
        if (length < REFS * 60) throw new Error('refs are missing');
      },
      git() {
        run(git, ['-C', folder, 'for-each-ref', '--format=%(objectname) %(refname)'], {
          stdio: ['ignore', 'ignore', 'pipe'],
        });
      },
    });
    report('list all names and object ids', all.ours, all.git, 0.3);
    store.close();
  });
}

function verifySame(folder, store) {
  const theirs = run(git, ['-C', folder, 'for-each-ref', '--format=%(objectname) %(refname)']);
  const ours = [...store.refs()].map(({ name, oid }) => `${oid} ${name}\n`).join('');
  if (ours !== theirs) throw new Error('the two sides read different refs');
}

function pseudoOid(i) {
  return (BigInt(i + 1) * 0x9e3779b97f4a7c15f39cc0605cedc8341082276bn)
    .toString(16)
    .padStart(40, '0')
    .slice(-40);
}
