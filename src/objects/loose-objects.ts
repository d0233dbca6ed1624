// Objects that are a file each: `xx/yyyy…` after the digits of their id, in a folder of objects. A file is one
// zlib stream of the object's header and its content.

import { RefError } from '../errors.ts';
import type { ObjectFormat } from '../format/object-format.ts';
import type { FileReading } from '../storage/file-system.ts';
import { createHash } from '../storage/hashing.ts';
import { zlib } from '../storage/zlib.ts';
import { parseHeader } from './object-header.ts';
import type { GitObject, ObjectHeader } from './object-source.ts';
import { readFile, readStart } from './read-file.ts';

/** So much of a file is read for its header, bytes: the codes of a deflated block may stand in front of it. */
const START_SIZE = 512;

export class LooseObjects {
  readonly #fs: FileReading;
  readonly #folder: string;
  readonly #objectFormat: ObjectFormat;

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
      const header = parseHeader(inflateStart(deflated.subarray(0, START_SIZE)));
      if (header === undefined) return undefined;
      const { length, size, type } = header;
      const bytes = zlib().inflateSync(deflated, { maxOutputLength: length + size });
      if (hash(bytes, this.#objectFormat) !== oid) return undefined;
      return { type, content: bytes.subarray(length) };
    });
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

/** What comes out of the first bytes of a zlib stream, at least as much as a header takes. */
function inflateStart(deflated: Uint8Array): Uint8Array {
  const { constants, inflateSync } = zlib();
  return inflateSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH, chunkSize: 2 * START_SIZE });
}

function hash(bytes: Uint8Array, objectFormat: ObjectFormat): string {
  return createHash(objectFormat).update(bytes).digest('hex');
}
