// The order of versions (`v1.9` before `v1.10`), and of what comes before a release (`v1.0-rc1`). Everything
// is byte text.

import { compareByteText } from '../byte-text.ts';

/**
 * Orders texts with numbers in them by the numbers' values; digits behind a leading zero are a fraction's. A
 * suffix of the list stands before a text without one, and suffixes stand as in the list.
 */
export function compareVersions(a: string, b: string, suffixes: readonly string[]): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  if (at === a.length && at === b.length) return 0;
  const bySuffix = compareSuffixes(a, b, at, suffixes);
  if (bySuffix !== 0) return bySuffix;

  let start = at;
  while (start > 0 && isDigit(a[start - 1])) start--;
  // The digits that both share: a fraction if they begin with a zero, and nothing but zeros while it lasts.
  const shared = a.slice(start, at);
  const [x, y] = [a[at], b[at]];
  if (!shared.startsWith('0')) {
    const isNumber = isDigit(x) && isDigit(y) && (shared !== '' || (x !== '0' && y !== '0'));
    if (isNumber) {
      const difference = digitsFrom(a, at) - digitsFrom(b, at);
      if (difference !== 0) return difference;
    } else if (shared !== '' && isDigit(x) !== isDigit(y)) {
      // One number goes on where the other has ended.
      return isDigit(x) ? 1 : -1;
    }
  } else if (/^0+$/.test(shared) && isDigit(x) !== isDigit(y)) {
    // More zeros in front make a fraction smaller.
    return isDigit(x) ? -1 : 1;
  }
  return compareByteText(a.slice(at), b.slice(at));
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}

function digitsFrom(text: string, start: number): number {
  let end = start;
  while (isDigit(text[end])) end++;
  return end - start;
}

/** By the suffixes around the place where the texts begin to differ; 0 where they decide nothing. */
function compareSuffixes(a: string, b: string, at: number, suffixes: readonly string[]): number {
  const [x, y] = [suffixAround(a, at, suffixes), suffixAround(b, at, suffixes)];
  if (x === y) return 0;
  if (x !== -1 && y !== -1) return x - y;
  return x !== -1 ? -1 : 1;
}

/**
 * The number of the suffix that stands in the text around `at` or ends right before it: the one that begins
 * first, and of those the longest; -1 if there is none.
 */
function suffixAround(text: string, at: number, suffixes: readonly string[]): number {
  let best = { start: at, length: -1, index: -1 };
  suffixes.forEach((suffix, index) => {
    const start = text.indexOf(suffix, Math.max(0, at - suffix.length));
    const isLonger = best.length < suffix.length;
    if (start >= 0 && start <= (isLonger ? best.start : best.start - 1)) {
      best = { start, length: suffix.length, index };
    }
  });
  return best.index;
}
