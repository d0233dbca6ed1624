// Configuration files as they are read one after the other, with the files that they include:
//
//   [include]                                path = …    always
//   [includeIf "gitdir:GLOB"]                path = …    where the repository is; gitdir/i: in any case
//   [includeIf "onbranch:GLOB"]              path = …    what HEAD names
//   [includeIf "hasconfig:remote.*.url:GLOB"] path = …   a remote that any other file sets
//
// A file's settings stand where it is included, behind the setting that includes it.

import { readFileSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { RefError } from '../errors.ts';
import { decodeText, encodeText } from '../format/text.ts';
import { Glob } from '../glob.ts';
import { systemReason } from '../storage/io-error.ts';
import { type ConfigEntry, type ConfigScope, parseConfigEntries } from './config.ts';
import { expandHome } from './home.ts';

const MAX_INCLUDE_DEPTH = 10;

/** What the conditions are about. */
export interface IncludeSubjects {
  env: Record<string, string | undefined>;
  gitDir: string;
  /** The branch that HEAD names, without `refs/heads/`. Asked only where a condition is about it. */
  currentBranch: () => string | undefined;
  /** The URLs of all remotes that no conditional file sets. Likewise. */
  remoteUrls: () => string[];
}

/** A file, and how Git names it in what it says. */
export interface ConfigFile {
  path: string;
  shownAs: string;
}

export class ConfigReader {
  readonly entries: ConfigEntry[] = [];
  readonly #subjects: IncludeSubjects;
  /** Files are read once, also where a condition makes us go through all of them before. */
  readonly #files: Map<string, ConfigEntry[]>;
  /** Where only remotes are looked for, every condition about them holds, and none may be set there. */
  readonly #onlyForUrls: boolean;
  #depth = 0;
  #isConditional = false;

  constructor(
    subjects: IncludeSubjects,
    files: Map<string, ConfigEntry[]>,
    { onlyForUrls = false } = {},
  ) {
    this.#subjects = subjects;
    this.#files = files;
    this.#onlyForUrls = onlyForUrls;
  }

  /** Reads a file, which may be missing. Throws `INVALID_CONFIG`, `IO`. */
  read(file: ConfigFile, scope: ConfigScope): void {
    for (const entry of this.entriesOf(file, scope)) this.#add(entry, file);
  }

  /** Adds settings that stand in no file. Throws as `read` does. */
  add(entries: readonly ConfigEntry[]): void {
    for (const entry of entries) this.#add(entry, undefined);
  }

  /** A file's own settings. Throws as `read` does. */
  entriesOf(file: ConfigFile, scope: ConfigScope): ConfigEntry[] {
    // The same file may be included with several names, and in several scopes.
    const key = `${scope}\0${file.shownAs}\0${file.path}`;
    let entries = this.#files.get(key);
    if (entries === undefined) {
      const text = readText(file, scope);
      entries = text === undefined ? [] : parseConfigEntries(text, file.shownAs, scope);
      this.#files.set(key, entries);
    }
    return entries;
  }

  #add(entry: ConfigEntry, file: ConfigFile | undefined): void {
    const { key } = entry;
    if (this.#isConditional && this.#onlyForUrls && isRemoteUrl(key)) {
      const place = 'file directly or indirectly included by includeIf.hasconfig:remote.*.url';
      throw new RefError('INVALID_CONFIG', `remote URLs cannot be configured in ${place}`);
    }
    this.entries.push(this.#depth === 0 ? entry : { ...entry, included: true });
    if (key === 'include.path') {
      this.#include(entry, file);
    } else if (key.startsWith('includeif.') && key.endsWith('.path')) {
      const condition = key.slice('includeif.'.length, -'.path'.length);
      if (!this.#holds(condition, entry, file)) return;
      const before = this.#isConditional;
      this.#isConditional = true;
      this.#include(entry, file);
      this.#isConditional = before;
    }
  }

  #include(entry: ConfigEntry, from: ConfigFile | undefined): void {
    if (entry.value === null) throw badInclude(entry, "missing value for 'include.path'");
    const path = expandHome(entry.value, this.#subjects.env);
    if (path === undefined) {
      throw badInclude(entry, `could not expand include path '${entry.value}'`);
    }
    let file = { path, shownAs: path };
    if (!isAbsolute(path)) {
      if (from === undefined) {
        throw badInclude(entry, 'relative config includes must come from files');
      }
      const folder = from.shownAs.slice(0, from.shownAs.lastIndexOf('/') + 1);
      file = { path: join(dirname(from.path), path), shownAs: folder + path };
    }
    if (this.#depth === MAX_INCLUDE_DEPTH && this.entriesOf(file, entry.scope).length > 0) {
      const including = `including\n\t${file.shownAs}\nfrom\n\t${from?.shownAs ?? 'the command line'}`;
      const headline = `exceeded maximum include depth (${MAX_INCLUDE_DEPTH}) while ${including}`;
      const message = `${headline}\nThis might be due to circular includes.`;
      throw new RefError('INVALID_CONFIG', message, { file: from?.path });
    }
    this.#depth++;
    try {
      this.read(file, entry.scope);
    } catch (error) {
      if (isFolder(error)) throw badInclude(entry, error);
      throw error;
    }
    this.#depth--;
  }

  /** Conditions that are not known never hold. */
  #holds(condition: string, entry: ConfigEntry, file: ConfigFile | undefined): boolean {
    const { gitDir, currentBranch, remoteUrls } = this.#subjects;
    const [, kind, pattern = ''] =
      /^(gitdir(?:\/i)?|onbranch|hasconfig:remote\.\*\.url):(.*)$/s.exec(condition) ?? [];
    switch (kind) {
      case 'gitdir':
      case 'gitdir/i':
        return this.#isAt(gitDir, pattern, entry, file, kind === 'gitdir/i');
      case 'onbranch': {
        const branch = currentBranch();
        return branch !== undefined && matches(withTrailingGlob(pattern), branch);
      }
      case 'hasconfig:remote.*.url':
        return this.#onlyForUrls || remoteUrls().some((url) => matches(pattern, url));
      default:
        return false;
    }
  }

  /** Whether a folder matches a glob, by its real path or the one that it was given with. */
  #isAt(
    folder: string,
    pattern: string,
    entry: ConfigEntry,
    file: ConfigFile | undefined,
    ignoreCase: boolean,
  ): boolean {
    let glob = expandHome(pattern, this.#subjects.env, { real: true }) ?? pattern;
    let literal = '';
    if (glob.startsWith('./')) {
      if (file === undefined) {
        throw badInclude(entry, 'relative config include conditionals must come from files');
      }
      // What is special in the names of these folders is not so here.
      literal = `${dirname(realpathSync.native(file.path))}/`;
      glob = glob.slice(2);
    } else if (!isAbsolute(glob)) {
      glob = `**/${glob}`;
    }
    glob = withTrailingGlob(glob);
    const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text);
    return [realPath(folder), resolve(folder)].some(
      (path) =>
        fold(path).startsWith(fold(literal)) &&
        matches(glob, path.slice(literal.length), ignoreCase),
    );
  }
}

