// Who may read and write a repository's files beside their owner: `core.sharedRepository`, and the permission
// bits that follow from it, as `adjust_shared_perm` sets them.

import { chmodSync, statSync } from 'node:fs';
import { RefError } from '../errors.ts';
import { ioError } from '../storage/io-error.ts';
import { booleanOf, type ConfigEntry } from './config.ts';

/** Which bits are wanted, and whether they are all that are, or come to those that the umask leaves. */
export interface SharedPermissions {
  bits: number;
  isExact: boolean;
}

const GROUP: SharedPermissions = { bits: 0o660, isExact: false };
const EVERYBODY: SharedPermissions = { bits: 0o664, isExact: false };

/** Git's words, and the numbers that old Gits wrote; `undefined` leaves it to the umask. */
const WORDS = new Map<string, SharedPermissions | undefined>([
  ['umask', undefined],
  ['group', GROUP],
  ['all', EVERYBODY],
  ['world', EVERYBODY],
  ['everybody', EVERYBODY],
]);

/**
 * Reads the setting, `undefined` where the umask decides. Throws `INVALID_CONFIG`, also for permissions that
 * would shut the owner out.
 */
export function sharedPermissions(entry: ConfigEntry | undefined): SharedPermissions | undefined {
  if (entry === undefined) return undefined;
  const { value } = entry;
  if (value === null) return GROUP;
  if (WORDS.has(value)) return WORDS.get(value);
  // An empty text is the octal number zero to Git.
  if (!/^(?:[ \t\n\v\f\r]*[+-]?[0-7]+)?$/.test(value)) {
    return booleanOf(entry) ? GROUP : undefined;
  }
  const bits = Number.parseInt(value || '0', 8);
  if (bits === 0) return undefined;
  if (bits === 1) return GROUP;
  if (bits === 2) return EVERYBODY;
  if ((bits & 0o600) !== 0o600) {
    const shown = (bits >>> 0).toString(8).padStart(3, '0');
    const message = `problem with core.sharedRepository filemode value (0${shown}).`;
    const reason = 'The owner of files must always have read and write permissions.';
    throw new RefError('INVALID_CONFIG', `${message}\n${reason}`, { file: entry.file });
  }
  return { bits: bits & 0o666, isExact: true };
}

/** The exact permission bits of a new file; `undefined` where the umask decides. */
export function sharedFileMode(shared: SharedPermissions | undefined): number | undefined {
  return shared && adjusted(shared, 0o666 & ~process.umask(), false);
}

/** Gives a file or folder that was just made the permissions that it has to have. Throws `IO`. */
export function shareFile(path: string, shared: SharedPermissions | undefined): void {
  if (shared === undefined) return;
  try {
    const stats = statSync(path);
    const before = stats.mode & 0o7777;
    const mode = adjusted(shared, before, stats.isDirectory());
    if (mode !== before) chmodSync(path, mode);
  } catch (error) {
    throw ioError('set permissions of', path, error);
  }
}

function adjusted({ bits, isExact }: SharedPermissions, mode: number, isFolder: boolean): number {
  let wanted = bits;
  if ((mode & 0o200) === 0) wanted &= ~0o222;
  // Who may read what the owner may execute, or enter, may execute or enter it too.
  if ((mode & 0o100) !== 0) wanted |= (wanted & 0o444) >> 2;
  let result = isExact ? (mode & ~0o777) | wanted : mode | wanted;
  if (!isFolder) return result;
  result |= (result & 0o444) >> 2;
  // What is made in the folder shall belong to the group, where that matters.
  return (result & 0o060) === 0 ? result : result | 0o2000;
}

/** As `git init` writes it into the configuration, for old Gits too. */
export function sharedSetting(shared: SharedPermissions): string {
  if (shared.isExact) return `0${shared.bits.toString(8)}`;
  return shared.bits === GROUP.bits ? '1' : '2';
}
