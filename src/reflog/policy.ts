// Who gets logged: Git's `should_write_log` and `should_autocreate_reflog` as a pure function.
// Its decision table stands in spec/reflog-policy.json.

import { parseConfigBoolean } from '../config-value.ts';
import { RefError } from '../errors.ts';

/** `core.logAllRefUpdates`: not set, `false`, `true`, or `always`. */
export type LogAllRefUpdates = 'unset' | 'none' | 'normal' | 'always';

/**
 * Decides whether an update of the ref `name` is logged. `reflogExists` tells whether the ref has a
 * reflog already; it may have to read the store, so a policy calls it only where the answer decides.
 */
export type ReflogPolicy = (name: string, reflogExists: () => boolean) => boolean;

/**
 * Reads a value of `core.logAllRefUpdates` as Git does: `always` in any case, else a boolean, which
 * `null`, a key without a value, is too. `undefined` when the key is not there.
 *
 * Throws `INVALID_CONFIG` for anything else.
 */
export function parseLogAllRefUpdates(value: string | null | undefined): LogAllRefUpdates {
  if (value === undefined) return 'unset';
  if (value !== null && value.toLowerCase() === 'always') return 'always';
  const on = parseConfigBoolean(value);
  if (on === undefined) {
    throw new RefError(
      'INVALID_CONFIG',
      `bad boolean config value '${value}' for 'core.logallrefupdates'`,
    );
  }
  return on ? 'normal' : 'none';
}

/** Git's policy for a mode of `core.logAllRefUpdates` in a repository that is bare or not. */
export function gitReflogPolicy(options: { mode: LogAllRefUpdates; bare: boolean }): ReflogPolicy {
  const mode = options.mode === 'unset' ? (options.bare ? 'none' : 'normal') : options.mode;
  switch (mode) {
    case 'always':
      return () => true;
    case 'normal':
      return (name, reflogExists) => isLoggedByDefault(name) || reflogExists();
    case 'none':
      return (_name, reflogExists) => reflogExists();
  }
}

function isLoggedByDefault(name: string): boolean {
  return (
    name.startsWith('refs/heads/') ||
    name === 'HEAD' ||
    name.startsWith('refs/remotes/') ||
    name.startsWith('refs/notes/')
  );
}
