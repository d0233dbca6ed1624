// Compacting a table of a million refs with a small one, and ten tables of 100,000 interleaved refs: in a
// fresh process, measured inside it, beside Git's process on the same stack.

import { createHash } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import {
  copyFolder,
  git,
  inFolder,
  interleave,
  makeRepository,
  report,
  root,
  run,
} from './bench.mjs';

const REFS = 1_000_000;
const ROUNDS = 9;
const self = fileURLToPath(import.meta.url);

export async function bench() {
  await inFolder(async (folder) => {
    const room = join(folder, 'room.mjs');
    await build({
      stdin: {
        contents: `
          export { nodeCompression } from './src/storage/node-compression.ts';
          export { compactTables } from './src/table/compaction/compactor.ts';
          export { Table, TableWriter } from './src/table/index.ts';`,
        resolveDir: root,
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: room,
    });
    for (const [what, counts, goal] of [
      ['a table of a million refs and a small one', [REFS, 10], 0.4],
      ['ten tables of 100,000 interleaved refs', Array(10).fill(REFS / 10), 0.8],
    ]) {
      const original = join(folder, 'original');
      const copy = join(folder, 'copy');
      makeRepository(original);
      await fill(room, join(original, '.git', 'reftable'), counts);
      const steps = [];
      const times = await interleave(ROUNDS, {
        ours() {
          const reftable = join(original, '.git', 'reftable');
          const printed = run(process.execPath, [self, room, reftable, join(folder, 'out.ref')]);
          const [time, longest] = JSON.parse(printed);
          steps.push(longest);
          return time;
        },
        git() {
          copyFolder(original, copy);
          const start = performance.now();
          run(git, ['-C', copy, 'pack-refs']);
          return performance.now() - start;
        },
      });
      report(what, times.ours, times.git, goal);
      const sorted = steps.sort((a, b) => a - b);
      console.log(
        `  the longest step of a run: ${sorted[sorted.length >> 1].toFixed(1)} ms (median)`,
      );
    }
  });
}

/** Replaces a stack by one of tables with so many refs each, whose names lie all over the same range. */
async function fill(room, reftable, counts) {
  const { nodeCompression, TableWriter } = await import(room);
  const names = counts.map((count, t) => {
    const updateIndex = t + 1;
    const writer = new TableWriter({
      compression: nodeCompression,
      minUpdateIndex: updateIndex,
      maxUpdateIndex: updateIndex,
    });
    if (t === 0) writer.addRef({ name: 'HEAD', updateIndex, target: 'refs/heads/main' });
    const stride = REFS / count;
    for (let i = 0; i < count; i++) {
      const number = Math.floor(i * stride) + (t % stride);
      writer.addRef({
        name: `refs/heads/topic/n${String(number).padStart(7, '0')}`,
        updateIndex,
        oid: createHash('sha1').update(`${t} ${number}`).digest('hex'),
      });
    }
    const index = `0x${updateIndex.toString(16).padStart(12, '0')}`;
    const name = `${index}-${index}-0000000${t}.ref`;
    writeFileSync(join(reftable, name), Buffer.concat(writer.finish().chunks));
    return `${name}\n`;
  });
  writeFileSync(join(reftable, 'tables.list'), names.join(''));
}

/** Compacts a stack into a file; prints how long that took and how long its longest step, ms. */
async function compact(room, reftable, out) {
  const { compactTables, nodeCompression, Table } = await import(room);
  const start = performance.now();
  const list = readFileSync(join(reftable, 'tables.list'), 'utf8').trim().split('\n');
  const tables = list.map((name) => Table.open(source(join(reftable, name)), nodeCompression));
  const file = openSync(out, 'w');
  const steps = compactTables(tables, { compression: nodeCompression, dropTombstones: true });
  let longest = 0;
  for (;;) {
    const before = performance.now();
    const { done, value } = steps.next();
    longest = Math.max(longest, performance.now() - before);
    if (done) break;
    for (const chunk of value) writeSync(file, chunk);
  }
  closeSync(file);
  console.log(JSON.stringify([performance.now() - start, longest]));
}

function source(path) {
  const file = openSync(path, 'r');
  return {
    name: path,
    size: fstatSync(file).size,
    read(offset, length) {
      const bytes = new Uint8Array(length);
      readSync(file, bytes, 0, length, offset);
      return bytes;
    },
    close: () => closeSync(file),
  };
}

// Called by itself, with the bundled room, the stack and the file to write.
if (process.argv[1] === self) await compact(...process.argv.slice(2));
