// packed-refs: deleting one of 100,000 refs, in a process and as one, and its calls; files of 600,000 refs in both
// versions, how long they are, how long it takes to write them with one ref changed, and to look a ref up.

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { cli, git, inFolder, interleave, report, reportLimit, root, run } from './bench.mjs';

const HEADER = '# pack-refs with: peeled fully-peeled sorted \n';
const DELETIONS = 21;
const WRITES = 15;
const FREEING_MS = 50;
const LOOK_UPS = 1000;
const WRITE_CALLS = /^(\d+ +)?(write|pwrite64|writev|pwritev|pwritev2)\(/;

export async function bench() {
  await inFolder(async (folder) => {
    const packedRefs = await import(pathToFileURL(await buildRoom(folder)));
    await deletion(folder, packedRefs);
    await rewriting(folder, packedRefs);
  });
}

async function deletion(folder, packedRefs) {
  const repository = makeRepository(join(folder, 'deletion'));
  const path = join(repository, 'packed-refs');
  const names = namesOf(100_000);
  const before = join(folder, 'before');
  writeFileSync(before, HEADER + names.map((name, i) => `${oidOf(i)} ${name}\n`).join(''));
  const name = names[61_803];
  const restored = (act) => {
    copyFileSync(before, path);
    const start = performance.now();
    const done = act();
    const time = () => performance.now() - start;
    return done === undefined ? time() : done.then(time);
  };
  const edits = [{ name, oid: undefined }];
  const ours = [process.execPath, [cli, '-C', repository, 'update-ref', '-d', name]];
  const theirs = [git, ['-C', repository, 'update-ref', '-d', name]];
  const sides = {
    'in process': () => rewrite(packedRefs, path, edits),
    'as a process': () => void run(...ours),
    git: () => void run(...theirs),
  };
  const results = [];
  for (const act of Object.values(sides)) {
    await restored(act);
    results.push(readFileSync(path, 'utf8'));
  }
  if (results.some((result) => result !== results[2])) throw new Error('the files differ');

  const times = await interleave(
    DELETIONS,
    Object.fromEntries(Object.entries(sides).map(([side, act]) => [side, () => restored(act)])),
  );
  report('deleting one of 100,000, in process', times['in process'], times.git, 0.3);
  report('deleting one of 100,000, as a process', times['as a process'], times.git, 1.3);
  if (spawnSync('strace', ['-V']).error) {
    console.log('  (system calls not counted: strace is not installed)');
    return;
  }
  const trace = join(folder, 'trace');
  const calls = ([command, args]) => {
    copyFileSync(before, path);
    run('strace', ['-f', '-o', trace, command, ...args]);
    return readFileSync(trace, 'latin1')
      .split('\n')
      .filter((line) => WRITE_CALLS.test(line)).length;
  };
  const limit = Math.floor(calls(theirs) / 20);
  reportLimit("  write calls, to a twentieth of Git's", calls(ours), limit, 'calls');
}

async function rewriting(folder, packedRefs) {
  const repository = makeRepository(join(folder, 'rewriting'));
  const theirs = join(repository, 'packed-refs');
  const names = namesOf(600_000);
  const v1 = join(folder, 'version-1');
  const records = names.map((name, i) => {
    const peeled = name.startsWith('refs/tags/') && i % 3 === 0 ? `^${oidOf(i + 1)}\n` : '';
    return `${oidOf(i)} ${name}\n${peeled}`;
  });
  writeFileSync(v1, HEADER + records.join(''));
  copyFileSync(v1, theirs);
  const v2 = join(folder, 'version-2');
  copyFileSync(v1, v2);
  const version = 2;
  await rewrite(packedRefs, v2, [], { version });
  const hashed = join(folder, 'hashed');
  copyFileSync(v2, hashed);

  const name = names[314_159];
  const commits = ['one', 'two'].map((message) => makeCommit(repository, message));
  let round = 0;
  const edits = () => [{ name, oid: commits[round & 1] }];
  const timed = async (path, options) => {
    const start = performance.now();
    await rewrite(packedRefs, path, edits(), { fsync: false, ...options });
    const time = performance.now() - start;
    // The old file is freed in the background, which is not to be in the next one's way.
    await new Promise((resume) => setTimeout(resume, FREEING_MS));
    return time;
  };
  const times = await interleave(WRITES, {
    v1: () => timed(v1, {}),
    v2: () => timed(v2, { version }),
    hashed: () => timed(hashed, { version, isHashed: true }),
    git() {
      const loose = join(repository, name);
      mkdirSync(join(loose, '..'), { recursive: true });
      writeFileSync(loose, `${commits[round & 1]}\n`);
      const start = performance.now();
      run(git, ['-C', repository, 'pack-refs', '--all']);
      const time = performance.now() - start;
      round++;
      return time;
    },
  });
  const files = { v1, v2, hashed };
  verify(packedRefs, files, theirs, names);
  const size = (path) => statSync(path).size;
  const megabytes = (path) => `${(size(path) / 1e6).toFixed(1)} MB`;
  console.log(`  600,000 refs: version 1 ${megabytes(v1)}, version 2 ${megabytes(v2)}`);
  reportLimit('size of version 2, of version 1', (size(v2) / size(v1)).toFixed(3), 0.67, 'times');
  report('writing version 1, one ref changed', times.v1, times.git, 1);
  report('writing version 2, one ref changed', times.v2, times.git, 0.6);
  report('writing version 2, one ref changed', times.v2, times.v1, 0.6, 'v1 ');
  report('hashing version 2 as it is read and written', times.hashed, times.v2, 1.1, 'v2 ');
  await lookingUp(packedRefs, files, repository, names);
}

/** All files have the same refs. */
function verify({ open }, { v1, v2, hashed }, theirs, names) {
  if (readFileSync(v1).compare(readFileSync(theirs)) !== 0) throw new Error('the files differ');
  const list = (path, options) => {
    const refs = open(path, options);
    let text = '';
    for (const { name, oid, peeled } of refs.from('')) text += `${oid} ${name} ${peeled}\n`;
    refs.release();
    return text;
  };
  const expected = list(v1, {});
  const isHashed = true;
  if (list(v2, { version: 2 }) !== expected) throw new Error('version 2 differs');
  if (list(hashed, { version: 2, isHashed }) !== expected) throw new Error('hashed differs');
  if (expected.split('\n').length !== names.length + 1) throw new Error('refs are missing');
}

async function lookingUp({ open }, { v1, v2 }, repository, names) {
  const wanted = Array.from({ length: LOOK_UPS }, (_, i) => names[i * 599]);
  const readers = { v1: open(v1, {}), v2: open(v2, { version: 2 }) };
  const times = await interleave(WRITES, {
    ...Object.fromEntries(
      Object.entries(readers).map(([version, refs]) => [
        version,
        () => {
          const start = performance.now();
          for (const name of wanted) {
            if (refs.find(name) === undefined) throw new Error(`${name} is missing`);
          }
          return (performance.now() - start) / LOOK_UPS;
        },
      ]),
    ),
    git: () => void run(git, ['-C', repository, 'rev-parse', wanted[0]]),
  });
  report('looking up a ref, version 1, git rev-parse', times.v1, times.git, 1 / 150);
  report('looking up a ref, version 2, git rev-parse', times.v2, times.git, 1 / 150);
  for (const refs of Object.values(readers)) refs.release();
}

/** Names in byte order. */
function namesOf(count) {
  const folders = ['refs/heads/team/topic-', 'refs/remotes/origin/t-', 'refs/tags/release/v'];
  return Array.from({ length: count }, (_, i) => {
    const folder = folders[Math.floor((i * folders.length) / count)];
    return folder + String(i).padStart(6, '0');
  });
}

/** Forty digits that look like a hash. */
function oidOf(index) {
  let digits = '';
  for (let x = index + 1; digits.length < 40; ) {
    x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    digits += (x >>> 0).toString(16).padStart(8, '0');
  }
  return digits;
}

function makeRepository(folder) {
  run(git, ['init', '-q', '--bare', '--ref-format=files', folder]);
  return folder;
}

function makeCommit(repository, message) {
  const tree = run(git, ['-C', repository, 'hash-object', '-t', 'tree', '-w', '/dev/null']).trim();
  return run(git, ['-C', repository, 'commit-tree', '-m', message, tree]).trim();
}

async function rewrite({ fileAt }, path, edits, options = {}) {
  const file = fileAt(path, options);
  const locked = await file.lock();
  await locked.write(edits);
  await locked.commit();
  await locked.release();
  file.close();
}

async function buildRoom(folder) {
  const outfile = join(folder, 'room.mjs');
  await build({
    stdin: {
      contents: `
        import { PackedRefs } from './src/files/packed-refs/packed-refs.ts';
        import { PackedRefsFile } from './src/files/packed-refs/packed-refs-file.ts';
        import { nodeFileSystem } from './src/storage/node-file-system.ts';
        const objectFormat = 'sha1';
        export const open = (path, options) =>
          PackedRefs.open(nodeFileSystem, path, { objectFormat, ...options });
        export const fileAt = (path, options) =>
          new PackedRefsFile(nodeFileSystem, path, { objectFormat, ...options });`,
      resolveDir: root,
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    alias: { 'graceful-fs': 'node:fs' },
    banner: {
      js: "import { createRequire as fromHere } from 'node:module'; const require = fromHere(import.meta.url);",
    },
    outfile,
  });
  return outfile;
}
