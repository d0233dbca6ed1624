// Refs are listed as Git lists them where they are in several tables, which overlap, and hide what older ones hold.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildCommandLine } from './command-line.ts';
import { expectSameReading } from './twins.ts';

const TABLES = 6;
const REFS = 700;

beforeAll(buildCommandLine);

describeWithGit('a stack of several tables', () => {
  const path = join(temporaryFolder(), 'several');

  beforeAll(() => {
    git.output(['init', '-q', '--ref-format=reftable', path]);
    // Git would merge the tables.
    const env = { GIT_TEST_REFTABLE_AUTOCOMPACTION: 'false' };
    const run = (args: string[], input?: string) => git.output(args, { cwd: path, env, input });
    const commits = ['one', 'two'].map((message) => {
      run(['commit', '-q', '--allow-empty', '-m', message]);
      return run(['rev-parse', 'HEAD']).trim();
    });
    run(['tag', '-m', 'annotated', 'v1']);
    const tag = run(['rev-parse', 'v1']).trim();
    for (let t = 0; t < TABLES; t++) {
      const lines: string[] = [];
      for (let i = 0; i < REFS; i++) {
        const name = `refs/${i % 5 === 0 ? 'tags' : 'heads'}/n${String(i).padStart(4, '0')}`;
        const isOurs = t === 0 ? i % 3 > 0 : i % 7 === t || (i > 300 && i < 340);
        if (!isOurs) continue;
        if (t > 0 && i % 11 === t) lines.push(`delete ${name}\n`);
        else lines.push(`update ${name} ${i % 5 === 0 ? tag : commits[(i + t) % 2]}\n`);
      }
      run(['update-ref', '--stdin'], lines.join(''));
      run(['symbolic-ref', `refs/heads/link-${t}`, `refs/heads/n000${t}`]);
    }
    const list = readFileSync(join(path, '.git', 'reftable', 'tables.list'), 'utf8');
    expect(list.trim().split('\n').length).toBeGreaterThan(TABLES);
  });

  it.each([
    ['for-each-ref'],
    ['for-each-ref', '--format=%(objectname) %(refname)'],
    ['for-each-ref', '--format=%(refname)', 'refs/heads'],
    ['for-each-ref', '--format=%(refname)', 'refs/tags/'],
    ['for-each-ref', '--format=%(refname)', 'refs/*/n0[13]*', 'refs/heads/link-1'],
    ['for-each-ref', '--format=%(refname)', '--exclude=refs/heads/n03*', '--exclude=refs/tags'],
    ['for-each-ref', '--format=%(refname)', '--start-after=refs/heads/n0320'],
    ['for-each-ref', '--format=%(refname)', '--include-root-refs'],
    ['for-each-ref', '--format=%(refname:short) %(symref)', '--count=400'],
    ['for-each-ref', '--count=10', '--sort=-refname'],
    ['for-each-ref', '--format=%(refname)', '--points-at=v1'],
    ['show-ref'],
    ['show-ref', '-d', '--tags'],
    ['show-ref', '--hash', 'n0311'],
  ])('%s %s %s %s', (...args) => {
    expectSameReading(path, args);
  });
});
