// Which programs a repository has run about its transactions: the `reference-transaction` hook of its folder of
// hooks, and what `hook.<name>.event` in the configuration names.

import { accessSync, constants, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseConfigBoolean } from '../config-value.ts';
import { RefError } from '../errors.ts';
import type { HookState, TransactionHook } from '../refs/transaction/transaction-hook.ts';
import type { Config } from './config.ts';
import { expandHome } from './home.ts';

const EVENT = 'reference-transaction';

export interface HookOptions {
  /** What `GIT_DIR` is for the hook; `undefined` where it finds the repository as we did. */
  gitDir: string | undefined;
  /** Where the `hooks` folder is, unless `core.hooksPath` says otherwise. */
  commonDir: string;
  /** Where the hook runs: the root of the work tree, or the folder of a bare repository. */
  folder: string;
  /** Where in the work tree the caller stands, `GIT_PREFIX` to the hook: empty, or a path that ends in a slash. */
  prefix?: string | undefined;
  config: Config;
  env: Record<string, string | undefined>;
  /** Throws where nothing that the repository brings along may be run. */
  assertTrusted: () => void;
  /** Told of a hook that is there but cannot be run. */
  advise?: ((message: string) => void) | undefined;
}

/** A program and how it is called. */
export interface HookCommand {
  /** A path, or a command of the shell. */
  command: string;
  isShell: boolean;
}

/** Asking whether it exists throws `INVALID_CONFIG`, in Git's words. */
export function transactionHook(options: HookOptions): TransactionHook {
  const { config, folder, commonDir, advise } = options;
  // Not before a transaction asks: what is wrong with hooks is in no reader's way.
  let configured: HookCommand[] | undefined;
  const given = config.get('core.hooksPath');
  const hooks = given === undefined ? undefined : expandHome(given, options.env);
  const path = resolve(folder, hooks ?? join(commonDir, 'hooks'), EVENT);
  let isAdvised = false;
  const hasFile = (): boolean => {
    try {
      // Most repositories have none, and an answer costs less than an error.
      if (statSync(path, { throwIfNoEntry: false }) === undefined) return false;
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      if (!isAdvised && config.getBoolean('advice.ignoredHook') !== false) {
        isAdvised = true;
        advise?.(
          `The '${shownPath(folder, path)}' hook was ignored because it's not set as executable.\n` +
            'You can disable this warning with `git config set advice.ignoredHook false`.',
        );
      }
      return false;
    }
  };
  const commands = (): HookCommand[] => {
    configured ??= configuredHooks(config);
    const file = { command: path, isShell: false };
    return hasFile() ? [...configured, file] : configured;
  };
  return {
    exists() {
      const isThere = commands().length > 0;
      if (isThere) options.assertTrusted();
      return isThere;
    },
    async run(state: HookState, input: Uint8Array) {
      const { runHook } = await import('./run-hook.ts');
      let isFine = true;
      // All of them are run, whatever the first one says.
      for (const command of commands()) {
        isFine = (await runHook({ ...options, ...command, state, input })) && isFine;
      }
      return isFine;
    },
  };
}

/** The commands of the configuration for transactions, in the order of their last mention. */
function configuredHooks(config: Config): HookCommand[] {
  const names = new Set<string>();
  for (const { key, value } of config.entries) {
    const name = /^hook\.(.+)\.event$/s.exec(key)?.[1];
    if (name === undefined) continue;
    if (value === EVENT || value === '') names.delete(name);
    if (value === EVENT) names.add(name);
  }
  const isEnabled = (name: string) =>
    parseConfigBoolean(config.find(`hook.${name}.enabled`)?.value ?? 'true') !== false;
  const isEventEnabled = isEnabled(EVENT);
  return [...names].filter(isEnabled).flatMap((name) => {
    const command = config.get(`hook.${name}.command`);
    if (command === undefined) {
      const message = `'hook.${name}.command' must be configured or 'hook.${name}.event' must be removed; aborting.`;
      throw new RefError('INVALID_CONFIG', message);
    }
    return isEventEnabled ? [{ command, isShell: true }] : [];
  });
}

/** As Git tells it: from where it runs, if it is there. */
function shownPath(folder: string, path: string): string {
  const within = relative(folder, path);
  return within.startsWith('..') ? path : within;
}
