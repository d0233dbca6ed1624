// Removing a lock whose owner is proven dead. Whoever wants to must first get the right to: one lock, known by
// its token T, is removed by nobody but the one who made `<lock>.T.break`. Else a slow breaker would take
// away the lock that came after. A breaker that died with the right leaves it, by its own token W, to the
// maker of `<lock>.W.break`, and so on. spec/locking.md tells why this holds.

import type { FileSystem } from '../../storage/file-system.ts';
import { thisMachine } from './machine.ts';
import { judge, type LockOwner, type Machine } from './owner.ts';
import { createOwned, readOwner, removeQuietly } from './record.ts';

/** How many breakers may have died over one lock: more would rather be a circle. */
const LONGEST_CHAIN = 32;

/**
 * Removes a lock file whose owner is proven dead; whether nothing is in the way now. One turn of the event
 * loop, so that no exit handler comes in between. Never throws: what cannot be read or removed stays.
 */
export function breakDeadLock(
  fs: FileSystem,
  path: string,
  machine: Machine = thisMachine,
): boolean {
  try {
    const owner = readOwner(fs, path);
    if (owner === 'gone') return true;
    return isDead(owner, machine) && removeInstance(fs, path, owner.token, machine);
  } catch {
    return false;
  }
}

/** The file that gives the right to remove the lock, or to inherit that right from the breaker, of `token`. */
export function breakFile(path: string, token: string): string {
  return `${path}.${token}.break`;
}

/** Removes the lock with this token, if the right to can be had. */
function removeInstance(fs: FileSystem, path: string, token: string, machine: Machine): boolean {
  const tokens = claimRight(fs, path, token, machine);
  if (tokens === undefined) return false;
  const claims = tokens.map((each) => breakFile(path, each));
  const ours = claims.pop()!;
  try {
    // Only now that nobody else can have the right does it mean something what the files say: until then an
    // owner may have removed its file, and died only afterwards. The lock itself comes last.
    for (const [i, claim] of claims.entries()) {
      if (!isOwnedBy(fs, claim, tokens[i + 1]!)) return false;
    }
    if (!isOwnedBy(fs, path, token)) return false;
    fs.unlink(path);
    // The token is gone for good, and with it the worth of these files.
    for (const claim of claims) removeQuietly(fs, claim);
    return true;
  } finally {
    removeQuietly(fs, ours);
  }
}

/**
 * Makes the break file of `token`, or that of the last of its dead breakers. Returns the tokens whose break
 * files stand, ours being the last; `undefined` if a breaker is at it that is not proven dead.
 */
function claimRight(
  fs: FileSystem,
  path: string,
  token: string,
  machine: Machine,
): string[] | undefined {
  const self = { ...machine.self(), token: machine.newToken() };
  const tokens = [token];
  while (tokens.length <= LONGEST_CHAIN) {
    const claim = breakFile(path, tokens.at(-1)!);
    try {
      fs.close(createOwned(fs, claim, self));
      return tokens;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const breaker = readOwner(fs, claim);
    if (!isDead(breaker, machine)) return undefined;
    tokens.push(breaker.token);
  }
  return undefined;
}

function isOwnedBy(fs: FileSystem, path: string, token: string): boolean {
  const owner = readOwner(fs, path);
  return typeof owner !== 'string' && owner.token === token;
}

function isDead(owner: LockOwner | string, machine: Machine): owner is LockOwner {
  return typeof owner !== 'string' && judge(owner, machine) === 'dead';
}
