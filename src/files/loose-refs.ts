// Refs that are files. Each holds one line:
//
//   OBJECT-ID LF              or, behind that, white space and whatever follows it (FETCH_HEAD)
//   ref: NAME LF              a symref; old Gits made a symbolic link to NAME instead
//
// A file that a writer is about to rename over a ref, NAME.lock, is none, and neither is one that begins with a dot.

import { RefError } from '../errors.ts';
import { isOid, type ObjectFormat, oidSize } from '../format/object-format.ts';
import type { RefRecord } from '../format/records.ts';
import { compareText, decodeText } from '../format/text.ts';
import { checkRefName, isRootRef, isSafeRefName } from '../refs/ref-name.ts';
import { ioError } from '../storage/io-error.ts';
import type { FileKind, RefFileSystem } from '../storage/ref-file-system.ts';
import type { RefPaths } from './ref-paths.ts';

/** More than the line of any ref has, bytes. */
const MAX_READ = 1 << 13;
/** Of what is no ref, an error shows so much. */
const SHOWN = 80;
/** A ref that is made into a folder or the other way round while it is read is looked at so often. */
const MAX_LOOKS = 3;
/** What each worktree has for itself may be missing where the folders of all are listed. */
const OWN_FOLDERS = ['refs/bisect/', 'refs/rewritten/', 'refs/worktree/'];
const ALLOW_ONE_LEVEL = { allowOneLevel: true };
/** Files have no transactions to count. */
const NO_UPDATE_INDEX = 0;

/** What was found in a ref's place: also a folder, in which other refs may be. */
export type LooseRef = RefRecord | 'folder' | undefined;

/** One thing in a folder of refs: a ref, or a folder, whose name ends with a slash. */
interface Child {
  name: string;
  isFolder: boolean;
}

/** Where loose refs are read from: the files, or what was found in them. */
export interface LooseSource {
  read(name: string): LooseRef;
  isFolder(name: string): boolean;
  refs(prefix: string): IterableIterator<RefRecord>;
  rootRefs(): IterableIterator<RefRecord>;
}

export class LooseRefs implements LooseSource {
  readonly #files: RefFileSystem;
  readonly #paths: RefPaths;
  readonly #digits: number;
  readonly #objectFormat: ObjectFormat;

  constructor(files: RefFileSystem, paths: RefPaths, objectFormat: ObjectFormat) {
    this.#files = files;
    this.#paths = paths;
    this.#objectFormat = objectFormat;
    this.#digits = 2 * oidSize(objectFormat);
  }

  /** Throws `CORRUPT_REF` for a file that holds no ref, `IO`. A name that leads out of the repository has no file. */
  read(name: string): LooseRef {
    if (!mayBeRead(name)) return undefined;
    const path = this.#paths.ref(name);
    try {
      for (let look = 1; ; look++) {
        try {
          return this.#readOnce(name, path);
        } catch (error) {
          const { code } = error as NodeJS.ErrnoException;
          const hasChanged = code === 'ENOENT' || code === 'EINVAL' || code === 'EISDIR';
          if (!hasChanged || look === MAX_LOOKS) throw error;
        }
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A symbolic link that leads nowhere.
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      throw ioError('read', path, error);
    }
  }

  /** Whether a folder is in the ref's place. */
  isFolder(name: string): boolean {
    return this.#files.kindOf(this.#paths.ref(name)) === 'folder';
  }

  /**
   * The refs whose names begin with `prefix`, in byte order. One whose file holds no ref has neither `oid` nor
   * `target`; names that none may have are left out. Throws `IO`, and `BAD_NAME` for a name that leads out of the
   * repository.
   */
  *refs(prefix: string): IterableIterator<RefRecord> {
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    yield* this.#refsBelow(folder, prefix);
  }

  /** The refs beside `refs/`, in byte order. */
  *rootRefs(): IterableIterator<RefRecord> {
    const names = this.#children('').filter(({ name, isFolder }) => !isFolder && isRootRef(name));
    for (const { name } of names) {
      const ref = this.#readListed(name);
      if (ref !== undefined) yield ref;
    }
  }

  *#refsBelow(folder: string, prefix: string): IterableIterator<RefRecord> {
    const children = this.#children(folder);
    if (folder === 'refs/') addOwnFolders(children);
    children.sort((a, b) => compareText(a.name, b.name));
    for (const { name, isFolder } of children) {
      if (isFolder && (name.startsWith(prefix) || prefix.startsWith(name))) {
        yield* this.#refsBelow(name, prefix);
      } else if (!isFolder && name.startsWith(prefix)) {
        const ref = this.#readListed(name);
        if (ref !== undefined) yield ref;
      }
    }
  }

