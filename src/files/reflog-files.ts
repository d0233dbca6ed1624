// Reflogs that are files, one line an entry, the newest last:
//
//   OLD-ID SP NEW-ID SP NAME SP <EMAIL> SP SECONDS SP ±hhmm TAB MESSAGE LF
//
// A line that is none, or has no end, is passed over, as Git does: what a writer left that died, or was written by hand.

import type { ObjectFormat } from '../format/object-format.ts';
import { oidSize } from '../format/object-format.ts';
import { compareText, decodeText, encodeText } from '../format/text.ts';
import { formatTimezone, timezoneFromHhmm } from '../reflog/date.ts';
import { checkRefName } from '../refs/ref-name.ts';
import type { ReflogEntry } from '../refs/ref-store.ts';
import { ioError } from '../storage/io-error.ts';
import type { OpenRefFile, RefFileSystem } from '../storage/ref-file-system.ts';

const NEWLINE = 0x0a;
/** So much is read at a time, bytes. */
const CHUNK = 1 << 16;

export class ReflogFiles {
  readonly #files: RefFileSystem;
  readonly #line: RegExp;

  constructor(files: RefFileSystem, objectFormat: ObjectFormat) {
    this.#files = files;
    const oid = `([0-9a-f]{${2 * oidSize(objectFormat)}})`;
    this.#line = new RegExp(
      `^${oid} ${oid} ([^>]*)> [ \\t]*(\\d+) ([+-]\\d{4}\\d*)(?:\\t|(?=.|$))(.*)$`,
      'is',
    );
  }

  /** Whether there is a file: it may have no entries. */
  exists(path: string): boolean {
    return this.#files.kindOf(path) === 'file';
  }

  /** Whether a folder is in its place, with the logs of other refs. */
  isFolder(path: string): boolean {
    return this.#files.kindOf(path) === 'folder';
  }

  /** Throws `IO`. */
  *newestFirst(path: string): IterableIterator<ReflogEntry> {
    const file = this.#open(path);
    if (file === undefined) return;
    try {
      for (const [line, at] of linesBackwards(file)) {
        const entry = this.#parse(line, at);
        if (entry !== undefined) yield entry;
      }
    } catch (error) {
      throw ioError('read', path, error);
    } finally {
      file.close();
    }
  }

  /** Throws `IO`. */
  *oldestFirst(path: string): IterableIterator<ReflogEntry> {
    const file = this.#open(path);
    if (file === undefined) return;
    try {
      for (const [line, at] of linesForwards(file)) {
        const entry = this.#parse(line, at);
        if (entry !== undefined) yield entry;
      }
    } catch (error) {
      throw ioError('read', path, error);
    } finally {
      file.close();
    }
  }

  /** The names of the logs in a folder, folder by folder. Throws `IO`. */
  *names(folder: string, prefix = ''): IterableIterator<string> {
    let entries: ReturnType<RefFileSystem['list']>;
    try {
      entries = this.#files.list(folder);
    } catch (error) {
      throw ioError('read', folder, error);
    }
    const sorted = (entries ?? []).sort((a, b) => compareText(a.name, b.name));
    for (const { name, kind } of sorted) {
      const path = `${folder}/${name}`;
      if (kind === 'folder') yield* this.names(path, `${prefix}${name}/`);
      const isLog = kind === 'file' && checkRefName(name, { allowOneLevel: true }) === undefined;
      if (isLog) yield prefix + name;
    }
  }

  #open(path: string): OpenRefFile | undefined {
    try {
      if (this.#files.kindBehind(path) !== 'file') return undefined;
      return this.#files.open(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw ioError('read', path, error);
    }
  }

  #parse(line: string, updateIndex: number): ReflogEntry | undefined {
    const nul = line.indexOf('\0');
    const match = this.#line.exec(nul === -1 ? line : line.slice(0, nul));
    if (match === null) return undefined;
    const [, oldOid = '', newOid = '', who = '', seconds, zone, message = ''] = match;
    const time = Number(seconds);
    if (time === 0 || !Number.isSafeInteger(time)) return undefined;
    const open = who.indexOf('<');
    const name = open === -1 ? who : who.slice(0, open).replace(/ $/, '');
    const email = open === -1 ? '' : who.slice(open + 1);
    const timezone = timezoneFromHhmm(Number(zone));
    return {
      oldOid: oldOid.toLowerCase(),
      newOid: newOid.toLowerCase(),
      committer: { name, email, time, timezone },
      message,
      updateIndex,
    };
  }
}

/** The line of a new entry. */
export function reflogLine(entry: Omit<ReflogEntry, 'updateIndex'>): Uint8Array {
  const { message } = entry;
  return encodeText(`${lineHead(entry)}${message === '' ? '' : `\t${message}`}\n`);
}

/** The line of an entry that was read: Git has a tab then, whatever follows. */
export function rewrittenLine(entry: Omit<ReflogEntry, 'updateIndex'>): Uint8Array {
  return encodeText(`${lineHead(entry)}\t${entry.message}\n`);
}

function lineHead({ oldOid, newOid, committer }: Omit<ReflogEntry, 'updateIndex'>): string {
  const { name, email, time, timezone } = committer;
  return `${oldOid} ${newOid} ${name} <${email}> ${time} ${formatTimezone(timezone)}`;
}

/** Each line that has an end, without it, and where it begins, bytes. */
function* linesForwards(file: OpenRefFile): Generator<[string, number]> {
  let rest = Buffer.alloc(0);
  let start = 0;
  for (let at = 0; at < file.size; at += CHUNK) {
    const chunk = Buffer.concat([rest, file.read(at, at + CHUNK)]);
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      yield [decodeText(chunk, from, end), start + from];
      from = end + 1;
    }
    rest = chunk.subarray(from);
    start += from;
  }
}

function* linesBackwards(file: OpenRefFile): Generator<[string, number]> {
  /** What was read of lines whose beginning was not. */
  let rest = Buffer.alloc(0);
  let hasEnd = false;
  for (let start = file.size; start > 0; ) {
    const end = start;
    start = Math.max(start - CHUNK, 0);
    let chunk = Buffer.concat([file.read(start, end), rest]);
    if (!hasEnd) {
      const last = chunk.lastIndexOf(NEWLINE);
      hasEnd = last >= 0;
      chunk = hasEnd ? chunk.subarray(0, last) : Buffer.alloc(0);
      if (!hasEnd) continue;
    }
    for (let at = chunk.lastIndexOf(NEWLINE); at >= 0; at = chunk.lastIndexOf(NEWLINE)) {
      yield [decodeText(chunk, at + 1), start + at + 1];
      chunk = chunk.subarray(0, at);
    }
    rest = chunk;
  }
  if (hasEnd) yield [decodeText(rest), 0];
}
