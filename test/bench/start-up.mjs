// What it costs to import the package and to start the command line, over starting Node with nothing.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cli, inFolder, interleave, makeRepository, reportLimit, root, run } from './bench.mjs';

const LIMIT_MS = 15;
const READ_LIMIT_MS = 8;

export async function bench() {
  await inFolder(async (folder) => {
    const emptyScript = join(folder, 'empty.cjs');
    writeFileSync(emptyScript, '');
    const importing = join(folder, 'import.mjs');
    writeFileSync(
      importing,
      `import ${JSON.stringify(pathToFileURL(join(root, 'dist/index.js')))};\n`,
    );
    const repository = join(folder, 'repository');
    makeRepository(repository);
    const opening = join(folder, 'open.mjs');
    writeFileSync(
      opening,
      `import { openRefStore } from ${JSON.stringify(pathToFileURL(join(root, 'dist/index.js')))};
       openRefStore(${JSON.stringify(join(repository, '.git'))}).read('HEAD');\n`,
    );
    const reading = join(folder, 'read.cjs');
    const entry = JSON.stringify(join(root, 'dist/read.cjs'));
    writeFileSync(reading, `require(${entry}).readHead(${JSON.stringify(repository)});\n`);
    const node =
      (...args) =>
      () => {
        run(process.execPath, args);
      };
    const times = await interleave(31, {
      bare: node(emptyScript),
      import: node(importing),
      open: node(opening),
      read: node(reading),
      version: node(cli, '--version'),
    });
    const over = (name) => Math.round((times[name] - times.bare) * 10) / 10;
    console.log(`bare Node starts in ${times.bare.toFixed(1)} ms`);
    reportLimit("import 'reftable', over bare Node", over('import'), LIMIT_MS, 'ms');
    console.log(
      `  to import it, open a repository and read HEAD takes ${over('open')} ms over bare Node`,
    );
    reportLimit("'reftable/read' and readHead, over bare Node", over('read'), READ_LIMIT_MS, 'ms');
    reportLimit('reftable --version, over bare Node', over('version'), LIMIT_MS, 'ms');
  });
}
