// Git's patterns for names, as `for-each-ref` takes them: a glob, a name, or the folder that names are in.
// Names and patterns are byte text.

import { Glob } from '../../glob.ts';

/** Where a pattern stops being literal. */
const SPECIAL = /[*?[\\]/;
const SLASH = 0x2f;

/** A test for the name `bytes[start, end)`. */
export type NameTest = (bytes: Uint8Array, start: number, end: number) => boolean;

/**
 * A test for whether a ref's name matches one of the patterns: as a glob, or by being the pattern, or
 * below it (`refs/heads` matches `refs/heads/main`). `ignoreCase` is for matching a name as a whole only.
 */
export function nameMatcher(patterns: readonly string[], { ignoreCase = false } = {}): NameTest {
  const tests = patterns
    .filter((pattern) => pattern !== '')
    .flatMap((pattern) => {
      const bytes = Buffer.from(pattern, 'latin1');
      const isGlob = ignoreCase || SPECIAL.test(pattern);
      const glob = isGlob ? Glob.compile(bytes, { ignoreCase }) : undefined;
      const isInside: NameTest = (name, start, end) => isNameOrFolder(bytes, name, start, end);
      if (glob === undefined) return [isInside];
      const isMatch: NameTest = (name, start, end) => glob.matches(name, start, end);
      return [isMatch, isInside];
    });
  if (tests.length === 1) return tests[0]!;
  return (name, start, end) => tests.some((test) => test(name, start, end));
}

/** Whether `pattern` is the name `bytes[start, end)` or a folder that it is in. */
function isNameOrFolder(
  pattern: Uint8Array,
  bytes: Uint8Array,
  start: number,
  end: number,
): boolean {
  const { length } = pattern;
  if (end - start < length) return false;
  for (let i = length - 1; i >= 0; i--) if (bytes[start + i] !== pattern[i]) return false;
  return end - start === length || pattern[length - 1] === SLASH || bytes[start + length] === SLASH;
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
