// Telling `git ls-remote` of a million refs, as whole processes; how much memory that takes; and what it is worth
// that one buffer is used again: the same answer, from it and from a new buffer for each piece.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  cli,
  environment,
  git,
  inFolder,
  interleave,
  makeBranches,
  makeRepository,
  report,
  reportLimit,
  run,
} from './bench.mjs';

const REFS = 1_000_000;
const ROUNDS = 5;
const ANSWERS = 15;
/** MiB; the tables that are open included. */
const MEMORY = 120;

const REQUEST = '0014command=ls-refs\n00010009peel\n000csymrefs\n0000';

export async function bench() {
  await inFolder(async (folder) => {
    makeBranches(folder, REFS, makeRepository(folder));
    for (const version of [2, 0]) {
      const ask = (uploadPack) => (options) =>
        run(
          git,
          [
            ...['-c', `protocol.version=${version}`, 'ls-remote'],
            ...[`--upload-pack=${uploadPack}`, `file://${folder}`],
          ],
          options,
        );
      const ours = ask(`'${process.execPath}' '${cli}' upload-pack`);
      const theirs = ask('git-upload-pack');
      verifySame(ours({ encoding: 'buffer' }), theirs({ encoding: 'buffer' }));
      const discarded = { stdio: ['ignore', 'ignore', 'pipe'] };
      const times = await interleave(ROUNDS, {
        ours: () => void ours(discarded),
        git: () => void theirs(discarded),
      });
      report(`ls-remote, version ${version}`, times.ours, times.git, 1);
    }
    await compareBuffers(folder);
    measureMemory(folder);
  });
}

/** The answer within one process, from one buffer that is used again and from a new one for each piece. */
async function compareBuffers(folder) {
  const { answerLsRefs, enterRepository, serveRepository } = await import('../../dist/protocol.js');
  const repository = serveRepository(enterRepository(folder, { env: environment }), environment);
  const request = { peel: true, symrefs: true, unborn: false, prefixes: [''] };
  const answer = (keepsBytes, write) => answerLsRefs(repository, request, { write, keepsBytes });
  const digests = [];
  for (const keepsBytes of [false, true]) {
    const hash = createHash('sha256');
    await answer(keepsBytes, (bytes) => void hash.update(bytes));
    digests.push(hash.digest('hex'));
  }
  if (digests[0] !== digests[1]) throw new Error('a new buffer gives another answer');
  const times = await interleave(ANSWERS, {
    reused: () => answer(false, () => {}),
    fresh: () => answer(true, () => {}),
  });
  report('ls-refs in one process, buffer reused or new', times.reused, times.fresh, 1, 'new');
  repository[Symbol.dispose]();
}

function measureMemory(folder) {
  if (!existsSync('/usr/bin/time')) return;
  const args = ['-f', '%M', process.execPath, cli, 'upload-pack', '--stateless-rpc', folder];
  const { stderr } = spawnSync('/usr/bin/time', args, {
    input: REQUEST,
    env: { ...environment, GIT_PROTOCOL: 'version=2' },
    stdio: ['pipe', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  const peak = Math.round(Number(stderr.trim()) / 1024);
  reportLimit('peak memory of upload-pack', peak, MEMORY, 'MiB');
}

function verifySame(ours, theirs) {
  const [a, b] = [ours, theirs].map((bytes) => createHash('sha256').update(bytes).digest('hex'));
  if (a !== b) throw new Error('the two sides tell of different refs');
}
