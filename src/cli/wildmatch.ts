// Git's patterns for names, as `for-each-ref` takes them: a glob, a name, or the folder that names are in.

import { globToRegExp } from '../glob.ts';

/** Where a pattern stops being literal. */
const SPECIAL = /[*?[\\]/;

/**
 * A test for whether a ref's name matches one of the patterns: as a glob, or by being the pattern, or
 * below it (`refs/heads` matches `refs/heads/main`).
 */
export function nameMatcher(patterns: readonly string[]): (name: string) => boolean {
  const tests = patterns.map((pattern) => {
    const folder = pattern.endsWith('/') ? pattern : `${pattern}/`;
    const glob = SPECIAL.test(pattern) ? globToRegExp(pattern) : undefined;
    return (name: string) =>
      name === pattern || name.startsWith(folder) || glob?.test(name) === true;
  });
  const [first] = tests;
  return tests.length === 1 && first !== undefined
    ? first
    : (name) => tests.some((test) => test(name));
}

/** What every name begins with that matches one of the patterns. */
export function commonPrefix(patterns: readonly string[]): string {
  const literals = patterns.map((pattern) => {
    const end = pattern.search(SPECIAL);
    return end === -1 ? pattern : pattern.slice(0, end);
  });
  const [first = '', ...others] = literals;
  let length = first.length;
  for (const other of others) {
    let common = 0;
    while (common < length && other[common] === first[common]) common++;
    length = common;
  }
  return first.slice(0, length);
}
