// Objects that are a file each: `xx/yyyy…` after the digits of their id, in a folder of objects. A file is one
// zlib stream of the object's header and its content.

import { RefError } from '../errors.ts';
import { isOid, type ObjectFormat } from '../format/object-format.ts';
import type { FileReading } from '../storage/file-system.ts';
import { inflateExactly, inflateStart, START_SIZE } from './inflate.ts';
import { hashObject } from './object-hash.ts';
import { parseHeader } from './object-header.ts';
import type { GitObject, ObjectHeader } from './object-source.ts';
import { listFolder, readFile, readStart } from './read-file.ts';

export class LooseObjects {
  readonly #fs: FileReading;
  readonly #folder: string;
  readonly #objectFormat: ObjectFormat;
  /** The ids in each folder that was listed. */
  readonly #listed = new Map<string, readonly string[]>();

  constructor(fs: FileReading, folder: string, objectFormat: ObjectFormat) {
    this.#fs = fs;
    this.#folder = folder;
    this.#objectFormat = objectFormat;
  }

  /** `undefined` if there is no such file. Throws `CORRUPT_OBJECT`, `IO`. */
  header(oid: string): ObjectHeader | undefined {
    const start = readStart(this.#fs, this.#path(oid), START_SIZE);
    if (start === undefined) return undefined;
    const { type, size } = this.#inflated(oid, () => parseHeader(inflateStart(start)));
    return { type, size };
  }

  /** The same for the whole object, whose id is checked. */
  read(oid: string): GitObject | undefined {
    const deflated = readFile(this.#fs, this.#path(oid));
    if (deflated === undefined) return undefined;
    return this.#inflated(oid, () => {
      const header = parseHeader(inflateStart(deflated));
      if (header === undefined) return undefined;
      const { length, size, type } = header;
      const object = { type, content: inflateExactly(deflated, length + size).subarray(length) };
      return hashObject(object, this.#objectFormat) === oid ? object : undefined;
    });
  }

  /** The ids that begin with these hex digits, at least two, in no order; of a folder that is listed once. Throws `IO`. */
  idsWithPrefix(prefix: string): readonly string[] {
    const folder = prefix.slice(0, 2);
    let ids = this.#listed.get(folder);
    if (ids === undefined) {
      ids = listFolder(this.#fs, `${this.#folder}/${folder}`)
        .map((name) => folder + name)
        .filter((id) => isOid(id, this.#objectFormat));
      this.#listed.set(folder, ids);
    }
    return ids.filter((id) => id.startsWith(prefix));
  }

  /** Forgets what was listed. */
  forget(): void {
    this.#listed.clear();
  }

  #path(oid: string): string {
    return `${this.#folder}/${oid.slice(0, 2)}/${oid.slice(2)}`;
  }

  /** What `inflate` makes of a file; throws `CORRUPT_OBJECT`, in Git's words, where it makes nothing of it. */
  #inflated<T>(oid: string, inflate: () => T | undefined): T {
    const file = this.#path(oid);
    let cause: unknown;
    try {
      const result = inflate();
      if (result !== undefined) return result;
    } catch (error) {
      cause = error;
    }
    const message = `loose object ${oid} (stored in ${file}) is corrupt`;
    throw new RefError('CORRUPT_OBJECT', message, { file, cause });
  }
}
