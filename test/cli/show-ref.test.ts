// `show-ref` prints what Git's prints, and ends as it does.

import { beforeAll, describe, expect, it } from 'vitest';
import { openRefStore } from '../../src/index.ts';
import { describeWithGit } from '../support/git.ts';
import { buildCommandLine } from './command-line.ts';
import { makeListedRepository } from './listed-repository.ts';
import { expectSameReading } from './twins.ts';

beforeAll(buildCommandLine);

describeWithGit('show-ref', () => {
  describe.each(['sha1', 'sha256'] as const)('in a %s repository', (objectFormat) => {
    let path: string;
    beforeAll(() => {
      path = makeListedRepository(objectFormat);
    });

    it.each([
      '',
      '--head',
      '--branches',
      '--heads',
      '--tags',
      '--tags --heads',
      '--branches --no-branches',
      '-d',
      '--dereference --tags',
      '-d vv1',
      '-s',
      '--hash',
      '--no-hash',
      '--hash=8',
      '-s8',
      '--hash=2 main',
      '--hash=x',
      '--hash=',
      '--abbrev',
      '--abbrev=12 main',
      '--abbrev=0',
      '--abbrev=-3',
      '--abbrev=100',
      '--no-abbrev',
      '--abbrev=5 --hash=9',
      '--hash=9 --abbrev=5',
      '-ds both',
      '-d --abbrev vv1',
      'main',
      '日本語',
      'origin/main HEAD',
      '--head nothing',
      '-d --head HEAD',
      'nothing',
      'ain',
      'heads/main tags/v1',
      '-q main',
      '-q nothing',
    ])('%s', (line) => {
      expectSameReading(path, ['show-ref', ...words(line)]);
    });

    it.each([
      '--verify refs/heads/main',
      '--verify HEAD ORIG_HEAD',
      '--verify -d refs/tags/v1 refs/tags/vv1',
      '--verify refs/heads/alias',
      '--verify main',
      '--verify -q main',
      '--verify -q refs/heads/main',
      '--verify refs/heads/dangling',
      '--verify refs/heads/../x',
      '--verify',
      '--exists refs/heads/main',
      '--exists refs/heads/dangling',
      '--exists refs/heads/nothing',
      '--exists refs/heads/topic',
      '--exists HEAD',
      '--exists bad..name',
      '--exists',
      '--exists refs/heads/main refs/heads/both',
    ])('%s', (line) => {
      expectSameReading(path, ['show-ref', ...words(line)]);
    });
  });

  describe('with options that do not fit', () => {
    let path: string;
    beforeAll(() => {
      path = makeListedRepository('sha1');
    });

    it.each([
      '--verify --exists refs/heads/main',
      '--exclude-existing --verify',
      '--exclude-existing=x --exists',
      '--exclude-existing --exists --verify',
      '--no-exclude-existing',
      '--no-tags',
      '-x',
    ])('%s', (line) => {
      expectSameReading(path, ['show-ref', ...words(line)]);
    });

    it.each(['', '=refs/heads', '=', '=nothing'])('--exclude-existing%s', (prefix) => {
      const input = [
        'x refs/heads/main',
        'refs/heads/new',
        'two\trefs/tags/new^{}',
        'bad..name',
        '',
        'HEAD',
        'refs/heads/dangling',
        'refs/heads/both^{}',
        '3f refs/heads/last',
      ].join('\n');
      expectSameReading(path, ['show-ref', `--exclude-existing${prefix}`], { input });
    });

    it('refuses to show a ref whose object is missing, behind those before it', async () => {
      const store = openRefStore(`${path}/.git`, { objects: false });
      const newOid = '1'.repeat(40);
      await store.transaction([{ type: 'create', ref: 'refs/heads/missing', newOid }]);
      store.close();
      const { stderr } = expectSameReading(path, ['show-ref']);
      expect(stderr).toBe(`fatal: git show-ref: bad ref refs/heads/missing (${newOid})\n`);
      expectSameReading(path, ['show-ref', '-q', '--branches']);
      expectSameReading(path, ['show-ref', '--verify', 'refs/heads/missing']);
      expectSameReading(path, ['show-ref', '--exists', 'refs/heads/missing']);
      expectSameReading(path, ['for-each-ref']);
      expectSameReading(path, ['for-each-ref', '--format=%(refname)']);
      expectSameReading(path, ['for-each-ref', '--points-at=HEAD']);
    });
  });
});

/** Splits at spaces. */
function words(line: string): string[] {
  return line === '' ? [] : line.split(' ');
}