  #children(folder: string): Child[] {
    const path = this.#paths.ref(folder);
    let entries: ReturnType<RefFileSystem['list']>;
    try {
      entries = this.#files.list(path);
    } catch (error) {
      throw ioError('read', path, error);
    }
    const children: Child[] = [];
    for (const { name, kind } of entries ?? []) {
      if (name.startsWith('.') || name.endsWith('.lock')) continue;
      const behind = kind === 'link' ? this.#files.kindBehind(path + name) : kind;
      if (behind === 'folder') children.push({ name: `${folder}${name}/`, isFolder: true });
      if (behind === 'file') children.push({ name: folder + name, isFolder: false });
    }
    return children.sort((a, b) => compareText(a.name, b.name));
  }

  #readListed(name: string): RefRecord | undefined {
    if (checkRefName(name, ALLOW_ONE_LEVEL) !== undefined) {
      if (isSafeRefName(name)) return undefined;
      throw new RefError('BAD_NAME', `loose refname is dangerous: ${name}`, { ref: name });
    }
    try {
      const ref = this.read(name);
      return ref === 'folder' ? undefined : ref;
    } catch (error) {
      if (!(error instanceof RefError) || error.code !== 'CORRUPT_REF') throw error;
      return { name, updateIndex: NO_UPDATE_INDEX };
    }
  }

  #readOnce(name: string, path: string): LooseRef {
    const kind: FileKind | undefined = this.#files.kindOf(path);
    if (kind === undefined || kind === 'folder') return kind;
    if (kind === 'link') {
      const target = this.#files.readLink(path);
      if (target.startsWith('refs/') && checkRefName(target) === undefined) {
        return { name, updateIndex: NO_UPDATE_INDEX, target };
      }
      // Any other link is what it leads to.
      if (this.#files.kindBehind(path) === 'folder') return 'folder';
    }
    const file = this.#files.open(path);
    try {
      return this.#parse(name, path, decodeText(file.read(0, MAX_READ)));
    } finally {
      file.close();
    }
  }

  #parse(name: string, path: string, content: string): RefRecord {
    const nul = content.indexOf('\0');
    const text = (nul === -1 ? content : content.slice(0, nul)).replace(/[ \t\n\v\f\r]+$/, '');
    const [, target] = /^ref:[ \t\n\v\f\r]*(.*)$/s.exec(text) ?? [];
    if (target !== undefined) return { name, updateIndex: NO_UPDATE_INDEX, target };
    const oid = text.slice(0, this.#digits);
    const isAlone = text.length === this.#digits || /^[ \t\n\v\f\r]/.test(text.slice(this.#digits));
    if (isAlone && isOid(oid, this.#objectFormat)) {
      return { name, updateIndex: NO_UPDATE_INDEX, oid: oid.toLowerCase() };
    }
    const found = JSON.stringify(content.slice(0, SHOWN));
    const message = `${path}: expected an object id or 'ref: ' and a name, found ${found}`;
    throw new RefError('CORRUPT_REF', message, { ref: name, file: path });
  }
}

/** Where symrefs lead says a file: what is no name must not become a path. */
function mayBeRead(name: string): boolean {
  return checkRefName(name, ALLOW_ONE_LEVEL) === undefined || isSafeRefName(name);
}

function addOwnFolders(children: Child[]): void {
  for (const name of OWN_FOLDERS) {
    if (!children.some((child) => child.name === name)) children.push({ name, isFolder: true });
  }
}
