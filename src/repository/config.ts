// Git's configuration: the settings of one or more files, and the parser of a file.
//
//   [section]              section and name in any case
//     name = value         spaces around the value are dropped, `"…"` keeps them
//   [section "Sub"]        the subsection as it is written; \" and \\ for " and \
//     name                 no value: true                        ; comment to the end of the line
//   [section.sub]          the old form, in any case               # comment
//
// Inside a value \n, \t, \b, \" and \\ are escapes, and a \ at the line's end joins the next line.

import { parseConfigBoolean, parseConfigInteger } from '../config-value.ts';
import { RefError } from '../errors.ts';

/** Where a setting comes from, in the order in which later ones win. */
export type ConfigScope = 'system' | 'global' | 'local' | 'worktree' | 'command';

/** One setting, where it was written. */
export interface ConfigEntry {
  /** `section.name` or `section.Sub.name`: section and name in lower case, the subsection as it is. */
  key: string;
  /** `null` for a name without `=`. */
  value: string | null;
  scope: ConfigScope;
  /** The file's path, `undefined` for a setting from the environment. */
  file?: string;
  /** Counted from 1; where a value goes over several lines, the last of them. */
  line?: number;
  /** Whether it stands in a file that another one includes. */
  included?: boolean;
}

/** Settings in the order in which they were read; of several with the same key the last wins. */
export class Config {
  readonly entries: readonly ConfigEntry[];
  private readonly byKey = new Map<string, ConfigEntry[]>();

  constructor(entries: readonly ConfigEntry[]) {
    this.entries = entries;
    for (const entry of entries) {
      const same = this.byKey.get(entry.key);
      if (same === undefined) this.byKey.set(entry.key, [entry]);
      else same.push(entry);
    }
  }

  /** The settings of one scope alone, without those of files that its files include. */
  only(scope: ConfigScope): Config {
    const isOwn = (entry: ConfigEntry) => entry.scope === scope && entry.included !== true;
    return new Config(this.entries.filter(isOwn));
  }

  /** The last setting of a key, with its origin, or `undefined`. */
  find(key: string): ConfigEntry | undefined {
    return this.byKey.get(normalizeKey(key))?.at(-1);
  }

  /**
   * The value of a key, or `undefined` if it is not set.
   *
   * Throws `INVALID_CONFIG` if it is there without a value.
   */
  get(key: string): string | undefined {
    const entry = this.find(key);
    return entry === undefined ? undefined : textOf(entry);
  }

  /** All values of a key, in order; throws as `get` does. */
  getAll(key: string): string[] {
    return (this.byKey.get(normalizeKey(key)) ?? []).map(textOf);
  }

  /**
   * The value of a key as a boolean: `true`, `yes`, `on`, their opposites, an integer, an empty value
   * (false), no value (true). `undefined` if it is not set.
   *
   * Throws `INVALID_CONFIG` for anything else.
   */
  getBoolean(key: string): boolean | undefined {
    const entry = this.find(key);
    return entry && booleanOf(entry);
  }

  /**
   * The value of a key as an integer, with `k`, `m` or `g` for powers of 1024. `undefined` if it is not
   * set.
   *
   * Throws `INVALID_CONFIG` for anything else, and for a number outside `min` to `max`.
   */
  getInteger(
    key: string,
    { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = {},
  ): number | undefined {
    const entry = this.find(key);
    return entry && integerOf(entry, min, max);
  }
}

/** A setting's value as a boolean; throws as `Config.getBoolean` does. */
export function booleanOf(entry: ConfigEntry): boolean {
  const value = parseConfigBoolean(entry.value);
  if (value !== undefined) return value;
  throw invalid(entry, `bad boolean config value '${entry.value}' for '${entry.key}'`);
}

/** A setting's value as an integer; throws as `Config.getInteger` does. */
export function integerOf(entry: ConfigEntry, min: number | bigint, max: number | bigint): number {
  const value = parseConfigInteger(entry.value ?? '', min, max);
  if (typeof value !== 'string') return value;
  const place = entry.file === undefined ? '' : ` in file ${entry.file}`;
  const what = `bad numeric config value '${entry.value ?? ''}' for '${entry.key}'`;
  throw invalid(entry, `${what}${place}: ${value}`);
}

function textOf(entry: ConfigEntry): string {
  if (entry.value === null) throw badSetting(entry, `missing value for '${entry.key}'`);
  return entry.value;
}

/** Where a setting stands that cannot be, as Git ends; `reason`, which it says before, is the cause's. */
export function badSetting({ key, file, line }: ConfigEntry, reason: string): RefError {
  const message =
    file === undefined
      ? `unable to parse '${key}' from command-line config`
      : `bad config variable '${key}' in file '${file}' at line ${line}`;
  const cause = new RefError('INVALID_CONFIG', reason, { file });
  return new RefError('INVALID_CONFIG', message, { file, cause });
}

function invalid(entry: ConfigEntry, message: string): RefError {
  return new RefError('INVALID_CONFIG', message, { file: entry.file });
}

/** A key with its section and name in lower case, and the subsection between them as it is. */
export function normalizeKey(key: string): string {
  const first = key.indexOf('.');
  const last = key.lastIndexOf('.');
  if (first === last) return key.toLowerCase();
  return key.slice(0, first).toLowerCase() + key.slice(first, last) + key.slice(last).toLowerCase();
}

/**
 * Reads a configuration file's text. `include.path` and `includeIf` are settings like any other here.
 *
 * Throws `INVALID_CONFIG` in Git's words, naming `file` and the line, where it is not one.
 */
export function parseConfig(text: string, file: string, scope: ConfigScope = 'local'): Config {
  return new Config(parseConfigEntries(text, file, scope));
}

/** The settings of a configuration file's text, in order; throws as `parseConfig` does. */
export function parseConfigEntries(text: string, file: string, scope: ConfigScope): ConfigEntry[] {
  return new ConfigParser(text, file, scope).parse();
}

const KEY_CHARACTER = /[A-Za-z0-9-]/;

/** A reader of one file. The end of the text reads as one more newline, so that every line has one. */
class ConfigParser {
  private readonly text: string;
  private readonly file: string;
  private readonly scope: ConfigScope;
  private position = 0;
  private line = 1;
  private section = '';

