// Runs one hook, as a process that reads what it is told from its standard input.

import { spawn } from 'node:child_process';
import { relative } from 'node:path';
import { systemReason } from '../storage/io-error.ts';
import type { HookCommand } from './transaction-hook.ts';

interface HookRun extends HookCommand {
  state: string;
  input: Uint8Array;
  /** Where it runs. */
  folder: string;
  gitDir: string | undefined;
  env: Record<string, string | undefined>;
}

/** Whether it ended with exit code 0. What it prints goes to standard error. */
export function runHook(run: HookRun): Promise<boolean> {
  const { command, isShell, state, input, folder, gitDir } = run;
  const [program, args] = isShell
    ? ['/bin/sh', ['-c', `${command} "$@"`, command, state]]
    : [command, [state]];
  const child = spawn(program as string, args as string[], {
    cwd: folder,
    env: { ...run.env, GIT_DIR: gitDir },
    stdio: ['pipe', 2, 2],
  });
  return new Promise((resolve) => {
    child.on('error', (error) => {
      const shown = isShell ? command : relative(folder, command);
      process.stderr.write(`fatal: cannot exec '${shown}': ${systemReason(error)}\n`);
      resolve(false);
    });
    child.on('close', (code) => resolve(code === 0));
    // It need not read what it is told.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}
