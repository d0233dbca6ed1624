// Git's patterns for names, as `for-each-ref` takes them: `*` and `?` stop at a slash, `**` between
// slashes stands for any number of components, `[a-z]` and `[[:alpha:]]` for one character.

/** Where a pattern stops being literal. */
const SPECIAL = /[*?[\\]/;

const CLASSES: Readonly<Record<string, string>> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  blank: ' \\t',
  cntrl: '\\x00-\\x1f\\x7f',
  digit: '0-9',
  graph: '\\x21-\\x7e',
  lower: 'a-z',
  print: '\\x20-\\x7e',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\s',
  upper: 'A-Z',
  xdigit: '0-9A-Fa-f',
};

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

/** `undefined` for a pattern that nothing matches, such as one with a bracket that is not closed. */
function globToRegExp(pattern: string): RegExp | undefined {
  let source = '';
  for (let i = 0; i < pattern.length; ) {
    const character = pattern[i]!;
    if (character === '*') {
      const start = i;
      while (pattern[i] === '*') i++;
      const atStart = start === 0 || pattern[start - 1] === '/';
      const spansFolders = i - start >= 2 && atStart;
      if (spansFolders && i === pattern.length) source += '.*';
      else if (spansFolders && pattern[i] === '/') {
        source += '(?:.*/)?';
        i++;
      } else source += '[^/]*';
    } else if (character === '?') {
      source += '[^/]';
      i++;
    } else if (character === '[') {
      const bracket = parseBracket(pattern, i + 1);
      if (bracket === undefined) return undefined;
      source += bracket.source;
      i = bracket.end;
    } else {
      if (character === '\\') i++;
      if (i === pattern.length) return undefined;
      source += escapeCharacter(pattern[i]!);
      i++;
    }
  }
  return new RegExp(`^${source}$`, 's');
}

/** The set that starts behind a `[` at `start`, and where the pattern goes on. */
function parseBracket(pattern: string, start: number): { source: string; end: number } | undefined {
  let i = start;
  const negated = pattern[i] === '!' || pattern[i] === '^';
  if (negated) i++;
  let set = '';
  const first = i;
  for (; pattern[i] !== ']' || i === first; i++) {
    if (i >= pattern.length) return undefined;
    const name = /^\[:([a-z]*):\]/.exec(pattern.slice(i));
    if (name !== null) {
      const characters = CLASSES[name[1]!];
      if (characters === undefined) return undefined;
      set += characters;
      i += name[0].length - 1;
    } else if (pattern[i] === '-' && i > first && pattern[i + 1] !== ']') {
      set += '-';
    } else {
      if (pattern[i] === '\\') i++;
      if (i >= pattern.length) return undefined;
      set += escapeCharacter(pattern[i]!);
    }
  }
  // A slash is matched by no set.
  return { source: `(?!/)[${negated ? '^' : ''}${set}]`, end: i + 1 };
}

function escapeCharacter(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&');
}
