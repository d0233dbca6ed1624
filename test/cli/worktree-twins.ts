// Twin repositories with three linked worktrees each, one for Git and one for the command line, in which both are
// given the same commands.

import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openRefStore } from '../../src/index.ts';
import { ENVIRONMENT, type GitResult, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { reftable } from './command-line.ts';

export const WORKTREES = ['main', 'w1', 'w2', 'w3'] as const;
export type Worktree = (typeof WORKTREES)[number];

/** A command of one worktree: its arguments, or `update-ref --stdin` with these lines. */
export type Step = [Worktree, ...string[]] | { in: Worktree; lines: string[]; options?: string[] };

/** The repository in `main`, and `w1`, `w2` on branches of their names, and `w3` on none, beside it. */
export interface Original {
  folder: string;
  /** `A` and `B` stand for its commits in commands. */
  commits: { A: string; B: string };
}

export function makeOriginal(objectFormat: string, refFormat = 'reftable'): Original {
  const folder = temporaryFolder();
  const main = join(folder, 'main');
  const run = (...args: string[]) => git.output(args, { cwd: main }).trimEnd();
  const formats = [`--ref-format=${refFormat}`, `--object-format=${objectFormat}`];
  git.output(['init', '-q', ...formats, main]);
  run('commit', '-q', '--allow-empty', '-m', 'first');
  const A = run('rev-parse', 'HEAD');
  run('commit', '-q', '--allow-empty', '-m', 'second');
  const B = run('rev-parse', 'HEAD');
  // A copy of the folder is then a repository of its own.
  const add = ['worktree', 'add', '-q', '--relative-paths'];
  run(...add, '-b', 'w1', '../w1', A);
  run(...add, '-b', 'w2', '../w2', A);
  run(...add, '--detach', '../w3', A);
  return { folder, commits: { A, B } };
}

export class WorktreeTwins {
  readonly ofGit: string;
  readonly ours: string;
  readonly #commits: Original['commits'];

  /** `other` is Git's, where it is not made from the same original. */
  constructor(original: Original, other = original) {
    const folder = temporaryFolder();
    this.ofGit = join(folder, 'git');
    this.ours = join(folder, 'ours');
    cpSync(other.folder, this.ofGit, { recursive: true });
    cpSync(original.folder, this.ours, { recursive: true });
    this.#commits = original.commits;
  }

  /** Takes a step in both; expects the same exit code and output. */
  expectSame(step: Step): void {
    const [expected, actual] = this.run(step);
    const shown = ({ code, stdout, stderr }: GitResult) => ({ step, code, stdout, stderr });
    expect(shown(actual)).toEqual(shown(expected));
  }

  run(step: Step): [GitResult, GitResult] {
    const [worktree, ...words] = Array.isArray(step)
      ? step
      : [step.in, 'update-ref', '-m', 'the message', ...(step.options ?? []), '--stdin'];
    const args = words.map((word) => this.#withIds(word));
    const lines = Array.isArray(step) ? [] : step.lines;
    const input = lines.map((line) => `${this.#withIds(line)}\n`).join('');
    return [
      git.run(args, { cwd: join(this.ofGit, worktree), input }),
      reftable(args, { cwd: join(this.ours, worktree), input }),
    ];
  }

  /** Expects the same refs, symrefs and reflogs in all worktrees, and that Git finds nothing wrong with ours. */
  expectSameState(): void {
    expect(stateOf(this.ours)).toEqual(stateOf(this.ofGit));
    const { stdout, stderr } = git.run(['refs', 'verify'], { cwd: join(this.ours, 'main') });
    expect(stdout + stderr).toBe('');
  }

  #withIds(text: string): string {
    const { A, B } = this.#commits;
    return text.replace(/\b[ABZ]\b/g, (id) => ({ A, B })[id] ?? '0'.repeat(A.length));
  }
}

/** All that Git reads in each worktree. */
function stateOf(folder: string) {
  return WORKTREES.map((worktree) => {
    const cwd = join(folder, worktree);
    const format = '--format=%(refname) %(objectname) %(symref)';
    const names = git.output(['reflog', 'list'], { cwd }).split('\n').slice(0, -1);
    const reflogs = names.map((name) => {
      const entry = '--format=%gD %H %gn %ge %gs';
      return git.run(['log', '-g', '--date=raw', entry, name, '--'], { cwd }).stdout;
    });
    return {
      worktree,
      refs: git.output(['for-each-ref', '--include-root-refs', format], { cwd }),
      head: git.run(['symbolic-ref', 'HEAD'], { cwd }).stdout,
      names,
      reflogs,
    };
  });
}

/** What the library reads in a worktree, line by line as Git prints it. */
export function refsRead(folder: string, worktree: Worktree): string {
  using store = openRefStore(gitDirOf(folder, worktree), { env: ENVIRONMENT });
  return [...store.refs({ includeRoot: true })]
    .map(({ name, target }) => `${name} ${store.resolve(name)?.oid} ${target ?? ''}\n`)
    .join('');
}

export function gitDirOf(folder: string, worktree: Worktree): string {
  const main = join(folder, 'main/.git');
  return worktree === 'main' ? main : join(main, 'worktrees', worktree);
}

/** The stacks' lists of tables, to see which of them a command has changed. */
export function lists(folder: string): Record<Worktree, string> {
  const read = (worktree: Worktree) =>
    readFileSync(join(gitDirOf(folder, worktree), 'reftable/tables.list'), 'utf8');
  return Object.fromEntries(WORKTREES.map((each) => [each, read(each)])) as never;
}
