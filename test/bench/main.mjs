// The benchmarks: all of them, or those that are named.
//   npm run bench [-- update-refs | read-refs | grouping …]

import { git, root, run } from './bench.mjs';

const BENCHES = [
  'start-up',
  'update-refs',
  'single-update',
  'read-refs',
  'list-refs',
  'advertise',
  'grouping',
  'compaction',
  'optimize',
  'isomorphic-git',
  'writers',
  'inspector',
  'packed-refs',
];

run(process.execPath, ['.ci/build.mjs', '--no-types'], { cwd: root });
const wanted = process.argv.length > 2 ? process.argv.slice(2) : BENCHES;
const unknown = wanted.find((name) => !BENCHES.includes(name));
if (unknown !== undefined) {
  console.error(`no benchmark '${unknown}'; there are ${BENCHES.join(', ')}`);
  process.exit(1);
}
console.log(`${run(git, ['--version']).trim()}, Node ${process.version}, medians of one run\n`);
for (const name of wanted) {
  console.log(`${name}`);
  const { bench } = await import(`./${name}.mjs`);
  await bench();
  console.log();
}
