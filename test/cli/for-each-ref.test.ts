// `for-each-ref` prints what Git's prints: every field with its modifiers, blocks, quoting, colours and dates,
// in repositories of both object formats; and refuses in Git's words what is no format.

import { beforeAll, expect, it } from 'vitest';
import { describeWithGit, git } from '../support/git.ts';
import { buildCommandLine, reftable } from './command-line.ts';
import { makeListedRepository } from './listed-repository.ts';
import { expectSameReading } from './twins.ts';

beforeAll(buildCommandLine);

let sha1: string;
let sha256: string;

const FIELDS = [
  ...['refname', 'refname:short', 'refname:', 'refname:lstrip=2', 'refname:strip=-1'],
  ...['refname:rstrip=1', 'refname:rstrip=-2', 'refname:lstrip=9', 'symref', 'symref:short'],
  ...['objecttype', 'objectsize', 'objectname', 'objectname:short', 'objectname:short=9'],
  ...['tree', 'tree:short', 'parent', 'parent:short=5', 'numparent', 'object', 'type', 'tag'],
  ...['author', 'author:x', 'authorname', 'authoremail', 'authoremail:trim', 'authordate'],
  ...['authoremail:localpart', 'authoremail:trim,localpart', 'committer', 'committername'],
  ...['committeremail', 'committerdate', 'tagger', 'taggername', 'taggeremail', 'taggerdate'],
  ...['creator', 'creator:x', 'creatordate', 'subject', 'subject:sanitize', 'body', 'contents'],
  ...['contents:subject', 'contents:body', 'contents:size', 'contents:signature'],
  ...['contents:lines=2', 'contents:lines=0', 'raw:size', 'HEAD', 'worktreepath', 'flag'],
  ...['upstream', 'upstream:short', 'upstream:track', 'upstream:trackshort'],
  ...['upstream:track,nobracket', 'upstream:remotename', 'upstream:remoteref'],
  ...['upstream:lstrip=-1', 'color:red'],
];

const PUSH_FIELDS = ['push', 'push:short', 'push:track', 'push:remotename', 'push:remoteref'];

const DATES = [
  ...['default', 'iso', 'iso-strict', 'iso8601', 'rfc', 'rfc2822', 'short', 'raw', 'unix'],
  ...['local', 'iso-local', 'raw-local', 'relative', 'human', 'auto:iso', 'nonsense', 'iso-x'],
  ...['format', 'formatx', 'format:%Y/%m/%d-%H:%M:%S%z%Z%s%j%U%W%V%G%u%w%y%C', 'format:'],
  ...['format:%e%k%l%I%p%P%a%A%b%B%c%D%F%h%r%R%T%x%X%n%t%%%g', 'format-local:%c%z'],
];

const COLORS = [
  ...['red', '#ff8000 black ul', 'reset', 'bold', 'no-bold', 'nobold dim', 'brightred 200'],
  ...['normal red', 'default default', '7 9', '300', '-1 5', 'red blue green', '#fff', '#ggg'],
  ...['reset red', 'RED', 'strike italic reverse blink'],
];

const BAD_FORMATS = [
  ...['%(if)', '%(then)', '%(else)', '%(end)', '%(if)%(then)', '%(if)%(else)%(end)'],
  ...['%(if)%(end)', '%(if)%(then)%(then)%(end)', '%(if)%(then)%(else)%(else)%(end)'],
  ...['%(align)', '%(align:x)', '%(align:10', '%(align:10)', '%(align:10,foo)%(end)'],
  ...['%(align:position=foo,10)', '%(align:width=z)', '%(align:left)', '%(if:foo)'],
  ...['%(refname:foo)', '%(refname:lstrip=)', '%(refname:rstrip=x)', '%(*symref:strip=x)'],
  ...['%(objectname:short=0)', '%(objectname:short=x)', '%(*objectname:foo)', '%(raw:x)'],
  ...['%(objecttype:x)', '%(objectsize:x)', '%(tree:x)', '%(contents:x)', '%(body:x)'],
  ...['%(contents:lines=x)', '%(subject:x)', '%(authorname:x)', '%(authoremail:x)'],
  ...['%(authoremail:trim,x)', '%(authoremail:trimx)', '%(color)', '%(color:foo)', '%(color:)'],
  ...['%(HEAD:x)', '%(rest)', '%(rest:x)', '%(foo)', '%(foo:bar)', '%(*foo)', '%()', '%(*)'],
  ...['%(refname', '%(upstream:foo)', '%(upstream:short,track)', '%(push:lstrip=x)'],
  ...['%(ahead-behind)', '%(ahead-behind:nothing)'],
];

