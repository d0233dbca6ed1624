// Git's globs (`wildmatch` with WM_PATHNAME): `*` and `?` stop at a slash, `**` between slashes stands for any
// number of components, `[a-z]` and `[[:alpha:]]` for one character.

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

/** `undefined` for a pattern that nothing matches, such as one with a bracket that is not closed. */
export function globToRegExp(pattern: string, { ignoreCase = false } = {}): RegExp | undefined {
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
  try {
    return new RegExp(`^${source}$`, ignoreCase ? 'is' : 's');
  } catch {
    // A range whose end comes before its start.
    return undefined;
  }
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
