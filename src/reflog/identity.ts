// Who made a reflog entry, and when: the committer, found as `git_committer_info` finds it.

import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { localDate, parseIdentityDate } from './date.ts';

/** The committer of a reflog entry. */
export interface Identity {
  name: string;
  email: string;
  /** Seconds since the epoch. */
  time: number;
  /**
   * Minutes east of UTC: 330 for `+0530`. In a table stand 16 bits that hold the printed digits as a
   * decimal number, 530, because Git stores them so (see `timezoneToHhmm`); JGit stores minutes, which
   * Git then prints as if they were digits.
   */
  timezone: number;
}

/** Where the committer is looked for. */
export interface IdentitySources {
  /** `GIT_COMMITTER_NAME`, `GIT_COMMITTER_EMAIL`, `GIT_COMMITTER_DATE` and `EMAIL`. */
  env: Record<string, string | undefined>;
  /** The value of a configuration key, `undefined` if it is not set. */
  config: (key: string) => string | undefined;
  /** The time where `GIT_COMMITTER_DATE` gives none; the machine's clock by default. */
  now?: Date;
}

/**
 * The committer as `git update-ref` logs it: `GIT_COMMITTER_*`, then `committer.*`, then `user.*`
 * from the configuration, then `EMAIL`, then what the machine knows of the user. Never fails for want
 * of a name: where Git would refuse to make a commit, it still writes a reflog.
 *
 * One difference from Git: a host name without a dot is not looked up in the DNS, so the last resort is
 * `user@host.(none)`.
 *
 * Throws `INVALID_ARGUMENT` if `GIT_COMMITTER_DATE` is not a date.
 */
export function committerIdentity({ env, config, now = new Date() }: IdentitySources): Identity {
  const name = env.GIT_COMMITTER_NAME ?? (config('committer.name') || defaultName(config));
  const email = env.GIT_COMMITTER_EMAIL ?? (config('committer.email') || defaultEmail(env, config));
  const date = env.GIT_COMMITTER_DATE ? parseIdentityDate(env.GIT_COMMITTER_DATE) : localDate(now);
  return { name: withoutCrud(name || account().login), email: withoutCrud(email), ...date };
}

function defaultName(config: IdentitySources['config']): string {
  return isGiven('name', config) ? (config('user.name') ?? '').trim() : account().fullName.trim();
}

function defaultEmail(env: IdentitySources['env'], config: IdentitySources['config']): string {
  if (isGiven('email', config)) return (config('user.email') ?? '').trim();
  return (env.EMAIL || `${account().login}@${mailDomain()}`).trim();
}

/** Git guesses only for those who say nothing of themselves, not even as an author. */
function isGiven(field: 'name' | 'email', config: IdentitySources['config']): boolean {
  return ['user', 'committer', 'author'].some((who) => config(`${who}.${field}`) !== undefined);
}

/**
 * Strips what Git calls crud: control characters, spaces and punctuation at either end, and the
 * delimiters of an identity line anywhere. To Git, a text ends at its first NUL.
 */
export function withoutCrud(text: string): string {
  const nul = text.indexOf('\0');
  let start = 0;
  let end = nul === -1 ? text.length : nul;
  while (start < end && isCrud(text, start)) start++;
  while (end > start && isCrud(text, end - 1)) end--;
  return text.slice(start, end).replace(/[\n<>]/g, '');
}

function isCrud(text: string, at: number): boolean {
  return text.charCodeAt(at) <= 0x20 || ',:;<>"\\\''.includes(text[at]!);
}

/** The user's login, and the full name that the machine's list of users gives. */
function account(): { login: string; fullName: string } {
  let login: string;
  let uid: number;
  try {
    ({ username: login, uid } = userInfo());
  } catch {
    // A user id without an entry, as in many containers.
    return { login: 'unknown', fullName: 'Unknown' };
  }
  const entry = firstLine('/etc/passwd', (line) => line.split(':')[2] === String(uid));
  if (entry === undefined) return { login, fullName: login };
  // In the comment field, a comma ends the name and an ampersand stands for the login.
  const comment = (entry.split(':')[4] ?? '').split(',')[0]!;
  const capitalized = login.slice(0, 1).toUpperCase() + login.slice(1);
  return { login, fullName: comment.replaceAll('&', () => capitalized) };
}

function mailDomain(): string {
  const mailName = firstLine('/etc/mailname', () => true);
  if (mailName !== undefined) return mailName;
  const host = hostname();
  return host.includes('.') ? host : `${host}.(none)`;
}

/** The first line of a file that is wanted; `undefined` if there is none, or no such file. */
function firstLine(file: string, isWanted: (line: string) => boolean): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  return text === '' ? undefined : text.split('\n').find(isWanted);
}
