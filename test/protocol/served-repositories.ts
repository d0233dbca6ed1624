// Repositories to be served, of either ref format, and a line of `git` that asks for their refs.

import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { ENVIRONMENT, git, gitExecutable } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A `PATH` on which the Git that is compared with is the first. */
export const GIT_PATH = isAbsolute(gitExecutable ?? '')
  ? `${dirname(gitExecutable!)}${delimiter}${ENVIRONMENT.PATH}`
  : ENVIRONMENT.PATH;

export type RefFormat = 'reftable' | 'files';

/** Refs of every kind: branches, annotated and light tags, symrefs of which one dangles, names that are not ASCII. */
export function makeServed(refFormat: RefFormat, objectFormat: 'sha1' | 'sha256' = 'sha1'): string {
  const path = join(temporaryFolder(), 'served');
  git.output(['init', '-q', `--ref-format=${refFormat}`, `--object-format=${objectFormat}`, path]);
  const run = (...args: string[]) => git.output(args, { cwd: path }).trimEnd();
  run('commit', '-q', '--allow-empty', '-m', 'first');
  run('branch', 'topic/one');
  run('branch', 'topic/tüv');
  run('tag', 'light');
  run('commit', '-q', '--allow-empty', '-m', 'second');
  run('tag', '-m', 'annotated', 'v1');
  run('tag', '-m', 'of a tag', 'v1-again', 'v1');
  run('update-ref', 'refs/changes/01/1', 'HEAD');
  run('update-ref', 'refs/notes/tag-object', 'v1');
  run('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/heads/main');
  run('symbolic-ref', 'refs/heads/dangling', 'refs/heads/nowhere');
  for (const name of ['refs/heads/main', 'refs/tags/v1', 'refs/heads/inner']) {
    run('update-ref', `refs/namespaces/a/${name}`, name === 'refs/tags/v1' ? 'v1' : 'HEAD');
  }
  run('symbolic-ref', 'refs/namespaces/a/HEAD', 'refs/namespaces/a/refs/heads/main');
  run('update-ref', 'refs/namespaces/a/refs/namespaces/b/refs/heads/main', 'HEAD');
  return path;
}

/** As a shell has to read it. */
export function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
}

/** What a client prints, and whether that went well. */
export function askGit(
  args: readonly string[],
  env: Record<string, string | undefined> = {},
  cwd?: string,
): { code: number; stdout: string; stderr: string } {
  const { code, stdoutBytes, stderr } = git.run(args, { env, ...(cwd && { cwd }) });
  return { code, stdout: stdoutBytes.toString('latin1'), stderr };
}
