// Listing a million refs as whole processes: a plain format, the default format, which looks up what is behind
// each ref, and show-ref; in one table, and all of one commit.

import { createHash } from 'node:crypto';
import {
  cli,
  git,
  inFolder,
  interleave,
  makeBranches,
  makeRepository,
  report,
  run,
} from './bench.mjs';

const REFS = 1_000_000;
const ROUNDS = 5;

const LISTINGS = [
  ['for-each-ref, names and object ids', ['for-each-ref', '--format=%(objectname) %(refname)']],
  ['for-each-ref, a pattern', ['for-each-ref', '--format=%(refname)', 'refs/heads/topic']],
  ['for-each-ref, the default format', ['for-each-ref']],
  ['show-ref', ['show-ref']],
];

export async function bench() {
  await inFolder(async (folder) => {
    const commit = makeRepository(folder, ['core.logAllRefUpdates=false']);
    makeBranches(folder, REFS, commit);
    for (const [what, args] of LISTINGS) {
      const ours = (stdio) => run(process.execPath, [cli, '-C', folder, ...args], stdio);
      const theirs = (stdio) => run(git, ['-C', folder, ...args], stdio);
      verifySame(ours, theirs);
      const discarded = { stdio: ['ignore', 'ignore', 'pipe'] };
      const times = await interleave(ROUNDS, {
        ours: () => void ours(discarded),
        git: () => void theirs(discarded),
      });
      report(what, times.ours, times.git, 0.5);
    }
  });
}

function verifySame(ours, theirs) {
  const [a, b] = [ours, theirs].map((side) =>
    createHash('sha256')
      .update(side({ encoding: 'buffer' }))
      .digest('hex'),
  );
  if (a !== b) throw new Error('the two sides list different refs');
}
