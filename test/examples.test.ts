// The programs in spec/examples/, run as they stand there, with the built package.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { listServerRefs } from 'isomorphic-git';
import http from 'isomorphic-git/http/node';
import { expect, it, onTestFinished } from 'vitest';
import { describeWithGit, ENVIRONMENT, git } from './support/git.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

function example(name: string, ...args: string[]): string {
  const options = { encoding: 'utf8', env: ENVIRONMENT } as const;
  return execFileSync(process.execPath, [pathOf(name), ...args], options);
}

function pathOf(name: string): string {
  return join(import.meta.dirname, '../spec/examples', name);
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

  it('switch branches', () => {
    const dir = temporaryFolder();
    const run = (...args: string[]) => git.output(args, { cwd: dir }).trimEnd();
    run('init', '-q', '--ref-format=reftable');
    run('commit', '-q', '--allow-empty', '-m', 'first');
    run('branch', 'topic');
    expect(example('switch-branch.mjs', dir)).toBe('* main\n  topic\n');
    expect(example('switch-branch.mjs', dir, 'topic')).toBe('  main\n* topic\n');
    expect(run('symbolic-ref', 'HEAD')).toBe('refs/heads/topic');
    expect(run('reflog', 'show', '--format=%gd', 'HEAD').split('\n')).toHaveLength(2);
  });

  it('watch refs', async () => {
    const dir = temporaryFolder();
    const run = (...args: string[]) => git.output(args, { cwd: dir }).trimEnd();
    run('init', '-q', '--ref-format=reftable');
    run('commit', '-q', '--allow-empty', '-m', 'first');
    const first = run('rev-parse', '--short=7', 'HEAD');
    const watcher = spawn(process.execPath, [pathOf('watch-refs.mjs'), dir, 'refs/heads/'], {
      env: ENVIRONMENT,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void watcher.kill());
    const lines = createInterface({ input: watcher.stdout })[Symbol.asyncIterator]();
    // Until it watches, it sees nothing.
    const line = lines.next();
    let seen = false;
    void line.then(() => {
      seen = true;
    });
    while (!seen) {
      run('branch', '-f', 'topic', 'HEAD');
      await new Promise((resolve) => setImmediate(resolve));
      if (!seen) run('branch', '-D', 'topic');
    }
    const { value } = await line;
    expect(value).toMatch(
      new RegExp(`^refs/heads/topic: (nothing -> ${first}|${first} -> nothing)$`),
    );
  });

  it('serve refs', async () => {
    const dir = join(temporaryFolder(), 'served');
    git.output(['init', '-q', '--ref-format=reftable', dir]);
    git.output(['commit', '-q', '--allow-empty', '-m', 'first'], { cwd: dir });
    const server = spawn(process.execPath, [pathOf('serve-refs.mjs'), dir], {
      env: ENVIRONMENT,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void server.kill());
    const [url] = await once(createInterface({ input: server.stdout }), 'line');
    expect(url).toMatch(/\/served$/);
    const head = git.output(['rev-parse', 'HEAD'], { cwd: dir }).trim();
    expect(await listServerRefs({ http, url, prefix: 'refs/heads/' })).toEqual([
      { ref: 'refs/heads/main', oid: head },
    ]);
  });
});
