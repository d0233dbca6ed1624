// Git's globs (`wildmatch` with WM_PATHNAME): `*` and `?` stop at a slash, `**` between slashes stands for any
// number of components, `[a-z]` and `[[:alpha:]]` for one character. As in Git, a character is a byte.

/** Ranges of bytes, from and to. */
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

function ranges(...pairs: string[]): Ranges {
  return pairs.map((pair) => [pair.charCodeAt(0), pair.charCodeAt(1)]);
}

const SLASH = 0x2f;

/** Which bytes may stand at one place: 1 for those that may. */
type ByteSet = Uint8Array;
/** `*`; `**` with a slash behind it; `**` at the end. */
type Wildcard = 'any bytes' | 'any folders' | 'all';
type Token = ByteSet | Wildcard;

/** The sets of one byte alone, made when they are needed. */
const SINGLES: ByteSet[] = [];

export interface GlobOptions {
  /** For ASCII letters, and as in Git not for a capital that stands alone in brackets. */
  ignoreCase?: boolean;
  /** Whether a slash is a byte like any other (`wildmatch` without WM_PATHNAME). */
  crossesFolders?: boolean;
}

export class Glob {
  readonly #tokens: readonly Token[];
  readonly #crossesFolders: boolean;

  private constructor(tokens: readonly Token[], crossesFolders: boolean) {
    this.#tokens = tokens;
    this.#crossesFolders = crossesFolders;
  }

  /** `undefined` for a pattern that nothing matches, such as one with a bracket that is not closed. */
  static compile(pattern: Uint8Array, options: GlobOptions = {}): Glob | undefined {
    const { ignoreCase = false, crossesFolders = false } = options;
    const byteText = Buffer.from(pattern).toString('latin1');
    const tokens = parseGlob(byteText, ignoreCase, crossesFolders);
    return tokens && new Glob(tokens, crossesFolders);
  }

  /** Whether all of `bytes[start, end)` matches, in time that grows with the product of both lengths at most. */
  matches(bytes: Uint8Array, start = 0, end = bytes.length): boolean {
    const tokens = this.#tokens;
    let at = start;
    let next = 0;
    // Where to go on when a byte does not fit: the last wildcards that were passed take one more byte, or folder. Those
    // before them need not be tried again: nothing would be found that a longer stretch for these would not.
    let [bytesNext, bytesEnd] = [-1, 0];
    let [foldersNext, foldersEnd] = [-1, 0];
    for (;;) {
      if (next < tokens.length) {
        const token = tokens[next]!;
        if (typeof token !== 'string') {
          if (at < end && token[bytes[at]!] === 1) {
            at++;
            next++;
            continue;
          }
        } else if (token === 'all') {
          return true;
        } else {
          next++;
          if (token === 'any bytes') [bytesNext, bytesEnd] = [next, at];
          else [foldersNext, foldersEnd, bytesNext] = [next, at, -1];
          continue;
        }
      } else if (at === end) {
        return true;
      }
      if (bytesNext >= 0 && bytesEnd < end && this.#isCrossed(bytes[bytesEnd]!)) {
        at = ++bytesEnd;
        next = bytesNext;
        continue;
      }
      if (foldersNext < 0) return false;
      while (foldersEnd < end && bytes[foldersEnd] !== SLASH) foldersEnd++;
      if (foldersEnd === end) return false;
      at = ++foldersEnd;
      next = foldersNext;
      bytesNext = -1;
    }
  }

  /** Whether `*` reaches beyond this byte. */
  #isCrossed(byte: number): boolean {
    return byte !== SLASH || this.#crossesFolders;
  }
}

function parseGlob(
  pattern: string,
  ignoreCase: boolean,
  crossesFolders: boolean,
): Token[] | undefined {
  const tokens: Token[] = [];
  for (let i = 0; i < pattern.length; ) {
    const character = pattern[i]!;
    if (character === '*') {
      const start = i;
      while (pattern[i] === '*') i++;
      const atStart = start === 0 || pattern[start - 1] === '/';
      const spansFolders = i - start >= 2 && atStart && !crossesFolders;
      const slash = /^\\?\//.exec(pattern.slice(i, i + 2))?.[0];
      if (spansFolders && i === pattern.length) tokens.push('all');
      else if (spansFolders && slash !== undefined) {
        // Git lets no folder at all stand there only before a slash that is not escaped.
        if (slash !== '/') tokens.push('any bytes', literal('/', false));
        tokens.push('any folders');
        i += slash.length;
      } else tokens.push('any bytes');
    } else if (character === '?') {
      tokens.push(setOf((byte) => crossesFolders || byte !== SLASH));
      i++;
    } else if (character === '[') {
      const bracket = parseBracket(pattern, i + 1, ignoreCase);
      if (bracket === undefined) return undefined;
      // Only there does a set match a slash.
      if (!crossesFolders) bracket.set[SLASH] = 0;
      tokens.push(bracket.set);
      i = bracket.end;
    } else {
      if (character === '\\') i++;
      if (i === pattern.length) return undefined;
      // A capital behind a backslash stands for itself alone, which nothing is where case is ignored.
      if (ignoreCase && character === '\\' && /[A-Z]/.test(pattern[i]!)) return undefined;
      tokens.push(literal(pattern[i]!, ignoreCase));
      i++;
    }
  }
  return tokens;
}

function literal(character: string, ignoreCase: boolean): ByteSet {
  const code = character.charCodeAt(0);
  if (ignoreCase && /[A-Za-z]/.test(character))
    return setOf((byte) => (byte | 0x20) === (code | 0x20));
  SINGLES[code] ??= setOf((byte) => byte === code);
  return SINGLES[code];
}

function setOf(has: (byte: number) => boolean): ByteSet {
  return new Uint8Array(256).map((_, byte) => (has(byte) ? 1 : 0));
}

/** The set that starts behind a `[` at `start`, and where the pattern goes on. */
function parseBracket(
  pattern: string,
  start: number,
  ignoreCase: boolean,
): { set: ByteSet; end: number } | undefined {
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
  return { set: setOf((byte) => has(byte) !== negated), end: i + 1 };
}

function isRangeEnd(character: string | undefined): boolean {
  return character !== undefined && character !== ']';
}
