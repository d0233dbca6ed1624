// The refs and reflogs of a store as the files that the files format would have for them. There is no `packed-refs`:
// every ref has a file.

import { encodeText } from '../format/text.ts';
import type { Ref, RefReader } from '../refs/ref-store.ts';
import { fsError } from './fs-error.ts';
import type { HeldRefs } from './held-refs.ts';
import type { FileStats } from './promise-fs.ts';
import { formatReflog } from './reflog-text.ts';

export type FileKind = 'file' | 'folder';

/** What a listing tells of a file or folder. */
export interface Entry {
  readonly kind: FileKind;
  /** Bytes; `undefined` where only reading tells. */
  readonly size: number | undefined;
}

const FOLDER: Entry = { kind: 'folder', size: 0 };

/** These are there in every repository. */
const FOLDERS = new Set(['refs', 'refs/heads', 'refs/tags', 'logs', 'logs/refs']);

export class RefFiles {
  readonly #refs: RefReader;
  readonly #held: HeldRefs;

  constructor(refs: RefReader, held: HeldRefs) {
    this.#refs = refs;
    this.#held = held;
  }

  /** What the file `inside` says. Throws `ENOENT`, `ENOTDIR`, `EISDIR`, and what reading the refs throws. */
  read(inside: string, path: string): string {
    const text = this.#textOf(inside);
    if (text !== undefined) return text;
    if (this.kind(inside) === 'folder') throw fsError('EISDIR', 'read', path);
    throw this.#missing(inside, 'open', path);
  }

  /** `undefined` if there is neither a file nor a folder. */
  kind(inside: string): FileKind | undefined {
    if (FOLDERS.has(inside)) return 'folder';
    const log = logName(inside);
    const isFile = log === undefined ? this.ref(inside) !== undefined : this.hasReflog(log);
    if (isFile) return 'file';
    const isFolder = isBelowFolder(inside) && this.#children(inside).next().done !== true;
    return isFolder ? 'folder' : undefined;
  }

  stat(inside: string, path: string): FileStats {
    const kind = this.kind(inside);
    if (kind === undefined) throw this.#missing(inside, 'stat', path);
    const text = kind === 'file' ? this.#textOf(inside) : undefined;
    return statsOf(kind, text === undefined ? 0 : encodeText(text).length);
  }

  /**
   * What is in a folder, by name; with the size of each file, but for reflogs. Throws `ENOENT`, `ENOTDIR`, and what
   * reading the refs throws.
   */
  list(inside: string, path: string): Map<string, Entry> {
    const entries = new Map<string, Entry>();
    for (const [name, size] of this.#children(inside)) {
      const slash = name.indexOf('/');
      if (slash < 0) entries.set(name, { kind: 'file', size });
      else entries.set(name.slice(0, slash), FOLDER);
    }
    for (const folder of FOLDERS) {
      if (folder.startsWith(`${inside}/`)) entries.set(folder.slice(inside.length + 1), FOLDER);
    }
    if (entries.size === 0 && !FOLDERS.has(inside)) {
      if (this.kind(inside) === 'file') throw fsError('ENOTDIR', 'scandir', path);
      throw this.#missing(inside, 'scandir', path);
    }
    return entries;
  }

  /** The ref itself, as it is or is going to be. */
  ref(name: string): Pick<Ref, 'oid' | 'target'> | undefined {
    const held = this.#held.get(name);
    return held === undefined ? this.#refs.read(name) : held === 'deleted' ? undefined : held;
  }

  hasReflog(name: string): boolean {
    return this.#refs.hasReflog(name);
  }

  #textOf(inside: string): string | undefined {
    const log = logName(inside);
    if (log !== undefined) {
      if (!this.hasReflog(log)) return undefined;
      return formatReflog(this.#refs.reflog(log, { order: 'oldest-first' }));
    }
    const ref = inside === 'packed-refs' ? undefined : this.ref(inside);
    return ref && textOf(ref);
  }

  /** What stands below a folder, each with all that follows in its name, and the size of its file. */
  *#children(inside: string): Generator<[string, number | undefined]> {
    const log = logName(inside);
    if (log === undefined && inside !== 'logs') {
      const prefix = `${inside}/`;
      for (const ref of this.#refs.refs({ prefix })) {
        if (this.#held.get(ref.name) !== undefined) continue;
        yield [ref.name.slice(prefix.length), sizeOf(ref)];
      }
      for (const [name, value] of this.#held.values()) {
        if (name.startsWith(prefix)) yield [name.slice(prefix.length), sizeOf(value)];
      }
      return;
    }
    const prefix = log === undefined ? '' : `${log}/`;
    for (const name of this.#refs.reflogNames()) {
      if (name.startsWith(prefix)) yield [name.slice(prefix.length), undefined];
    }
  }

  /** `ENOTDIR` below what is a file, as a file system has it. */
  #missing(inside: string, call: string, path: string): Error {
    for (let end = inside.lastIndexOf('/'); end > 0; end = inside.lastIndexOf('/', end - 1)) {
      const above = inside.slice(0, end);
      if (FOLDERS.has(above)) break;
      if (this.#textOf(above) !== undefined) return fsError('ENOTDIR', call, path);
    }
    return fsError('ENOENT', call, path);
  }
}

function textOf({ oid, target }: Pick<Ref, 'oid' | 'target'>): string {
  return target === undefined ? `${oid}\n` : `ref: ${target}\n`;
}

/** Bytes; without making the text of what nearly all are. */
function sizeOf(ref: Pick<Ref, 'oid' | 'target'>): number {
  return ref.oid === undefined ? encodeText(textOf(ref)).length : ref.oid.length + 1;
}

/** The ref whose reflog the file would be. */
export function logName(inside: string): string | undefined {
  return inside.startsWith('logs/') ? inside.slice('logs/'.length) : undefined;
}

function isBelowFolder(inside: string): boolean {
  return inside.startsWith('refs/') || inside.startsWith('logs/');
}

const MODES = { file: 0o100644, folder: 0o40755 } as const;

/** `size` in bytes. */
export function statsOf(kind: FileKind, size: number): FileStats {
  return {
    ...{ size, mode: MODES[kind], ino: 0, mtimeMs: 0, ctimeMs: 0 },
    isFile: () => kind === 'file',
    isDirectory: () => kind === 'folder',
    isSymbolicLink: () => false,
  };
}
