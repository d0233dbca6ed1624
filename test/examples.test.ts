// The programs in spec/examples/, run as they stand there, with the built package.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWithGit, ENVIRONMENT, git } from './support/git.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

function example(name: string, ...args: string[]): string {
  const file = join(import.meta.dirname, '../spec/examples', name);
  return execFileSync(process.execPath, [file, ...args], { encoding: 'utf8', env: ENVIRONMENT });
}

describeWithGit('examples', () => {
  it.each(['reftable', 'files'])('stamp a version: %s', (format) => {
    const dir = temporaryFolder();
    const run = (...args: string[]) => git.output(args, { cwd: dir }).trimEnd();
    run('init', '-q', `--ref-format=${format}`);
    expect(example('stamp-version.cjs', dir)).toBe('0.0.0-main\n');
    run('commit', '-q', '--allow-empty', '-m', 'first');
    const short = run('rev-parse', 'HEAD').slice(0, 8);
    expect(example('stamp-version.cjs', dir)).toBe(`0.0.0-main+${short}\n`);
    run('tag', '-a', '-m', 'release', 'v1.2.3');
    expect(example('stamp-version.cjs', dir)).toBe('1.2.3\n');
  });
});