const LINES = [
  '%41%%%zz%c3%a9%e9%(refname)%00%0a%',
  '%%(refname)',
  '%(if)%(symref)%(then)S%(end)|%(if:equals=refs/heads/main)%(refname)%(then)M%(else)N%(end)',
  '%(if:notequals=commit)%(objecttype)%(then)%(if)%(*objecttype)%(then)[%(*objecttype)]%(end)%(end)',
  '%(if:equals=)%(symref)%(then)%(refname)%(end)',
  '%(align:30,middle)%(refname)%(end)|%(align:width=25,position=right)%(refname:short)%(end)|',
  '%(align:12)%(refname:short)%(end)|%(align:20,right)%(align:10)%(objecttype)%(end)|%(end)',
  '%(ahead-behind:main)|%(if)%(HEAD)%(then)*%(else)-%(end)',
];

describeWithGit('for-each-ref --format', () => {
  beforeAll(() => {
    sha1 = makeListedRepository('sha1');
    sha256 = makeListedRepository('sha256');
  });

  it('has a default', () => {
    for (const path of [sha1, sha256]) expectSameReading(path, ['for-each-ref']);
  });

  it.each(FIELDS)('%%(%s), of the ref and of what a tag comes down to', (field) => {
    for (const path of [sha1, sha256]) {
      expectSameReading(path, ['for-each-ref', `--format=%(${field})|%(*${field})`]);
    }
  });

  it.each(PUSH_FIELDS)('%%(%s), wherever branches are pushed to', (field) => {
    for (const mode of ['simple', 'current', 'matching', 'upstream', 'nothing']) {
      const settings = ['-c', `push.default=${mode}`];
      expectSameReading(sha1, [...settings, 'for-each-ref', `--format=%(${field})`]);
    }
    for (const setting of [
      'remote.pushDefault=other',
      'branch.main.pushRemote=other',
      'remote.origin.push=refs/heads/*:refs/heads/*',
      'remote.origin.push=^refs/heads/main',
      'remote.origin.mirror=true',
    ]) {
      expectSameReading(sha1, ['-c', setting, 'for-each-ref', `--format=%(${field})`]);
    }
  });

  it.each(DATES)('dates: %s', (format) => {
    const args = ['for-each-ref', `--format=%(committerdate:${format})|%(taggerdate:${format})`];
    for (const TZ of ['UTC', 'America/New_York']) {
      expectSameReading(sha1, args, { env: { TZ, GIT_TEST_DATE_NOW: '1800003600' } });
    }
  });

  it.each([90, 5400, 90_000, 900_000, 5_000_000, 20_000_000, 70_000_000, 200_000_000, -5])(
    'dates that lie %d seconds back',
    (age) => {
      const env = { GIT_TEST_DATE_NOW: String(1_700_000_060 + age) };
      for (const format of ['relative', 'human']) {
        expectSameReading(sha1, ['for-each-ref', `--format=%(creatordate:${format})`], { env });
      }
    },
  );

  it.each(COLORS)('colors: %s', (color) => {
    const format = `--format=%(color:${color})%(refname)`;
    expectSameReading(sha1, ['for-each-ref', '--count=1', '--color', format]);
    expectSameReading(sha1, ['for-each-ref', '--count=1', format]);
  });

  it('puts colors back at the end of a line', () => {
    const format = '--format=%(color:green)%(refname)%(color:reset)%(objecttype)';
    expectSameReading(sha1, ['for-each-ref', '--color=always', format]);
    expectSameReading(sha1, ['for-each-ref', '--color=auto', format]);
  });

  it.each(LINES)('%s', (format) => {
    for (const style of [[], ['--shell'], ['--perl'], ['--python'], ['--tcl']]) {
      expectSameReading(sha1, ['for-each-ref', ...style, `--format=${format}`]);
    }
    expectSameReading(sha256, ['for-each-ref', '--omit-empty', `--format=${format}`]);
  });

  it.each(['-s', '-p', '--python', '--tcl'])('quotes messages and blocks: %s', (style) => {
    const format = '%(contents)%(if)%(symref)%(then)x%(refname)%(else)y%(subject)%(end)!';
    expectSameReading(sha1, ['for-each-ref', style, `--format=${format}`]);
    expectSameReading(sha1, ['for-each-ref', style, '--format=%(raw)', 'refs/tags']);
  });

  it.each(BAD_FORMATS)('refuses %s', (format) => {
    expectSameReading(sha1, ['for-each-ref', `--format=${format}`]);
  });

  it.each([
    'describe',
    'is-base:HEAD',
    'signature',
    'trailers',
    'contents:trailers',
    'deltabase',
    'objectsize:disk',
    'authorname:mailmap',
  ])('refuses %%(%s), which it does not know', (field) => {
    const args = ['for-each-ref', `--format=%(${field})`];
    expect(git.run(args, { cwd: sha1 }).code).toBe(0);
    const result = reftable(args, { cwd: sha1 });
    expect(result).toMatchObject({ code: 128, stdout: '' });
    expect(result.stderr).toMatch(/^fatal: .* is not supported: /);
  });

  it('writes names that are no UTF-8 as the bytes that they are', () => {
    const { stdoutBytes } = expectSameReading(sha1, ['for-each-ref', '--format=%(refname:short)']);
    expect(stdoutBytes.includes(Buffer.from('caf\xe9\n', 'latin1'))).toBe(true);
  });
});
