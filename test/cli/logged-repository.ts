// A repository with reflogs of every kind, made by Git.

import { join } from 'node:path';
import { git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { Original } from './twins.ts';

const START = 1_600_000_000;
const HOUR = 3600;
const DAY = 24 * HOUR;

/** Seconds since the epoch. */
const NOW = Math.floor(Date.now() / 1000);

export type Logged = Original & { third: string; zero: string };

/** A repository whose logs have entries of years ago and of the last days, made by several clocks. */
export function makeLogs(objectFormat: 'sha1' | 'sha256'): Logged {
  const path = join(temporaryFolder(), 'original');
  git.output(['init', '-q', '--ref-format=reftable', `--object-format=${objectFormat}`, path]);
  let time = START;
  const run = (args: string[], at = time, zone = '+0200') =>
    git.output(args, { cwd: path, env: { GIT_COMMITTER_DATE: `@${at} ${zone}` } }).trimEnd();
  const commits = ['first', 'second', 'third'].map((name) => {
    time += HOUR;
    run(['commit', '-q', '--allow-empty', '-m', name]);
    return run(['rev-parse', 'HEAD']);
  });
  const [first, second, third] = commits as [string, string, string];
  run(['checkout', '-q', '-b', 'side', first], START + DAY, '-0330');
  run(['checkout', '-q', 'main'], START + 2 * DAY);
  run(['checkout', '-q', '-b', 'topic/one'], START + 2 * DAY);
  run(['checkout', '-q', second], START + 3 * DAY);
  run(['checkout', '-q', 'main'], START + 3 * DAY);
  run(['update-ref', '-m', 'back', 'refs/heads/side', second], NOW - 100 * DAY);
  run(['update-ref', '-m', 'and  forth\n', 'refs/heads/side', first], NOW - 40 * DAY);
  run(['update-ref', 'refs/heads/side', third], NOW - DAY, '+0530');
  run(['update-ref', '--create-reflog', '-m', 'tagged', 'refs/tags/logged', first]);
  run(['update-ref', 'refs/tags/bare', first]);
  run(['tag', '-m', 'annotated', 'v1']);
  run(['update-ref', '-m', 'stashed', '--create-reflog', 'refs/stash', first], START);
  // A name that is a branch and a tag, both logged.
  run(['branch', 'both', first]);
  run(['update-ref', '--create-reflog', '-m', 'both', 'refs/tags/both', second]);
  run(['update-ref', '-m', 'fetched', 'refs/remotes/origin/main', first]);
  run(['symbolic-ref', '-m', 'clone', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main']);
  run(['symbolic-ref', '-m', 'alias', 'refs/heads/alias', 'refs/heads/side']);
  run(['symbolic-ref', 'refs/heads/dangling', 'refs/heads/nowhere']);
  run(['reflog', 'expire', '--expire=all', 'refs/heads/topic/one']);
  run(['config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*']);
  run(['config', 'branch.main.remote', 'origin']);
  run(['config', 'branch.main.merge', 'refs/heads/main']);
  run(['config', 'branch.side.remote', '.']);
  run(['config', 'branch.side.merge', 'refs/heads/main']);
  run(['config', 'branch.both.remote', 'origin']);
  run(['config', 'branch.both.merge', 'refs/other/thing']);
  const zero = '0'.repeat(first.length);
  return { path, first, second, third, tag: run(['rev-parse', 'v1']), zero };
}
