// A repository's configuration in its layers, the later winning over the earlier:
// the system's file, the user's files, the repository's, the worktree's, and the environment.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfigBoolean, parseConfigInteger } from '../config-value.ts';
import { RefError } from '../errors.ts';
import { decodeText } from '../format/text.ts';
import {
  Config,
  type ConfigEntry,
  type ConfigScope,
  normalizeKey,
  parseConfigEntries,
} from './config.ts';

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
  entries.push(...countedSettings(env), ...parameterSettings(env.GIT_CONFIG_PARAMETERS));
  return new Config(entries);
}

function environmentBoolean(env: ReadConfigOptions['env'], name: string): boolean {
  const text = env[name];
  if (text === undefined) return false;
  const value = parseConfigBoolean(text);
  if (value === undefined) {
    throw new RefError('INVALID_CONFIG', `bad boolean environment value '${text}' for '${name}'`);
  }
  return value;
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

/** `GIT_CONFIG_COUNT` pairs of `GIT_CONFIG_KEY_<n>` and `GIT_CONFIG_VALUE_<n>`. */
function countedSettings(env: ReadConfigOptions['env']): ConfigEntry[] {
  const entries: ConfigEntry[] = [];
  const text = env.GIT_CONFIG_COUNT;
  if (!text) return entries;
  const count = parseConfigInteger(text, 0, 2 ** 31 - 1);
  if (count === 'out of range') {
    throw new RefError('INVALID_CONFIG', 'too many entries in GIT_CONFIG_COUNT');
  }
  if (count === 'invalid unit') {
    throw new RefError('INVALID_CONFIG', 'bogus count in GIT_CONFIG_COUNT');
  }
  for (let i = 0; i < count; i++) {
    const key = env[`GIT_CONFIG_KEY_${i}`];
    if (key === undefined) {
      throw new RefError('INVALID_CONFIG', `missing config key GIT_CONFIG_KEY_${i}`);
    }
    const value = env[`GIT_CONFIG_VALUE_${i}`];
    if (value === undefined) {
      throw new RefError('INVALID_CONFIG', `missing config value GIT_CONFIG_VALUE_${i}`);
    }
    entries.push(commandEntry(key, value));
  }
  return entries;
}

/**
 * What `git -c` hands to the commands that it starts: `'key'='value'`, `'key'=` for a key without a
 * value, or the old `'key=value'`, separated by spaces and quoted for a shell.
 */
function parameterSettings(text: string | undefined): ConfigEntry[] {
  const entries: ConfigEntry[] = [];
  if (text === undefined) return entries;
  // A quoted word: between the quotes anything but a quote, which itself is written '\'' (as is '!').
  const word = "'(?:[^']|'\\\\['!]')*'";
  const setting = new RegExp(`(${word})(?:(=)(${word})?)?(?:[ \\t\\r\\n]+|$)`, 'y');
  while (setting.lastIndex < text.length) {
    const match = setting.exec(text);
    if (match === null) {
      throw new RefError('INVALID_CONFIG', 'bogus format in GIT_CONFIG_PARAMETERS');
    }
    const key = unquote(match[1]!);
    if (match[2] !== undefined) {
      entries.push(commandEntry(key, match[3] === undefined ? null : unquote(match[3])));
    } else {
      const equals = key.indexOf('=');
      const value = equals === -1 ? null : key.slice(equals + 1);
      entries.push(commandEntry(equals === -1 ? key : key.slice(0, equals), value));
    }
  }
  return entries;
}

function unquote(word: string): string {
  return word.slice(1, -1).replace(/'\\(['!])'/g, '$1');
}

function commandEntry(key: string, value: string | null): ConfigEntry {
  if (!/^[A-Za-z0-9-]+(?:\.[^\n]*)?\.[A-Za-z][A-Za-z0-9-]*$/.test(key)) {
    const reason = key.includes('.') ? 'invalid key' : 'key does not contain a section';
    throw new RefError('INVALID_CONFIG', key === '' ? 'empty config key' : `${reason}: ${key}`);
  }
  return { key: normalizeKey(key), value, scope: 'command' };
}
