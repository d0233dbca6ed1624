// Promises that every subcommand of `reflog` does and says what Git's does: exit code, output, messages, and what is
// left of refs and logs; and so for revisions that logs tell, wherever a command takes one.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openRefStore } from '../../src/index.ts';
import { describeWithGit, type GitResult, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildCommandLine, reftable } from './command-line.ts';
import { type Logged, makeLogs } from './logged-repository.ts';
import { expectSame, expectSameReading } from './twins.ts';

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
  ...['reflog -n -1', 'reflog -0', 'reflog --skip=2', 'reflog --skip 1 -n 1 side'],
  'reflog main --',
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
    'reflog --date=human side',
    'reflog --date=format:%Y%j',
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
  ...['reflog expire --verbose --expire-unreachable=now --expire=now alias'],
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

/** What has to do with the length of object ids. */
const OF_BOTH_FORMATS = {
  reading: ['reflog', 'reflog main@{1}', 'reflog -n 2 side', 'reflog list'],
  writing: [
    'reflog write refs/heads/new %0 %1 told',
    'reflog write refs/heads/x %1 y m',
    'reflog delete --updateref --rewrite side@{0} side@{0}',
    'reflog drop --all',
    'reflog expire --expire=50.days --expire-unreachable=50.days --rewrite --updateref --verbose --all',
  ],
  revisions: ['main@{1}', 'main@{3}', '@{-3}', 'side@{u}', 'side@{60.days.ago}', 'nosuch@{0}'],
};

describe.each([
  { objectFormat: 'sha1', reading: READING, writing: WRITING, revisions: REVISIONS },
  { objectFormat: 'sha256', ...OF_BOTH_FORMATS },
] as const)('of $objectFormat', ({ objectFormat, reading, writing, revisions }) => {
  describeWithGit("reflog beside Git's", () => {
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

    it.each(reading)('%s', (script) => {
      expectSameReading(original.path, words(script));
    });

    it.each(writing)('%s', (script) => {
      expectSame(original, words(script), { usage: true });
    });

    it('takes revisions that logs tell', () => {
      const folder = temporaryFolder();
      const [ofGit, ours] = [join(folder, 'git'), join(folder, 'ours')];
      for (const copy of [ofGit, ours]) cpSync(original.path, copy, { recursive: true });
      const olds = ['main@{1}', '@{-1}', 'side@{60.days.ago}'];
      const calls = [
        ...revisions.map((revision) => ['refs/heads/result', revision]),
        ...olds.map((old) => ['refs/tags/logged', original.third, old]),
      ];
      for (const call of calls) {
        const outcome = ({ code, stderr }: GitResult, path: string) => {
          using store = openRefStore(join(path, '.git'));
          return { call, code, stderr, oid: store.resolve(call[0]!)?.oid };
        };
        const expected = outcome(git.run(['update-ref', ...call], { cwd: ofGit }), ofGit);
        expect(outcome(reftable(['update-ref', ...call], { cwd: ours }), ours)).toEqual(expected);
      }
    });
  });
});

describeWithGit("dates and messages beside Git's", () => {
  let original: Logged;
  beforeAll(() => {
    buildCommandLine();
    original = makeLogs('sha1');
  });

  it('folds and cuts messages as they are written', () => {
    const { first, second } = original;
    for (const message of ['', '  a \n\t b  ', 'x'.repeat(3000), 'é'.repeat(1100), '\n']) {
      expectSame(original, ['reflog', 'write', 'refs/heads/new', first, second, message]);
    }
  });

  it.each(['UTC', 'Asia/Kathmandu', 'America/St_Johns'])('shows local dates in %s', (TZ) => {
    for (const format of ['local', 'iso-local', 'rfc-local', 'raw-local', 'iso-strict-local']) {
      expectSameReading(original.path, ['reflog', `--date=${format}`, 'side'], { env: { TZ } });
    }
    expectSameReading(original.path, ['reflog', 'side@{2020-09-14 12:00}'], { env: { TZ } });
  });
});

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

  it('refuses lists of paths', () => {
    const { path } = makeLogs('sha1');
    for (const [args, message] of [
      [['main', '--', 'file'], 'only whole logs can be shown, not those of paths'],
    ] as const) {
      const { code, stderr } = reftable(['reflog', ...args], { cwd: path });
      expect({ code, stderr }).toEqual({ code: 128, stderr: `fatal: ${message}\n` });
    }
  });
});
