// Git's globs (`wildmatch` with WM_PATHNAME): `*` and `?` stop at a slash, `**` between slashes stands for any
// number of components, `[a-z]` and `[[:alpha:]]` for one character.

/** Ranges of character codes, from and to. */
type Ranges = readonly (readonly [from: number, to: number])[];

const CLASSES: Readonly<Record<string, Ranges>> = {
  alnum: ranges('AZ', 'az', '09'),
  alpha: ranges('AZ', 'az'),
  blank: ranges('  ', '\t\t'),
  cntrl: ranges('\0\x1f', '\x7f\x7f'),
  digit: ranges('09'),
  graph: ranges('!~'),
  lower: ranges('az'),
  print: ranges(' ~'),
  punct: ranges('!/', ':@', '[`', '{~'),
  space: ranges('  ', '\t\r'),
  upper: ranges('AZ'),
  xdigit: ranges('09', 'AF', 'af'),
};

const LAST_ASCII = 0x7f;

function ranges(...pairs: string[]): Ranges {
  return pairs.map((pair) => [pair.charCodeAt(0), pair.charCodeAt(1)]);
}

/**
 * `undefined` for a pattern that nothing matches, such as one with a bracket that is not closed.
 * `ignoreCase` is for ASCII letters, and as in Git does not reach a capital that stands alone in brackets. With
 * `crossesFolders`, a slash is a character like any other (`wildmatch` without WM_PATHNAME).
 */
export function globToRegExp(
  pattern: string,
  { ignoreCase = false, crossesFolders = false } = {},
): RegExp | undefined {
  const any = crossesFolders ? '.' : '[^/]';
  let source = '';
  for (let i = 0; i < pattern.length; ) {
    const character = pattern[i]!;
    if (character === '*') {
      const start = i;
      while (pattern[i] === '*') i++;
      const atStart = start === 0 || pattern[start - 1] === '/';
      const spansFolders = i - start >= 2 && atStart && !crossesFolders;
      const slash = /^\\?\//.exec(pattern.slice(i, i + 2))?.[0];
      if (spansFolders && i === pattern.length) source += '.*';
      else if (spansFolders && slash !== undefined) {
        source += '(?:.*/)?';
        i += slash.length;
      } else source += `${any}*`;
    } else if (character === '?') {
      source += any;
      i++;
    } else if (character === '[') {
      const bracket = parseBracket(pattern, i + 1, ignoreCase);
      if (bracket === undefined) return undefined;
      // Only there does a set match a slash.
      source += crossesFolders ? bracket.source : `(?!/)${bracket.source}`;
      i = bracket.end;
    } else {
      if (character === '\\') i++;
      if (i === pattern.length) return undefined;
      // A capital behind a backslash stands for itself alone, which nothing is where case is ignored.
      if (ignoreCase && character === '\\' && /[A-Z]/.test(pattern[i]!)) return undefined;
      source += literal(pattern[i]!, ignoreCase);
      i++;
    }
  }
  return new RegExp(`^${source}$`, 's');
}

function literal(character: string, ignoreCase: boolean): string {
  if (!ignoreCase || !/[A-Za-z]/.test(character)) return escapeCode(character.charCodeAt(0));
  return `[${character.toLowerCase()}${character.toUpperCase()}]`;
}

function escapeCode(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

/** The set that starts behind a `[` at `start`, and where the pattern goes on. */
function parseBracket(
  pattern: string,
  start: number,
  ignoreCase: boolean,
): { source: string; end: number } | undefined {
  let i = start;
  const negated = pattern[i] === '!' || pattern[i] === '^';
  if (negated) i++;
  const singles = new Set<number>();
  /** Where case is ignored, small letters are in these also as capitals. */
  const spans: (readonly [from: number, to: number])[] = [];
  /** The character that a range would begin with. */
  let previous: number | undefined;
  const first = i;
  for (; pattern[i] !== ']' || i === first; i++) {
    if (i >= pattern.length) return undefined;
    const name = /^\[:([^\]]*):\]/.exec(pattern.slice(i));
    if (name !== null) {
      const members = CLASSES[name[1]!];
      if (members === undefined) return undefined;
      spans.push(...members);
      previous = undefined;
      i += name[0].length - 1;
    } else if (pattern[i] === '-' && previous !== undefined && isRangeEnd(pattern[i + 1])) {
      if (pattern[++i] === '\\') i++;
      if (i >= pattern.length) return undefined;
      spans.push([previous, pattern.charCodeAt(i)]);
      previous = undefined;
    } else {
      if (pattern[i] === '\\') i++;
      if (i >= pattern.length) return undefined;
      previous = pattern.charCodeAt(i);
      singles.add(previous);
    }
  }
  const isIn = (code: number) => spans.some(([from, to]) => code >= from && code <= to);
  const has = (code: number): boolean => {
    if (!ignoreCase || !/[A-Za-z]/.test(String.fromCharCode(code))) {
      return singles.has(code) || isIn(code);
    }
    const small = code | 0x20;
    return singles.has(small) || isIn(small) || isIn(small & ~0x20);
  };
  let set = '';
  for (let code = 0; code <= LAST_ASCII; code++) if (has(code)) set += escapeCode(code);
  for (const code of singles) if (code > LAST_ASCII) set += escapeCode(code);
  for (const [from, to] of spans) {
    const low = Math.max(from, LAST_ASCII + 1);
    if (low <= to) set += `${escapeCode(low)}-${escapeCode(to)}`;
  }
  return { source: `[${negated ? '^' : ''}${set}]`, end: i + 1 };
}

function isRangeEnd(character: string | undefined): boolean {
  return character !== undefined && character !== ']';
}
