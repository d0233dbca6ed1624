// A script of a test, with the library's sources in it, as one file that Node runs without a loader.

import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { temporaryFolder } from './temporary-folder.ts';

/** `contents` is TypeScript that imports from `./src/…`; gives the script's path. */
export function bundledScript(contents: string): string {
  const outfile = join(temporaryFolder(), 'script.mjs');
  buildSync({
    stdin: { contents, resolveDir: join(import.meta.dirname, '../..'), loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    alias: { 'graceful-fs': 'node:fs' },
    banner: {
      js: "import { createRequire as fromHere } from 'node:module'; const require = fromHere(import.meta.url);",
    },
    logLevel: 'warning',
  });
  return outfile;
}
