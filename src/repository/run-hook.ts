// Runs one hook, as a process that reads what it is told from its standard input.

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { relative } from 'node:path';
import { systemReason } from '../storage/io-error.ts';
import type { HookCommand } from './transaction-hook.ts';

/** How people end programs, of which Git says nothing. */
const QUIET_SIGNALS = new Set<string>(['SIGINT', 'SIGQUIT', 'SIGPIPE']);

interface HookRun extends HookCommand {
  state: string;
  input: Uint8Array;
  /** Where it runs. */
  folder: string;
  gitDir: string | undefined;
  prefix?: string | undefined;
  env: Record<string, string | undefined>;
}

/** Whether it ended with exit code 0. What it prints goes to standard error. */
export function runHook(run: HookRun): Promise<boolean> {
  const { command, isShell, state, input, folder, gitDir, prefix = '' } = run;
  const shown = isShell ? command : relative(folder, command);
  const [program, args] = isShell
    ? ['/bin/sh', ['-c', `${command} "$@"`, command, state]]
    : [command, [state]];
  const child = spawn(program as string, args as string[], {
    cwd: folder,
    env: { ...run.env, GIT_DIR: gitDir, GIT_PREFIX: prefix },
    stdio: ['pipe', 2, 2],
  });
  return new Promise((resolve) => {
    child.on('error', (error) => {
      process.stderr.write(`fatal: cannot exec '${shown}': ${systemReason(error)}\n`);
      resolve(false);
    });
    child.on('close', (code, signal) => {
      if (signal !== null && !QUIET_SIGNALS.has(signal)) {
        process.stderr.write(`error: ${shown} died of signal ${constants.signals[signal]}\n`);
      }
      resolve(code === 0);
    });
    // It need not read what it is told.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}