/** Whether a key is the URL of a remote. */
export function isRemoteUrl(key: string): boolean {
  return /^remote\..*\.url$/s.test(key);
}

function matches(pattern: string, text: string, ignoreCase = false): boolean {
  return Glob.compile(encodeText(pattern), { ignoreCase })?.matches(encodeText(text)) ?? false;
}

/** A folder stands for all that is in it. */
function withTrailingGlob(pattern: string): string {
  return pattern.endsWith('/') ? `${pattern}**` : pattern;
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path);
  }
}

/** `undefined` where there is no such file. */
function readText({ path, shownAs }: ConfigFile, scope: ConfigScope): string | undefined {
  try {
    return decodeText(readFileSync(path));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || path === '') return undefined;
    // A home folder that is closed to us, as under sudo, is no reason to give up.
    if (code === 'EACCES' && scope === 'global') return undefined;
    const message = `unable to access '${shownAs}': ${systemReason(cause)}`;
    throw new RefError('IO', message, { file: path, cause });
  }
}

function isFolder(error: unknown): error is RefError {
  const cause = error instanceof RefError ? error.cause : undefined;
  return (cause as NodeJS.ErrnoException | undefined)?.code === 'EISDIR';
}

/** As Git ends; the reason, which it says before, is the cause's. */
function badInclude(entry: ConfigEntry, reason: string | RefError): RefError {
  const { file, line } = entry;
  const cause =
    typeof reason === 'string' ? new RefError('INVALID_CONFIG', reason, { file }) : reason;
  const message =
    file === undefined
      ? 'unable to parse command-line config'
      : `bad config line ${line} in file ${file}`;
  return new RefError('INVALID_CONFIG', message, { file, cause });
}
