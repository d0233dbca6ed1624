// A repository's configuration in its layers, the later winning over the earlier:
// the system's file, the user's files, the repository's, the worktree's, and the environment.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RefError } from '../errors.ts';
import { decodeText } from '../format/text.ts';
import { Config, type ConfigEntry, type ConfigScope, parseConfigEntries } from './config.ts';
import { commandSettings, environmentBoolean } from './config-environment.ts';

export interface ReadConfigOptions {
  /**
   * Where the layers outside the repository are looked for, and settings given by variables:
   * `GIT_CONFIG_*`, `HOME`, `XDG_CONFIG_HOME`.
   */
  env: Record<string, string | undefined>;
  /** The folder that holds `config`, where it is not `gitDir` (in a linked worktree). */
  commonDir?: string;
}

/**
 * Reads the configuration that holds in a repository. Each file costs one open, also if it is missing,
 * and no stat of its own.
 *
 * Throws `INVALID_CONFIG` where a file or a variable cannot be read as settings, and `IO` where a file
 * cannot be read at all.
 */
// `include.path` and `includeIf` would be followed in readLayer, in the place of the setting itself.
export function readConfig(gitDir: string, { env, commonDir = gitDir }: ReadConfigOptions): Config {
  const entries: ConfigEntry[] = [];
  if (!environmentBoolean(env, 'GIT_CONFIG_NOSYSTEM')) {
    entries.push(...readLayer(env.GIT_CONFIG_SYSTEM ?? '/etc/gitconfig', 'system'));
  }
  for (const file of globalFiles(env)) entries.push(...readLayer(file, 'global'));
  const local = readLayer(join(commonDir, 'config'), 'local');
  entries.push(...local);
  if (new Config(local).getBoolean('extensions.worktreeConfig')) {
    entries.push(...readLayer(join(gitDir, 'config.worktree'), 'worktree'));
  }
  entries.push(...commandSettings(env));
  return new Config(entries);
}

function globalFiles(env: ReadConfigOptions['env']): string[] {
  if (env.GIT_CONFIG_GLOBAL !== undefined) return [env.GIT_CONFIG_GLOBAL];
  const { HOME: home, XDG_CONFIG_HOME: xdgHome } = env;
  const files: string[] = [];
  if (xdgHome) files.push(join(xdgHome, 'git', 'config'));
  else if (home !== undefined) files.push(join(home, '.config', 'git', 'config'));
  if (home !== undefined) files.push(join(home, '.gitconfig'));
  return files;
}

function readLayer(file: string, scope: ConfigScope): ConfigEntry[] {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || file === '') return [];
    // A home folder that is closed to us, as under sudo, is no reason to give up.
    if (code === 'EACCES' && scope === 'global') return [];
    throw new RefError('IO', `unable to access '${file}': ${code}`, { file, cause });
  }
  return parseConfigEntries(decodeText(bytes), file, scope);
}
