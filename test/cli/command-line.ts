// The command line as its users have it: one bundled file, run as a process.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { ENVIRONMENT, type GitOptions, type GitResult, throwUnlessDone } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let bundle: string | undefined;

/** Bundles the sources as .ci/build.mjs does, but not into dist/, which may be rebuilt meanwhile. */
export function buildCommandLine(): void {
  bundle = join(temporaryFolder(), 'cli.cjs');
  buildSync({
    entryPoints: [join(import.meta.dirname, '../../src/cli/main.ts')],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    define: { 'import.meta.dirname': '__dirname' },
    alias: { 'graceful-fs': 'node:fs' },
    logLevel: 'warning',
  });
}

/** What to call, for tests that start the process themselves. */
export function commandLine(): [string, string] {
  if (bundle === undefined) throw new Error('buildCommandLine() has not been called');
  return [process.execPath, bundle];
}

/** Runs `reftable ...args` to its end, in the environment that Git gets, and by default in an empty folder. */
export function reftable(args: readonly string[], options: GitOptions = {}): GitResult {
  const [node, ...script] = commandLine();
  const result = spawnSync(node, [...script, ...args], {
    cwd: options.cwd ?? temporaryFolder(),
    input: options.input ?? '',
    env: { ...ENVIRONMENT, ...options.env },
    maxBuffer: 2 ** 30,
    // A command that does not end fails its test instead of stopping them all.
    timeout: 30_000,
  });
  throwUnlessDone(result.error);
  return {
    code: result.status ?? -1,
    stdout: result.stdout.toString(),
    stderr: result.stderr.toString(),
    stdoutBytes: result.stdout,
  };
}
