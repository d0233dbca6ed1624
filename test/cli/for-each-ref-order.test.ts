// `for-each-ref` chooses and orders refs as Git does: patterns, what is left out, keys to sort by, and what
// the history behind a ref tells.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { describeWithGit } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildCommandLine } from './command-line.ts';
import { makeListedRepository } from './listed-repository.ts';
import { expectSameReading } from './twins.ts';

beforeAll(buildCommandLine);

const SORT_KEYS = [
  ...['refname', '-refname', 'refname:short', 'v:refname', '-version:refname', 'objectname'],
  ...['creatordate', '-creatordate', 'authordate:iso', 'objecttype', 'objectsize', '-objectsize'],
  ...['numparent', 'subject', 'taggerdate', '*objectname', 'symref', 'HEAD', 'contents:size'],
  ...['committeremail', 'body', '*creatordate', 'raw:size', 'raw', 'upstream', 'ahead-behind:main'],
];

const SELECTIONS = [
  ...['--include-root-refs', '--include-root-refs --count=2', '--include-root-refs HEAD'],
  ...['--count=0', '--count=3', '--count=-1', '--count=x', '--count=1k', '--count', '--no-count'],
  ...['refs/heads', 'refs/heads/', 'refs/head', 'refs/heads/topic refs/tags/v1', 're', 'r*'],
  ...['refs/heads/* refs/heads/both', 'refs/heads/**', 'refs/**/one', 'refs/**', '**/main'],
  ...['refs/*/main', 'refs/heads/[bm]*', 'refs/heads/[!bm]*', 'refs/heads/[^bm]*', 'HEAD'],
  ...['refs/tags/[[:alpha:]][[:digit:]]', 'refs/heads/[b', 'refs/heads/b?th refs/tags/\\v1'],
  ...['main', 'refs/tags refs/heads', 'refs/heads refs/heads/both', 'refs/heads/caf?'],
  ...['refs/heads/?????????', 'refs/heads/[[:foo:]]', 'refs/heads/[z-a]', 'refs/heads/b**'],
  ...['refs/tags/v1.[0-9]*', 'refs/tags/v1.[]-a0-9]*', 'refs/heads/main\\', 'refs/heads/日本語'],
  ...['--exclude=refs/heads', '--exclude=refs/heads --exclude=refs/tags/v1*', '--exclude='],
  ...['--exclude=refs/heads/b* refs/heads', '--exclude=refs/heads/bo refs/heads'],
  ...['--exclude=refs/heads/both refs/heads', '--no-exclude', '--exclude=refs/tags --no-exclude'],
  ...['--ignore-case refs/heads/BOTH', '--ignore-case refs/heads/B*', '--ignore-case REFS/HEADS'],
  ...['--ignore-case refs/heads/[B]*', '--ignore-case refs/heads/[A-C]*'],
  ...['--ignore-case refs/heads/[[:upper:]]*', '--ignore-case --exclude=REFS/heads/* refs/heads'],
  ...['--ignore-case --sort=refname', '--ignore-case --sort=-refname', '--ignore-case'],
  ...['--start-after=refs/heads/main', '--start-after=refs/heads', '--start-after=x'],
  ...['--start-after=refs/tags/v1 --count=3', '--start-after=refs/heads --sort=refname'],
  ...['--start-after=refs/heads refs/tags', '--start-after=refs/heads --include-root-refs'],
  ...['--start-after=FOO --include-root-refs', '--stdin refs/heads'],
  ...['--points-at=HEAD', '--points-at=v1', '--points-at=main --points-at=light'],
  ...['--points-at=nothing', '--points-at', '--points-at=HEAD --no-points-at', '--points-at=blob'],
  ...['--merged', '--merged=light', '--merged light', '--merged main --no-merged light'],
  ...['--no-merged=light', '--no-merged', '--contains', '--contains light', '--contains=v1'],
  ...['--contains=nothing', '--contains=blob', '--merged=blob', '--merged=nothing'],
  ...['--no-contains light', '--contains light --no-contains v1', '--merged=tree'],
  ...['--contains topic/one refs/heads', '--no-merged topic/one --count=2'],
  ...['--color=foo', '-x', '--nonsense', '-s -p', '--sort', '--sort=', '--sort=-', '--sort=foo'],
  ...['--sort=v:', '--sort=-v:foo', '--sort=refname:x', '--no-sort', '--no-sort --sort=-refname'],
  ...['--sort=objecttype --sort=-refname', '--sort=-objecttype --sort=v:refname --count=5'],
];

describeWithGit('for-each-ref', () => {
  let sha1: string;
  let sha256: string;
  beforeAll(() => {
    sha1 = makeListedRepository('sha1');
    sha256 = makeListedRepository('sha256');
  });

  it.each(SORT_KEYS)('--sort=%s', (key) => {
    for (const path of [sha1, sha256]) {
      expectSameReading(path, ['for-each-ref', '--format=%(refname)', `--sort=${key}`]);
    }
  });

  it.each(SELECTIONS)('%s', (line) => {
    expectSameReading(sha1, ['for-each-ref', '--format=%(refname)', ...line.split(' ')]);
    expectSameReading(sha1, ['for-each-ref', '--format=%(objectname) %(tag)', ...line.split(' ')]);
  });

  it.each([
    [['versionsort.suffix=-rc']],
    [['versionsort.suffix=-rc', 'versionsort.suffix=-rc2']],
    [['versionsort.suffix=.0', 'versionsort.suffix=-rc']],
    [['versionsort.prereleaseSuffix=-rc']],
    [['versionsort.prereleaseSuffix=-rc', 'versionsort.suffix=1']],
  ])('orders versions with %j', (settings) => {
    const options = settings.flatMap((setting) => ['-c', setting]);
    const args = ['for-each-ref', '--format=%(refname)', '--sort=v:refname', 'refs/tags'];
    expectSameReading(sha1, [...options, ...args]);
  });

  it('orders versions by settings that hold on the branch', () => {
    const file = join(temporaryFolder(), 'settings');
    writeFileSync(file, '[versionsort]\nsuffix = -rc\n');
    const [main, other] = ['main', 'other'].map((branch) => {
      const setting = `includeIf.onbranch:${branch}.path=${file}`;
      const args = ['for-each-ref', '--format=%(refname)', '--sort=v:refname', 'refs/tags'];
      return expectSameReading(sha1, ['-c', setting, ...args]).stdout;
    });
    expect(main).not.toBe(other);
  });

  it.each(['', '\n', 'refs/heads\r\nrefs/tags/v1\n', 'refs/heads/*', 'a\n\nrefs/tags'])(
    'reads patterns from its input: %j',
    (input) => {
      const args = ['for-each-ref', '--format=%(refname)', '--stdin'];
      expectSameReading(sha1, args, { input });
      expectSameReading(sha1, [...args, '--sort=-refname', '--start-after=x'], { input });
    },
  );
});
