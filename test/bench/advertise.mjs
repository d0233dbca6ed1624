// Telling `git ls-remote` of a million refs, as whole processes, and what the buffer that is used again is worth:
// the same answer, written into it and into a new one for each piece.

import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import {
  cli,
  git,
  inFolder,
  interleave,
  makeRepository,
  report,
  reportLimit,
  root,
  run,
} from './bench.mjs';

const REFS = 1_000_000;
const ROUNDS = 5;
const ANSWERS = 9;
/** Beyond the tables, which are held in memory. */
const MEMORY_LIMIT = 120;

export async function bench() {
  await inFolder(async (folder) => {
    const commit = makeRepository(folder, ['core.logAllRefUpdates=false']);
    const list = join(folder, 'updates');
    writeUpdates(list, commit);
    const input = openSync(list);
    const logless = ['-c', 'core.logAllRefUpdates=false'];
    run(git, ['-C', folder, ...logless, 'update-ref', '--stdin'], {
      stdio: [input, 'ignore', 'pipe'],
    });
    closeSync(input);
    run(git, ['-C', folder, 'pack-refs', '--all']);

    const memory = join(folder, 'memory');
    const ours = `/usr/bin/env ${process.execPath} ${cli} upload-pack`;
    for (const version of [2, 0]) {
      const ask = (uploadPack, options) =>
        run(
          git,
          ['-c', `protocol.version=${version}`, 'ls-remote', `--upload-pack=${uploadPack}`, `file://${folder}`],
          options,
        );
      if (digestOf(ask(ours)) !== digestOf(ask('git-upload-pack'))) {
        throw new Error('the two sides tell of different refs');
      }
      const discarded = { stdio: ['ignore', 'ignore', 'pipe'] };
      const times = await interleave(ROUNDS, {
        ours: () => void ask(ours, discarded),
        git: () => void ask('git-upload-pack', discarded),
      });
      report(`ls-remote, version ${version}`, times.ours, times.git, 1);
    }

    const measured = `/usr/bin/env ${process.execPath} ${join(root, 'test/bench/peak-memory.cjs')} ${memory} ${cli} upload-pack`;
    run(git, ['ls-remote', `--upload-pack=${measured}`, `file://${folder}`]);
    const { peak, tables } = JSON.parse(readFileSync(memory, 'utf8'));
    reportLimit('memory at most, beyond the tables', peak - tables, MEMORY_LIMIT, 'MB');

    await compareBuffers(folder);
  });
}

/** The answer alone, in this process, to nobody. */
async function compareBuffers(folder) {
  const { answerLsRefs, enterRepository, serveRepository } = await import('../../dist/protocol.js');
  const repository = serveRepository(enterRepository(folder, { env: {} }), {});
  const request = { peel: true, symrefs: true, unborn: false, prefixes: [''] };
  const answer = async (keepsBytes) => {
    const hash = createHash('sha256');
    await answerLsRefs(repository, request, { write: (bytes) => void hash.update(bytes), keepsBytes });
    return hash.digest('hex');
  };
  if ((await answer(false)) !== (await answer(true))) throw new Error('the answers differ');
  const timed = (keepsBytes) => () =>
    answerLsRefs(repository, request, { write: () => {}, keepsBytes });
  const times = await interleave(ANSWERS, { reused: timed(false), fresh: timed(true) });
  report('the answer, buffer reused', times.reused, times.fresh, 1, 'not ');
  repository[Symbol.dispose]();
}

function digestOf(text) {
  return createHash('sha256').update(text).digest('hex');
}

function writeUpdates(file, commit) {
  const descriptor = openSync(file, 'w');
  let piece = '';
  for (let i = 0; i < REFS; i++) {
    piece += `create refs/heads/topic/n${String(i).padStart(7, '0')} ${commit}\n`;
    if (piece.length < 1 << 20 && i + 1 < REFS) continue;
    writeSync(descriptor, piece);
    piece = '';
  }
  closeSync(descriptor);
}
