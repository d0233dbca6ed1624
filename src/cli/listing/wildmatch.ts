// Git's patterns for names, as `for-each-ref` takes them: a glob, a name, or the folder that names are in.
// Names and patterns are byte text.

import { globToRegExp } from '../../glob.ts';

/** Where a pattern stops being literal. */
const SPECIAL = /[*?[\\]/;

/**
 * A test for whether a ref's name matches one of the patterns: as a glob, or by being the pattern, or
 * below it (`refs/heads` matches `refs/heads/main`). `ignoreCase` is for matching a name as a whole only.
 */
export function nameMatcher(
  patterns: readonly string[],
  { ignoreCase = false } = {},
): (name: string) => boolean {
  const literals = patterns.filter((pattern) => pattern !== '');
  const names = new Set(literals);
  const folders = patternFolders(literals);
  const globs = literals
    .filter((pattern) => ignoreCase || SPECIAL.test(pattern))
    .map((pattern) => globToRegExp(pattern, { ignoreCase }))
    .filter((glob) => glob !== undefined);
  // The set comes last: it has to hash the name.
  return (name) =>
    folders.some((folder) => name.startsWith(folder)) ||
    globs.some((glob) => glob.test(name)) ||
    names.has(name);
}

/** The folders, with a slash at the end, below which all names match one of the patterns. */
export function patternFolders(patterns: readonly string[]): string[] {
  return patterns
    .filter((pattern) => pattern !== '')
    .map((pattern) => (pattern.endsWith('/') ? pattern : `${pattern}/`));
}

/**
 * The fewest prefixes, in order, such that every name that matches one of the patterns begins with exactly
 * one of them.
 */
export function patternPrefixes(patterns: readonly string[]): string[] {
  const literals = patterns.map((pattern) => {
    const end = pattern.search(SPECIAL);
    return end === -1 ? pattern : pattern.slice(0, end);
  });
  const prefixes: string[] = [];
  for (const literal of literals.sort()) {
    const last = prefixes.at(-1);
    if (last === undefined || !literal.startsWith(last)) prefixes.push(literal);
  }
  return prefixes;
}
