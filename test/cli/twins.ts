// Twin repositories, one for Git and one for the command line, to give both the same commands.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openRefStore } from '../../src/index.ts';
import { type GitOptions, type GitResult, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { reftable } from './command-line.ts';

/** A repository made by Git with refs of every kind, and the ids of its two commits and its tag. */
export interface Original {
  path: string;
  first: string;
  second: string;
  tag: string;
}

export function makeOriginal(objectFormat: 'sha1' | 'sha256' = 'sha1'): Original {
  const path = join(temporaryFolder(), 'original');
  const run = (...args: string[]) => git.output(args, { cwd: path }).trimEnd();
  git.output(['init', '-q', '--ref-format=reftable', `--object-format=${objectFormat}`, path]);
  run('commit', '-q', '--allow-empty', '-m', 'first');
  const first = run('rev-parse', 'HEAD');
  run('commit', '-q', '--allow-empty', '-m', 'second');
  const second = run('rev-parse', 'HEAD');
  run('tag', '-m', 'annotated', 'v1');
  run('tag', 'light', first);
  run('branch', 'topic/one', first);
  run('branch', 'topic/two');
  // A name that is a branch and a tag.
  run('branch', 'both', first);
  run('tag', 'both');
  run('update-ref', 'refs/remotes/origin/main', first);
  run('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
  run('symbolic-ref', 'refs/heads/alias', 'refs/heads/topic/one');
  run('symbolic-ref', 'refs/heads/dangling', 'refs/heads/nowhere');
  run('update-ref', 'ORIG_HEAD', first);
  return { path, first, second, tag: run('rev-parse', 'v1') };
}

export interface TwinOptions extends Omit<GitOptions, 'cwd'> {
  /** Whether what a command says when it is called the wrong way may differ: only its first line counts. */
  usage?: boolean;
}

/**
 * Gives the same arguments to Git and to the command line, each in a copy of the original, and expects
 * the same exit code and output, and the same refs and reflogs after it.
 */
export function expectSame(
  original: Original,
  args: readonly string[],
  { usage = false, ...options }: TwinOptions = {},
): GitResult {
  const folder = temporaryFolder();
  const ofGit = join(folder, 'git');
  const ours = join(folder, 'ours');
  for (const copy of [ofGit, ours]) cpSync(original.path, copy, { recursive: true });
  const expected = git.run(args, { ...options, cwd: ofGit });
  const actual = reftable(args, { ...options, cwd: ours });
  const shown = (result: GitResult) => ({
    code: result.code,
    stdout: result.stdoutBytes.toString('latin1'),
    stderr: usage ? firstLine(result.stderr) : result.stderr,
  });
  expect(shown(actual)).toEqual(shown(expected));
  expect(stateOf(ours)).toEqual(stateOf(ofGit));
  return actual;
}

/** Gives arguments that change nothing to Git and to the command line in one repository: they print the same. */
export function expectSameReading(
  path: string,
  args: readonly string[],
  options: Omit<GitOptions, 'cwd'> = {},
): GitResult {
  const expected = git.run(args, { ...options, cwd: path });
  const actual = reftable(args, { ...options, cwd: path });
  const shown = ({ code, stdoutBytes, stderr }: GitResult) => ({
    code,
    stdout: stdoutBytes.toString('latin1'),
    stderr: code === 129 ? firstLine(stderr) : stderr,
  });
  expect(shown(actual)).toEqual(shown(expected));
  return actual;
}

/** What Git calls itself in its usage is its name. */
function firstLine(text: string): string {
  const line = text.split('\n', 1)[0]!;
  return line.startsWith('usage: ') ? 'usage: …' : line;
}

/** All refs as Git reads them; where symrefs lead, which it does not tell of those that dangle; and all reflogs. */
function stateOf(path: string): { refs: string; symrefs: string[]; reflogs: string[] } {
  const format = '--format=%(refname) %(objectname) %(*objectname) %(symref)';
  const refs = git.output(['for-each-ref', '--include-root-refs', format], { cwd: path });
  using store = openRefStore(join(path, '.git'));
  const symrefs = [...store.refs({ includeRoot: true })]
    .filter(({ target }) => target !== undefined)
    .map(({ name, target }) => `${name} ${target}`);
  // By ourselves: a `git log` for each took longer than all else. Others compare what the two read.
  const reflogs = [...store.reflogNames()].flatMap((name) => [
    name,
    ...Array.from(store.reflog(name), ({ updateIndex, ...entry }) => JSON.stringify(entry)),
  ]);
  return { refs, symrefs, reflogs };
}
