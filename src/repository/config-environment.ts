// Settings that come from the environment: those that `git -c` hands to the commands that it starts, and those
// that scripts number.

import { parseConfigBoolean } from '../config-value.ts';
import { RefError } from '../errors.ts';
import { type ConfigEntry, normalizeKey } from './config.ts';

type Environment = Record<string, string | undefined>;

/** A variable's value as a boolean; false where it is not set. Throws `INVALID_CONFIG`. */
export function environmentBoolean(env: Environment, name: string, absent = false): boolean {
  const text = env[name];
  if (text === undefined) return absent;
  const value = parseConfigBoolean(text);
  if (value === undefined) {
    throw new RefError('INVALID_CONFIG', `bad boolean environment value '${text}' for '${name}'`);
  }
  return value;
}

/**
 * The settings of the scope `command`. Throws `INVALID_CONFIG`, in the words with which Git ends; those that it
 * says before are the cause's.
 */
export function commandSettings(env: Environment): ConfigEntry[] {
  return [...countedSettings(env), ...parameterSettings(env.GIT_CONFIG_PARAMETERS)];
}

/** `GIT_CONFIG_COUNT` pairs of `GIT_CONFIG_KEY_<n>` and `GIT_CONFIG_VALUE_<n>`. */
function countedSettings(env: Environment): ConfigEntry[] {
  const entries: ConfigEntry[] = [];
  const text = env.GIT_CONFIG_COUNT;
  if (!text) return entries;
  if (!/^[ \t\n\v\f\r]*[+-]?\d+$/.test(text)) throw invalid('bogus count in GIT_CONFIG_COUNT');
  const count = Number(text);
  // To Git, which reads it without a sign, a negative number is a very large one.
  if (count < 0 || count > 2 ** 31 - 1) throw invalid('too many entries in GIT_CONFIG_COUNT');
  for (let i = 0; i < count; i++) {
    const key = env[`GIT_CONFIG_KEY_${i}`];
    if (key === undefined) {
      throw invalid(`missing config key GIT_CONFIG_KEY_${i}`);
    }
    const value = env[`GIT_CONFIG_VALUE_${i}`];
    if (value === undefined) {
      throw invalid(`missing config value GIT_CONFIG_VALUE_${i}`);
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
      throw invalid('bogus format in GIT_CONFIG_PARAMETERS');
    }
    const key = unquote(match[1]!);
    if (match[2] !== undefined) {
      entries.push(commandEntry(key, match[3] === undefined ? null : unquote(match[3])));
    } else {
      const equals = key.indexOf('=');
      if (key === '' || equals === 0) throw invalid(`bogus config parameter: ${key}`);
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
  const complaint = complaintAboutKey(key);
  if (complaint !== undefined) throw invalid(complaint);
  return { key: normalizeKey(key), value, scope: 'command' };
}

function complaintAboutKey(key: string): string | undefined {
  if (key === '') return 'empty config key';
  const last = key.lastIndexOf('.');
  if (last <= 0) return `key does not contain a section: ${key}`;
  if (last === key.length - 1) return `key does not contain variable name: ${key}`;
  if (/^[A-Za-z0-9-]+\.(?:.*\.)?[A-Za-z][A-Za-z0-9-]*$/.test(key)) return undefined;
  const hasNewline = /^[A-Za-z0-9-]+\./.test(key) && key.slice(0, last).includes('\n');
  return `invalid key${hasNewline ? ' (newline)' : ''}: ${key}`;
}

function invalid(reason: string): RefError {
  const cause = new RefError('INVALID_CONFIG', reason);
  return new RefError('INVALID_CONFIG', 'unable to parse command-line config', { cause });
}
