// What it costs to import the package and to start the command line, over starting Node with nothing.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cli, inFolder, interleave, reportLimit, root, run } from './bench.mjs';

const LIMIT_MS = 15;

export async function bench() {
  await inFolder(async (folder) => {
    const emptyScript = join(folder, 'empty.cjs');
    writeFileSync(emptyScript, '');
    const importing = join(folder, 'import.mjs');
    writeFileSync(
      importing,
      `import ${JSON.stringify(pathToFileURL(join(root, 'dist/index.js')))};\n`,
    );
    const node =
      (...args) =>
      () => {
        run(process.execPath, args);
      };
    const times = await interleave(31, {
      bare: node(emptyScript),
      import: node(importing),
      version: node(cli, '--version'),
    });
    const over = (name) => Math.round((times[name] - times.bare) * 10) / 10;
    console.log(`bare Node starts in ${times.bare.toFixed(1)} ms`);
    reportLimit("import 'reftable', over bare Node", over('import'), LIMIT_MS, 'ms');
    reportLimit('reftable --version, over bare Node', over('version'), LIMIT_MS, 'ms');
  });
}
