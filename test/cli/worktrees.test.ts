// In a repository with linked worktrees every command reads and writes what Git does, in each of the worktrees and
// across them; and what Git 2.55 loses arrives.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeWithGit, git } from '../support/git.ts';
import { buildCommandLine, reftable } from './command-line.ts';
import {
  gitDirOf,
  lists,
  makeOriginal,
  type Original,
  refsRead,
  type Step,
  WORKTREES,
  WorktreeTwins,
} from './worktree-twins.ts';

/** Each is run in twins of its own. */
const SCRIPTS: Record<string, Step[]> = {
  'a branch moved through HEAD is logged in its worktree': [
    ['w1', 'update-ref', '-m', 'moved', 'HEAD', 'B', 'A'],
    ['w1', 'update-ref', '-m', 'back', 'HEAD', 'A'],
    ['w1', 'reflog', 'show', 'HEAD'],
    ['w3', 'update-ref', '-m', 'detached', 'HEAD', 'B'],
    ['main', 'reflog', 'show', 'worktrees/w1/HEAD'],
  ],
  'a branch moved by its name is logged for the HEAD of the worktree that one is in alone': [
    ['main', 'update-ref', '-m', 'from main', 'refs/heads/w1', 'B'],
    ['w2', 'update-ref', '-m', 'from w2', 'refs/heads/main', 'A'],
    ['w1', 'update-ref', '-m', 'from w1', 'refs/heads/w1', 'A'],
    ['w3', 'update-ref', '-m', 'from w3', 'refs/heads/w1', 'B'],
  ],
  'one transaction, several stacks': [
    {
      in: 'w1',
      lines: [
        'create refs/bisect/bad A',
        'update HEAD B',
        'create refs/heads/new A',
        'create refs/worktree/x B',
        'create refs/tags/t A',
        'verify main-worktree/HEAD B',
        'verify worktrees/w3/HEAD A',
      ],
    },
    {
      in: 'w1',
      lines: ['delete refs/bisect/bad A', 'delete refs/heads/new', 'update ORIG_HEAD A'],
    },
    {
      in: 'w2',
      lines: ['create refs/bisect/bad B', 'symref-create refs/worktree/s refs/heads/main'],
    },
    { in: 'main', lines: ['create refs/bisect/bad A', 'update refs/heads/w2 B'] },
    ['w2', 'for-each-ref', '--include-root-refs'],
    ['w1', 'show-ref', '--head'],
    ['main', 'show-ref'],
  ],
  'all or nothing across stacks': [
    { in: 'w1', lines: ['create refs/bisect/bad A', 'create refs/heads/main A'] },
    { in: 'w1', lines: ['create refs/heads/new A', 'verify main-worktree/HEAD A'] },
    { in: 'w1', lines: ['create refs/heads/new A', 'verify worktrees/w3/HEAD B'] },
    { in: 'w1', lines: ['update HEAD B', 'update refs/heads/w1 B'] },
    { in: 'w1', lines: ['update HEAD B', 'create refs/heads/w1/below A'] },
    { in: 'w2', lines: ['create refs/worktree/a A', 'create refs/worktree/a/b A'] },
    ['w1', 'update-ref', 'HEAD', 'B', 'B'],
    ['w1', 'update-ref', 'worktrees/nobody/refs/bisect/bad', 'A'],
    ['w1', 'update-ref', 'worktrees/nobody/HEAD', 'A'],
  ],
  'names in the way of names': [
    ['w1', 'update-ref', 'refs/bisect/a/b', 'A'],
    ['w1', 'update-ref', 'refs/bisect/a', 'A'],
    ['w1', 'update-ref', 'refs/bisect', 'A'],
    ['w2', 'update-ref', 'refs/bisect/a', 'A'],
    ['main', 'update-ref', 'refs/bisect/a/b/c', 'A'],
    ['main', 'update-ref', 'refs/heads/w1/x', 'A'],
  ],
  'symrefs from stack to stack': [
    ['w1', 'symbolic-ref', 'refs/worktree/to-main', 'refs/heads/main'],
    ['w1', 'update-ref', '-m', 'through', 'refs/worktree/to-main', 'A'],
    ['w1', 'symbolic-ref', 'refs/heads/to-own', 'refs/worktree/own'],
    ['w1', 'update-ref', '-m', 'through', 'refs/heads/to-own', 'B'],
    ['w2', 'for-each-ref', '--format=%(refname) %(objectname) %(symref)'],
    ['w1', 'for-each-ref', '--format=%(refname) %(objectname) %(symref)'],
    ['w1', 'symbolic-ref', '-m', 'switch', 'HEAD', 'refs/heads/main'],
    ['w1', 'update-ref', '-m', 'shared HEAD', 'HEAD', 'B'],
    ['main', 'update-ref', '-m', 'shared HEAD', 'HEAD', 'A'],
    ['w2', 'symbolic-ref', 'worktrees/w1/HEAD'],
    ['w2', 'symbolic-ref', 'main-worktree/HEAD'],
  ],
  'steps of a transaction': [
    { in: 'w1', lines: ['start', 'update HEAD B', 'create refs/bisect/x A', 'prepare', 'commit'] },
    { in: 'w1', lines: ['start', 'update HEAD A', 'create refs/bisect/y A', 'prepare', 'abort'] },
    { in: 'w2', lines: ['start', 'update HEAD B', 'create refs/tags/y A'] },
    {
      in: 'w2',
      options: ['--batch-updates'],
      lines: ['update HEAD B', 'create refs/bisect/x A', 'create refs/heads/main B'],
    },
  ],
  'HEAD and what it names deleted': [
    ['w2', 'update-ref', '-d', 'HEAD'],
    ['w1', 'update-ref', '--no-deref', '-d', 'ORIG_HEAD'],
    ['w1', 'update-ref', '-m', 'detaches', '--no-deref', 'HEAD', 'B'],
    ['main', 'update-ref', '-d', 'refs/heads/w1'],
  ],
  'reflogs by themselves': [
    ['w1', 'update-ref', '-m', 'one', 'HEAD', 'B'],
    ['w1', 'update-ref', '-m', 'two', 'HEAD', 'A'],
    ['w1', 'update-ref', '-m', 'bisect', '--create-reflog', 'refs/bisect/bad', 'A'],
    ['w1', 'reflog', 'list'],
    ['main', 'reflog', 'list'],
    ['w2', 'reflog', 'show', 'HEAD'],
    ['w1', 'reflog', 'delete', 'HEAD@{0}'],
    ['w1', 'reflog', 'expire', '--expire=all', 'refs/bisect/bad'],
    ['w2', 'reflog', 'drop', 'HEAD'],
  ],
  'all reflogs of one worktree': [
    ['w1', 'update-ref', '-m', 'bisect', '--create-reflog', 'refs/bisect/bad', 'A'],
    ['w2', 'reflog', 'expire', '--all', '--single-worktree', '--expire=all', '--verbose'],
    ['w1', 'reflog', 'drop', '--all', '--single-worktree'],
  ],
  'all reflogs of all worktrees expired from the main one': [
    ['w1', 'update-ref', '-m', 'bisect', '--create-reflog', 'refs/bisect/bad', 'A'],
    ['main', 'reflog', 'expire', '--all', '--expire=all'],
  ],
  'all reflogs of all worktrees expired from a linked one': [
    ['w2', 'update-ref', '-m', 'bisect', '--create-reflog', 'refs/bisect/bad', 'A'],
    ['w1', 'reflog', 'expire', '--all', '--expire=all'],
  ],
  'pack-refs is for the stack of the worktree': [
    ['w1', 'update-ref', 'refs/worktree/a', 'A'],
    ['w1', 'update-ref', 'refs/heads/a', 'A'],
    ['w1', 'pack-refs'],
    ['main', 'pack-refs'],
  ],
};

