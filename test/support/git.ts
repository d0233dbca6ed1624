// Real Git, for tests that compare with it: REFTABLE_TEST_GIT, else `git` on the PATH if it knows
// reftable (2.45 or newer). Every run has the same environment, whatever the machine's settings.

import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith } from './wanted.ts';

const ADVICE =
  'Set REFTABLE_TEST_GIT to a Git 2.45 or newer; test/support/install-git.sh gets one.';

/** What every command that a test runs finds in its environment, whatever the machine has. */
export const ENVIRONMENT = {
  PATH: process.env.PATH,
  TMPDIR: tmpdir(),
  // Never made: no settings, attributes or ignore files are found there.
  HOME: join(tmpdir(), 'reftable-test-has-no-home'),
  LC_ALL: 'C',
  TZ: 'UTC',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'init.defaultBranch',
  GIT_CONFIG_VALUE_0: 'main',
  GIT_AUTHOR_NAME: 'Ann Author',
  GIT_AUTHOR_EMAIL: 'ann@example.com',
  GIT_AUTHOR_DATE: '1700000000 +0100',
  GIT_COMMITTER_NAME: 'Cy Committer',
  GIT_COMMITTER_EMAIL: 'cy@example.com',
  GIT_COMMITTER_DATE: '1700000060 -0230',
};

export interface GitOptions {
  cwd?: string;
  /** Standard input; empty when absent. */
  input?: string | Uint8Array;
  /** Added to the fixed environment; `undefined` takes a variable away. */
  env?: Record<string, string | undefined>;
}

export interface GitResult {
  /** The exit code, or -1 when a signal ended Git. */
  code: number;
  stdout: string;
  stderr: string;
  /** Standard output undecoded, for names that are not UTF-8. */
  stdoutBytes: Buffer;
}

const executable = findGit();

/** For a process that runs Git itself; `undefined` where there is none. */
export const gitExecutable = executable;

export const git = {
  /** Runs `git ...args` to its end, whatever its exit code. */
  run(args: readonly string[], options: GitOptions = {}): GitResult {
    if (executable === undefined) throw new Error(`no Git to test with: ${ADVICE}`);
    const result = spawnSync(executable, args, {
      cwd: options.cwd ?? tmpdir(),
      input: options.input ?? '',
      env: { ...ENVIRONMENT, ...options.env },
      maxBuffer: 2 ** 30,
    });
    throwUnlessDone(result.error);
    return {
      code: result.status ?? -1,
      stdout: result.stdout.toString(),
      stderr: result.stderr.toString(),
      stdoutBytes: result.stdout,
    };
  },

  /** Runs `git ...args`, which must succeed, and gives what it printed. */
  output(args: readonly string[], options: GitOptions = {}): string {
    const { code, stdout, stderr } = git.run(args, options);
    if (code !== 0) throw new Error(`git ${args.join(' ')}: exit code ${code}\n${stderr}`);
    return stdout;
  },
};

/** A process that ends before it has read its input has ended all the same. */
export function throwUnlessDone(error: NodeJS.ErrnoException | undefined): void {
  if (error !== undefined && error.code !== 'EPIPE') throw error;
}

/**
 * `describe`, for tests that need Git. Without Git they are skipped and a line says so; where
 * REFTABLE_REQUIRE_GIT is 1 they fail instead.
 */
export function describeWithGit(name: string, fn: () => void): void {
  const isThere = executable !== undefined;
  const requiredBy = 'REFTABLE_REQUIRE_GIT';
  describeWith({ isThere, what: 'Git to compare with', requiredBy, advice: ADVICE }, name, fn);
}

function findGit(): string | undefined {
  const chosen = process.env.REFTABLE_TEST_GIT;
  const candidate = chosen || 'git';
  const { stdout } = spawnSync(candidate, ['--version'], { encoding: 'utf8' });
  const [, major, minor] = /^git version (\d+)\.(\d+)/.exec(stdout ?? '') ?? [];
  const knowsReftable = Number(major) * 1000 + Number(minor) >= 2045;
  if (chosen && !knowsReftable) throw new Error(`REFTABLE_TEST_GIT is ${chosen}. ${ADVICE}`);
  return knowsReftable ? candidate : undefined;
}
