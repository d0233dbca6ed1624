// Runs Git or the command line as a process, beside others, and gives what it said with the names of the
// programs and of the folders taken out.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { commandLine } from '../cli/command-line.ts';
import { ENVIRONMENT, gitExecutable } from '../support/git.ts';

export interface Said {
  /** The exit code, or the signal that ended the process. */
  code: number | string | null;
  /** A character a byte. */
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** A character a byte. */
  input?: string;
}

/** `folder` is the twin's, which is named nowhere in what is given back. */
export function runGit(
  args: readonly string[],
  folder: string,
  options?: RunOptions,
): Promise<Said> {
  return run([gitExecutable!, ...args], folder, options);
}

/** As `runGit`, for the command line. */
export function runOurs(
  args: readonly string[],
  folder: string,
  options?: RunOptions,
): Promise<Said> {
  return run([...commandLine(), ...args], folder, options);
}

/** As `runGit`, for a shell that finds `git`. */
export function runShell(script: string, folder: string): Promise<Said> {
  return run(['sh', '-c', `git() { '${gitExecutable}' "$@"; }\n${script}`], folder);
}

function run(
  [program, ...args]: [string, ...string[]],
  folder: string,
  { cwd = join(folder, 'repo'), env = {}, input = '' }: RunOptions = {},
): Promise<Said> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...ENVIRONMENT, GIT_CEILING_DIRECTORIES: folder, ...env },
      // A command that does not end fails its script instead of stopping them all.
      timeout: 30_000,
    });
    const pieces: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (piece) => pieces[0].push(piece));
    child.stderr.on('data', (piece) => pieces[1].push(piece));
    // It may have ended before it has read all.
    child.stdin.on('error', () => {});
    child.stdin.end(Buffer.from(input, 'latin1'));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const [stdout, stderr] = pieces.map((some) =>
        Buffer.concat(some).toString('latin1').replaceAll(folder, '<twin>'),
      );
      resolve({ code: code ?? signal, stdout: stdout!, stderr: withoutUsage(stderr!) });
    });
  });
}

/** How to call a command is ours to tell: of that, only whether it is told counts. */
function withoutUsage(text: string): string {
  return text.replace(/^usage: .*/ms, 'usage: …\n');
}
