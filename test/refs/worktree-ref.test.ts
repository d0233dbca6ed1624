// A ref name belongs to the worktree that Git takes it for: what Git writes lands in the stack that we say.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseWorktreeRef } from '../../src/refs/worktrees/worktree-ref.ts';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** As seen from the linked worktree `w1`: whose the ref is, and what it is called there. */
const NAMES: [name: string, owner: 'main' | 'w1' | 'w2', bare: string, worktree: string][] = [
  ['HEAD', 'w1', 'HEAD', 'current'],
  ['ORIG_HEAD', 'w1', 'ORIG_HEAD', 'current'],
  ['ANY-THING_AT-ALL', 'w1', 'ANY-THING_AT-ALL', 'current'],
  ['refs/bisect/bad', 'w1', 'refs/bisect/bad', 'current'],
  ['refs/worktree/a/b', 'w1', 'refs/worktree/a/b', 'current'],
  ['refs/rewritten/x', 'w1', 'refs/rewritten/x', 'current'],
  ['refs/bisected/x', 'main', 'refs/bisected/x', 'shared'],
  ['refs/worktrees/x', 'main', 'refs/worktrees/x', 'shared'],
  ['refs/remotes/r/x', 'main', 'refs/remotes/r/x', 'shared'],
  ['refs/heads/HEAD', 'main', 'refs/heads/HEAD', 'shared'],
  ['main-worktree/ORIG_HEAD', 'main', 'ORIG_HEAD', 'main'],
  ['main-worktree/refs/bisect/bad', 'main', 'refs/bisect/bad', 'main'],
  ['main-worktree/refs/heads/x', 'main', 'main-worktree/refs/heads/x', 'shared'],
  ['worktrees/w2/ORIG_HEAD', 'w2', 'ORIG_HEAD', 'linked'],
  ['worktrees/w2/refs/worktree/x', 'w2', 'refs/worktree/x', 'linked'],
  ['worktrees/w2/refs/heads/x', 'main', 'worktrees/w2/refs/heads/x', 'shared'],
  ['worktrees/w2/refs/bisect', 'main', 'worktrees/w2/refs/bisect', 'shared'],
  ['worktrees/w2/worktrees/w1/HEAD', 'main', 'worktrees/w2/worktrees/w1/HEAD', 'shared'],
];

describe('parseWorktreeRef', () => {
  it.each(NAMES)('%s', (name, owner, bare, worktree) => {
    const id = worktree === 'linked' ? { id: owner } : {};
    expect(parseWorktreeRef(name)).toEqual({ worktree, name: bare, ...id });
  });

  it('finds no ref in the name of a worktree alone', () => {
    const nothing = { worktree: 'linked', id: 'w2', name: '' };
    expect(parseWorktreeRef('worktrees/w2')).toEqual(nothing);
    expect(parseWorktreeRef('worktrees/w2/')).toEqual(nothing);
  });
});

describeWithGit('a ref that Git writes from a linked worktree', () => {
  it('lands in the stack of its owner', () => {
    const folder = temporaryFolder();
    const main = join(folder, 'main');
    git.output(['init', '-q', '--ref-format=reftable', main]);
    git.output(['commit', '-q', '--allow-empty', '-m', 'first'], { cwd: main });
    for (const id of ['w1', 'w2']) {
      git.output(['worktree', 'add', '-q', '--detach', join(folder, id)], { cwd: main });
    }
    // HEAD has to change to be written.
    git.output(['commit', '-q', '--allow-empty', '-m', 'second'], { cwd: main });
    const oid = git.output(['rev-parse', 'HEAD'], { cwd: main }).trimEnd();
    const stacks = { main: '', w1: 'worktrees/w1', w2: 'worktrees/w2' };
    const lists = () =>
      Object.entries(stacks).map(([owner, path]) => [
        owner,
        readFileSync(join(main, '.git', path, 'reftable/tables.list'), 'utf8'),
      ]);
    for (const [name, owner] of NAMES) {
      const before = lists();
      const options = { cwd: join(folder, 'w1') };
      git.output(['update-ref', '--create-reflog', '-m', name, name, oid], options);
      const changed = lists().filter(([, list], i) => list !== before[i]![1]);
      expect({ name, changed: changed.map(([each]) => each) }).toEqual({ name, changed: [owner] });
    }
  });
});
