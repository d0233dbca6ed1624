// The refs of the files format, read only: a file each, `ref: NAME` or an object id, and `packed-refs` for those that
// have no file. Files come first, and are read first: who packs a ref writes `packed-refs` before it removes the file.

import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { RefError } from '../errors.ts';
import type { PackedRefsFormat } from '../files/packed-refs/format.ts';
import { PackedRefs } from '../files/packed-refs/packed-refs.ts';
import { isOid, oidSize } from '../format/object-format.ts';
import { compareText, decodeText, encodeText } from '../format/text.ts';
import { checkRefName } from '../refs/ref-name.ts';
import type { FileReading } from '../storage/file-system.ts';
import { ioError } from '../storage/io-error.ts';
import { nodeFileReading } from '../storage/node-file-reading.ts';
import type { StoredRef, StoredRefs } from './stored-refs.ts';

/** A ref's file is one line; bytes. */
const MAX_SIZE = 1 << 16;

/** Nothing is open any more when a question is answered. */
const files: FileReading = { ...nodeFileReading, closeLater: nodeFileReading.close };

/** The refs in `folder`: the repository, or a linked worktree's part of it, which has no `packed-refs`. */
export function openLooseRefs(folder: string, format: PackedRefsFormat): StoredRefs {
  return new LooseRefs(folder, format);
}

class LooseRefs implements StoredRefs {
  readonly #folder: string;
  readonly #format: PackedRefsFormat;
  /** Those that `packed-refs` says all of. */
  readonly #peeled = new WeakSet<StoredRef>();

  constructor(folder: string, format: PackedRefsFormat) {
    this.#folder = folder;
    this.#format = format;
  }

  /** Throws `CORRUPT_REF`, `IO`. */
  read(name: string): StoredRef | undefined {
    return this.#readFile(name) ?? this.#withPacked((packed) => packed.find(name));
  }

  /** A file that holds no ref is left out, as Git does. Throws as `read`. */
  list(prefix: string): StoredRef[] {
    const refs = new Map<string, StoredRef>();
    for (const name of this.#names(prefix)) {
      try {
        const ref = this.#readFile(name);
        if (ref !== undefined) refs.set(name, ref);
      } catch (error) {
        if (!(error instanceof RefError) || error.code !== 'CORRUPT_REF') throw error;
        refs.set(name, { name });
      }
    }
    this.#withPacked((packed) => {
      for (const ref of packed.from(prefix, prefix)) {
        if (ref.hasBadName || refs.has(ref.name)) continue;
        refs.set(ref.name, ref);
        if (ref.isPeeled) this.#peeled.add(ref);
      }
    });
    return [...refs.values()]
      .filter(({ oid, target }) => oid !== undefined || target !== undefined)
      .sort((a, b) => compareText(a.name, b.name));
  }

  isPeeled(ref: StoredRef): boolean {
    return ref.peeled !== undefined || this.#peeled.has(ref);
  }

  close(): void {}

  #withPacked<T>(use: (packed: PackedRefs) => T): T {
    const packed = PackedRefs.open(files, `${this.#folder}/packed-refs`, this.#format);
    try {
      return use(packed);
    } finally {
      packed.release();
    }
  }

  #readFile(name: string): StoredRef | undefined {
    const path = this.#pathOf(name);
    const text = readRefText(path);
    if (text === undefined) return undefined;
    const [, target] = /^ref:[ \t\r\n]*(.*)$/s.exec(text.trimEnd()) ?? [];
    if (target !== undefined && checkRefName(target, { allowOneLevel: true }) === undefined) {
      return { name, target };
    }
    const digits = 2 * oidSize(this.#format.objectFormat);
    const oid = text.slice(0, digits);
    // FETCH_HEAD and MERGE_HEAD say more behind the first object id.
    const isAlone = text.length === digits || /\s/.test(text[digits]!);
    if (isAlone && isOid(oid, this.#format.objectFormat)) return { name, oid: oid.toLowerCase() };
    const file = path.toString();
    const message = `${file}: expected an object id or 'ref: ' and a name, found ${JSON.stringify(text.slice(0, 80))}`;
    throw new RefError('CORRUPT_REF', message, { ref: name, file });
  }

  /** The names that have a file below a folder, in no order. */
  *#names(prefix: string): Generator<string> {
    for (const entry of foldersEntries(this.#pathOf(prefix))) {
      const name = prefix + decodeText(entry.name);
      if (entry.isDirectory()) yield* this.#names(`${name}/`);
      else if (checkRefName(name) === undefined) yield name;
    }
  }

  #pathOf(name: string): string | Buffer {
    const path = `${this.#folder}/${name}`;
    return /[\udc80-\udcff]/.test(name) ? Buffer.from(encodeText(path)) : path;
  }
}

/** What a ref's file says; `undefined` if there is none. */
function readRefText(path: string | Buffer): string | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined || stats.isDirectory()) return undefined;
    if (stats.isSymbolicLink()) {
      // As old Gits made symrefs. Any other link is what it leads to.
      const target = readlinkSync(path);
      if (target.startsWith('refs/')) return `ref: ${target}`;
    } else if (!stats.isFile() || stats.size > MAX_SIZE) {
      return '';
    }
    const text = readFileSync(path, 'utf8');
    // Bytes that are not UTF-8 need more than Node's decoder, which is the faster one.
    return text.includes('\ufffd') ? decodeText(readFileSync(path)) : text;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw ioError('read', path.toString(), error);
  }
}

function foldersEntries(path: string | Buffer) {
  try {
    return readdirSync(path, { encoding: 'buffer', withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw ioError('read', path.toString(), error);
  }
}