  constructor(text: string, file: string, scope: ConfigScope) {
    this.text = text;
    this.file = file;
    this.scope = scope;
  }

  parse(): ConfigEntry[] {
    const entries: ConfigEntry[] = [];
    if (this.text.charCodeAt(0) === 0xfeff) this.position = 1;
    while (this.position < this.text.length) {
      const line = this.line;
      const character = this.next();
      if (isSpace(character)) continue;
      if (isCommentStart(character)) {
        this.skipLine();
      } else if (character === '[') {
        this.section = this.readSection(line);
      } else if (/[A-Za-z]/.test(character) && this.section !== '') {
        entries.push(this.readSetting(character, line));
      } else {
        throw this.badLine(line);
      }
    }
    return entries;
  }

  /** The next character; a CRLF reads as a newline. */
  private next(): string {
    if (this.position >= this.text.length) {
      this.position++;
      this.line++;
      return '\n';
    }
    let character = this.text[this.position++]!;
    if (character === '\r' && this.text[this.position] === '\n') {
      this.position++;
      character = '\n';
    }
    if (character === '\n') this.line++;
    return character;
  }

  private skipLine(): void {
    while (this.next() !== '\n');
  }

  /** What stands after a `[`, up to and with the `]`, as the start of a key: `section.` */
  private readSection(line: number): string {
    let section = '';
    for (;;) {
      const character = this.next();
      if (character === ']') break;
      if (isSpace(character)) {
        section += `.${this.readSubsection(character, line)}`;
        break;
      }
      if (character !== '.' && !KEY_CHARACTER.test(character)) throw this.badLine(line);
      section += character.toLowerCase();
    }
    if (section === '') throw this.badLine(line);
    return `${section}.`;
  }

  private readSubsection(space: string, line: number): string {
    let character = space;
    while (isSpace(character)) {
      if (character === '\n') throw this.badLine(line);
      character = this.next();
    }
    if (character !== '"') throw this.badLine(line);
    let subsection = '';
    for (;;) {
      character = this.next();
      if (character === '"') break;
      if (character === '\\') character = this.next();
      if (character === '\n') throw this.badLine(line);
      subsection += character;
    }
    if (this.next() !== ']') throw this.badLine(line);
    return subsection;
  }

  private readSetting(first: string, line: number): ConfigEntry {
    let name = first;
    let character = this.next();
    while (KEY_CHARACTER.test(character)) {
      name += character;
      character = this.next();
    }
    while (character === ' ' || character === '\t') character = this.next();
    let value: string | null = null;
    if (character === '=') value = this.readValue();
    else if (character !== '\n') throw this.badLine(line);
    const key = this.section + name.toLowerCase();
    return { key, value, scope: this.scope, file: this.file, line: this.line - 1 };
  }

  private readValue(): string {
    let value = '';
    /** The length of the value without the spaces at its end. */
    let trimmed = 0;
    let quoted = false;
    for (;;) {
      const line = this.line;
      let character = this.next();
      if (character === '\n') {
        if (quoted) throw this.badLine(line);
        return value.slice(0, trimmed);
      }
      if (!quoted && isCommentStart(character)) {
        this.skipLine();
        return value.slice(0, trimmed);
      }
      if (!quoted && isSpace(character)) {
        if (value !== '') value += character;
        continue;
      }
      if (character === '"') {
        quoted = !quoted;
        trimmed = value.length;
        continue;
      }
      if (character === '\\') {
        character = this.next();
        if (character === '\n') {
          trimmed = value.length;
          continue;
        }
        const escaped = ESCAPES.get(character);
        if (escaped === undefined) throw this.badLine(line);
        character = escaped;
      }
      value += character;
      trimmed = value.length;
    }
  }

  private badLine(line: number): RefError {
    return new RefError('INVALID_CONFIG', `bad config line ${line} in file ${this.file}`, {
      file: this.file,
    });
  }
}

const ESCAPES = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['b', '\b'],
  ['"', '"'],
  ['\\', '\\'],
]);

function isSpace(character: string): boolean {
  return character === ' ' || character === '\t' || character === '\n' || character === '\r';
}

function isCommentStart(character: string): boolean {
  return character === '#' || character === ';';
}