describeWithGit('linked worktrees', () => {
  const originals = new Map<string, Original>();
  beforeAll(() => {
    buildCommandLine();
    for (const format of ['sha1', 'sha256']) originals.set(format, makeOriginal(format));
  });

  describe.each(['sha1', 'sha256'])('of %s', (format) => {
    it.each(Object.keys(SCRIPTS))('%s', (name) => {
      const twins = new WorktreeTwins(originals.get(format)!);
      for (const step of SCRIPTS[name]!) twins.expectSame(step);
      twins.expectSameState();
      const symrefs = '--format=%(refname) %(objectname) %(symref)';
      for (const worktree of WORKTREES) {
        const cwd = join(twins.ofGit, worktree);
        const expected = git.output(['for-each-ref', '--include-root-refs', symrefs], { cwd });
        // A dangling symref is no ref to Git.
        expect(refsRead(twins.ours, worktree).replace(/.* undefined .*\n/g, '')).toBe(expected);
      }
    });
  });

  it('have the refs of others written where they are read, as by Git in the older format', () => {
    const twins = new WorktreeTwins(originals.get('sha1')!, makeOriginal('sha1', 'files'));
    const steps: Step[] = [
      ['main', 'update-ref', '-m', 'from main', 'worktrees/w1/HEAD', 'B', 'A'],
      ['main', 'update-ref', '-m', 'detached', 'worktrees/w3/HEAD', 'B', 'A'],
      ['w1', 'update-ref', '-m', 'into w2', 'worktrees/w2/refs/bisect/bad', 'A', 'Z'],
      ['w1', 'update-ref', '-m', 'into main', 'main-worktree/refs/bisect/bad', 'B'],
      ['w2', 'update-ref', '-m', 'main', 'main-worktree/HEAD', 'A'],
      {
        in: 'w2',
        lines: ['update HEAD B', 'update worktrees/w1/refs/worktree/x A', 'create refs/tags/t B'],
      },
      ['w1', 'update-ref', '-d', 'worktrees/w2/refs/bisect/bad', 'A'],
      ['w2', 'reflog', 'drop', '--all'],
    ];
    for (const step of steps) twins.expectSame(step);
    twins.expectSameState();
  });

  it('have one ref only once in a transaction, whatever it is called', () => {
    const twins = new WorktreeTwins(originals.get('sha1')!);
    const before = lists(twins.ours);
    const lines = ['update refs/worktree/x A', 'update worktrees/w1/refs/worktree/x B'];
    const [, { code, stderr }] = twins.run({ in: 'w1', lines });
    expect({ code, stderr }).toEqual({
      code: 128,
      stderr: "fatal: multiple updates for ref 'worktrees/w1/refs/worktree/x' not allowed\n",
    });
    expect(lists(twins.ours)).toEqual(before);
  });

  it('are locked stack by stack, all that a transaction writes to', () => {
    const { ours } = new WorktreeTwins(originals.get('sha1')!);
    const { B } = originals.get('sha1')!.commits;
    const update = (...args: string[]) =>
      reftable(['update-ref', ...args], { cwd: join(ours, 'w1') });
    const lock = join(gitDirOf(ours, 'main'), 'reftable/tables.list.lock');
    writeFileSync(lock, '');
    const before = lists(ours);
    expect(update('refs/heads/new', B).code).toBe(128);
    expect(update('HEAD', B).code).toBe(128);
    expect(lists(ours)).toEqual(before);
    expect(update('refs/bisect/bad', B).code).toBe(0);
    rmSync(lock);
    expect(update('HEAD', B).code).toBe(0);
  });

  it('are examined by the doctor with their repository, or one alone', () => {
    const { ours } = new WorktreeTwins(originals.get('sha1')!);
    const doctor = (worktree: string, ...args: string[]) =>
      reftable(['doctor', ...args], { cwd: join(ours, worktree) });
    expect(doctor('main')).toMatchObject({ code: 0, stderr: '' });
    const heads = WORKTREES.map((each) => join(gitDirOf(ours, each), 'HEAD'));
    const stubs = heads.map((file) => readFileSync(file, 'utf8'));
    writeFileSync(join(gitDirOf(ours, 'w2'), 'reftable/tables.list.lock'), '');
    const { code, stdout } = doctor('main', '--json');
    const { worktrees } = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(worktrees.map((each: { findings: unknown[] }) => each.findings.length)).toEqual([
      0, 1, 0,
    ]);
    expect(doctor('w1').code).toBe(0);
    expect(doctor('w2').code).toBe(1);
    expect(doctor('main', '--force-unlock').code).toBe(0);
    expect(heads.map((file) => readFileSync(file, 'utf8'))).toEqual(stubs);
  });
});
