// Promises that every subcommand of `reflog` does and says what Git's does: exit code, output, messages, and what is
// left of refs and logs; and so for revisions that logs tell, wherever a command takes one.

import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildCommandLine, reftable } from './command-line.ts';
import { expectSame, type Original } from './twins.ts';

const START = 1_600_000_000;
const HOUR = 3600;
const DAY = 24 * HOUR;

const NOW = Math.floor(Date.now() / 1000);

type Logged = Original & { third: string; zero: string };

/** A repository whose logs have entries of years ago and of the last days, made by several clocks. */
function makeLogs(objectFormat: 'sha1' | 'sha256'): Logged {
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

/** Scripts of one command, a word apart; %1, %2, %3 and %0 stand for object ids. */
const READING = [
  ...['reflog', 'reflog show', 'reflog show main', 'reflog main', 'reflog HEAD', 'reflog @'],
  ...[
    'reflog -1',
    'reflog -n 2',
    'reflog -n2',
    'reflog --max-count=2',
    'reflog --max-count 3 main',
  ],
  ...[
    'reflog -n -1',
    'reflog -0',
    'reflog --skip=2',
    'reflog --skip 1 -n 1 side',
    'reflog main --',
  ],
  ...[
    'reflog --',
    'reflog side main',
    'reflog main HEAD -n4',
    'reflog refs/heads/side',
    'reflog alias',
  ],
  ...[
    'reflog heads/side',
    'reflog origin',
    'reflog origin/main',
    'reflog both',
    'reflog tags/both',
  ],
  ...['reflog stash', 'reflog logged', 'reflog bare', 'reflog topic/one', 'reflog main main'],
  ...[
    'reflog --date=iso',
    'reflog --date=iso-strict side',
    'reflog --date=raw',
    'reflog --date=unix',
  ],
  ...['reflog --date=rfc side', 'reflog --date=short main', 'reflog --date=default side'],
  ...['reflog --date=relative side', 'reflog --date=local side', 'reflog --date=iso-local side'],
  ...['reflog --date=iso8601 main', 'reflog --date rfc2822 main', 'reflog --date=raw-local side'],
  ...['reflog main@{0}', 'reflog main@{1}', 'reflog HEAD@{2} -n 1', 'reflog @{0}', 'reflog @{1}'],
  ...[
    'reflog side@{2.days.ago}',
    'reflog side@{3.months.ago}',
    'reflog @{yesterday}',
    'reflog side@{now}',
  ],
  ...['reflog --date=iso side@{1}', 'reflog --date=iso side@{now}', 'reflog main@{1600008000}'],
  ...[
    'reflog main@{2020-09-13.17:00:00}',
    'reflog @{-1}',
    'reflog @{-2}',
    'reflog @{-3}',
    'reflog @{u}',
  ],
  ...[
    'reflog side@{u}',
    'reflog main@{upstream}',
    'reflog main@{99}',
    'reflog main@{3}',
    'reflog @{9}',
  ],
  ...[
    'reflog side@{5.years.ago}',
    'reflog main@{1.jan.2015}',
    'reflog nosuch',
    'reflog nosuch@{1}',
  ],
  ...[
    'reflog -n x',
    'reflog -n',
    'reflog -5x',
    'reflog --max-count',
    'reflog --skip=y',
    'reflog --bogus',
  ],
  ...['reflog --date=xyz', 'reflog dangling', 'reflog list', 'reflog list x', 'reflog exists HEAD'],
  ...['reflog exists refs/heads/main', 'reflog exists main', 'reflog exists refs/tags/bare'],
  ...[
    'reflog exists refs/heads/topic/one',
    'reflog exists a..b',
    'reflog exists refs/heads/main more',
  ],
];

const WRITING = [
  ...['reflog write refs/heads/new %0 %1 told', 'reflog write refs/heads/main %3 %1 told'],
  ...[
    'reflog write HEAD %1 %2 told',
    'reflog write refs/heads/main %1 %0 ended',
    'reflog write main %1 %2 m',
  ],
  ...[
    'reflog write a..b %1 %2 m',
    'reflog write FETCH_HEAD %1 %2 m',
    'reflog write refs/heads/x x %2 m',
  ],
  ...['reflog write refs/heads/x %1 y m', 'reflog write refs/heads/../x %1 %2 m'],
  ...[
    'reflog drop main',
    'reflog drop side nosuch HEAD',
    'reflog drop nosuch',
    'reflog drop',
    'reflog drop --all',
  ],
  ...[
    'reflog drop --all main',
    'reflog drop --all --single-worktree',
    'reflog drop both',
    'reflog drop bare',
  ],
  ...['reflog drop @{-1}', 'reflog drop alias', 'reflog drop @'],
  ...[
    'reflog delete main@{0}',
    'reflog delete main@{1} --rewrite',
    'reflog delete --updateref main@{0}',
  ],
  ...[
    'reflog delete --updateref --rewrite side@{0} side@{0}',
    'reflog delete side@{2} main@{2} --verbose',
  ],
  ...['reflog delete -n --verbose main@{1}', 'reflog delete main@{99}', 'reflog delete main@{3}'],
  ...[
    'reflog delete main',
    'reflog delete',
    'reflog delete nosuch@{1}',
    'reflog delete main@{1} nosuch@{1}',
  ],
  ...['reflog delete --verbose side@{2.days.ago}', 'reflog delete --verbose side@{1.year.ago}'],
  ...['reflog delete --verbose main@{xyz}', 'reflog delete --verbose main@{2020-09-13.18:00}'],
  ...[
    'reflog delete HEAD@{0} --updateref',
    'reflog delete --verbose main@{}',
    'reflog delete main@{-1}',
  ],
  ...['reflog delete alias@{0} --updateref', 'reflog delete topic/one@{0}', 'reflog delete @{1}'],
  ...[
    'reflog delete --verbose side@{never}',
    'reflog delete --dry-run both@{0}',
    'reflog delete bare@{0}',
  ],
  ...['reflog expire', 'reflog expire --expire=all main', 'reflog expire --expire=now --all'],
  ...[
    'reflog expire --expire=all --verbose --all',
    'reflog expire --expire=all -n --verbose --all',
  ],
  ...['reflog expire --expire=all -n --verbose main', 'reflog expire --expire=xyz main'],
  ...[
    'reflog expire --expire-unreachable=xyz main',
    'reflog expire nosuch',
    'reflog expire nosuch main --expire=all',
  ],
  ...[
    'reflog expire --expire=never --expire-unreachable=never --all --verbose',
    'reflog expire stash',
  ],
  ...[
    'reflog expire --expire=false --expire-unreachable=false --all',
    'reflog expire --rewrite --expire=50.days side',
  ],
  ...[
    'reflog expire --expire=2.days --expire-unreachable=never --verbose side',
    'reflog expire --verbose stash',
  ],
  ...[
    'reflog expire --expire=2.days --updateref --verbose side',
    'reflog expire --single-worktree --all --expire=all',
  ],
  ...[
    'reflog expire --expire=50.days --expire-unreachable=50.days --rewrite --updateref --verbose --all',
  ],
  ...[
    'reflog expire --verbose --all --expire=never --expire-unreachable=all -n',
    'reflog expire @{-1} --expire=all',
  ],
  ...[
    'reflog expire --verbose --expire-unreachable=now --expire=now alias',
    'reflog expire --exp=all main',
  ],
  ...['-c gc.reflogExpire=never reflog expire --verbose --all --expire-unreachable=never'],
  ...[
    '-c gc.reflogExpire=50.days -c gc.reflogExpireUnreachable=50.days reflog expire --verbose side',
  ],
  ...[
    '-c gc.refs/heads/*.reflogExpire=now reflog expire --verbose --all -n --expire-unreachable=never',
  ],
  ...[
    '-c gc.refs/*.reflogExpire=now -c gc.*side.reflogExpire=never reflog expire --verbose side topic/one',
  ],
  ...[
    '-c gc.refs/stash.reflogExpire=now reflog expire --verbose stash',
    '-c gc.reflogExpire=xyz reflog expire main',
  ],
  ...[
    '-c gc.reflogExpire reflog expire main',
    '-c gc.reflogExpireUnreachable=bogus reflog expire main',
  ],
  ...['-c gc.a.reflogExpire=xyz reflog expire main'],
];

/** Revisions that logs tell of. */
const REVISIONS = [
  ...[
    'main@{0}',
    'main@{1}',
    'main@{2}',
    'main@{3}',
    'main@{4}',
    'side@{3}',
    '@{0}',
    '@{1}',
    '@{2}',
    '@{7}',
  ],
  ...[
    'HEAD@{1}',
    'HEAD@{3}',
    '@',
    '@@{1}',
    '@{-1}',
    '@{-2}',
    '@{-3}',
    '@{-4}',
    '@{-9}',
    '@{-0}',
    '@{-1}@{1}',
  ],
  ...[
    'main@{-1}',
    'side@{1.day.ago}',
    'side@{2.days.ago}',
    'side@{60.days.ago}',
    'side@{1.year.ago}',
  ],
  ...[
    'side@{10.years.ago}',
    'main@{2020-09-13T16:30:00+0200}',
    'main@{2020-09-13 17:30}',
    'main@{1600004000}',
  ],
  ...[
    'main@{1600007200}',
    'main@{1600007199}',
    'main@{100000000}',
    'main@{99999999}',
    'main@{never}',
    'main@{now}',
  ],
  ...[
    'main@{xyz}',
    'main@{}',
    '@{}',
    'main@{u}',
    '@{u}',
    '@{U}',
    '@{Upstream}',
    'side@{u}',
    'side@{upstream}@{1}',
  ],
  ...[
    'both@{u}',
    'topic/one@{u}',
    'nosuch@{u}',
    'topic/one@{0}',
    'topic/one@{1}',
    'topic/one@{yesterday}',
  ],
  ...[
    'bare@{0}',
    'bare@{1}',
    'alias@{0}',
    'alias@{1}',
    'origin@{0}',
    'origin/HEAD@{0}',
    'both@{0}',
    'both',
  ],
  ...[
    'nosuch@{0}',
    'nosuch@{now}',
    'dangling@{0}',
    'stash@{0}',
    'logged@{0}',
    'tags/both@{0}',
    '@{99999999999}',
  ],
  ...['refs/heads/main@{1}', 'main@{ 1 }', 'main@{+1}', 'main@{1}x', '@{1}@{1}'],
];

for (const objectFormat of ['sha1', 'sha256'] as const) {
  describeWithGit(`reflog beside Git's (${objectFormat})`, () => {
    let original: Logged;
    beforeAll(() => {
      buildCommandLine();
      original = makeLogs(objectFormat);
    });
    const words = (script: string) => {
      const { zero, first, second, third } = original;
      const oids = [zero, first, second, third];
      return script.split(' ').map((word) => word.replace(/^%(\d)$/, (_, at) => oids[at]!));
    };

    it.each([...READING, ...WRITING])('%s', (script) => {
      expectSame(original, words(script), { usage: true });
    });

    it.each(REVISIONS)('update-ref to %s', (revision) => {
      expectSame(original, ['update-ref', 'refs/heads/result', revision]);
    });

    it.each(['main@{1}', '@{-1}', 'side@{60.days.ago}'])('update-ref from %s', (revision) => {
      expectSame(original, ['update-ref', 'refs/heads/side', original.first, revision]);
    });

    it('folds and cuts messages as they are written', () => {
      const { first, second } = original;
      for (const message of ['', '  a \n\t b  ', 'x'.repeat(3000), 'é'.repeat(1100), '\n']) {
        expectSame(original, ['reflog', 'write', 'refs/heads/new', first, second, message]);
      }
    });

    it.each(['UTC', 'Asia/Kathmandu', 'America/St_Johns'])('shows local dates in %s', (TZ) => {
      for (const format of ['local', 'iso-local', 'rfc-local', 'raw-local', 'iso-strict-local']) {
        expectSame(original, ['reflog', `--date=${format}`, 'side'], { env: { TZ } });
      }
      expectSame(original, ['reflog', 'side@{2020-09-14 12:00}'], { env: { TZ } });
    });
  });
}

describeWithGit('reflog where Git is not followed', () => {
  beforeAll(buildCommandLine);

  it('refuses to look for stale entries', () => {
    const { path } = makeLogs('sha1');
    const { code, stderr } = reftable(['reflog', 'expire', '--stale-fix', '--all'], { cwd: path });
    expect({ code, stderr }).toEqual({
      code: 128,
      stderr: "fatal: '--stale-fix' needs every object there is: use git\n",
    });
  });

  it('refuses formats of dates and lists of paths that it does not know', () => {
    const { path } = makeLogs('sha1');
    for (const [args, message] of [
      [['--date=human'], 'unknown date format human'],
      [['main', '--', 'file'], 'only whole logs can be shown, not those of paths'],
    ] as const) {
      const { code, stderr } = reftable(['reflog', ...args], { cwd: path });
      expect({ code, stderr }).toEqual({ code: 128, stderr: `fatal: ${message}\n` });
    }
  });
});
