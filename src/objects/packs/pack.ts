// One pack and its index. A pack is its objects one behind the other, then the hash of all that:
//
//   'PACK' | version 2 or 3 | how many objects
//   each:  1-byte type and size: 1tttssss, more of the size (little-endian, seven bits a byte) while the high bit is
//          set | for a delta its base | zlib stream of the content, or of the delta
//
// The base of a delta is an earlier object, so many bytes before (OFS_DELTA), or any one of the pack by its id
// (REF_DELTA), and may be a delta itself.

import { RefError } from '../../errors.ts';
import { readUint32 } from '../../format/bytes.ts';
import { type ObjectFormat, oidSize, readHex } from '../../format/object-format.ts';
import { openFileSource } from '../../stack/file-source.ts';
import type { FileReading } from '../../storage/file-system.ts';
import { ioError } from '../../storage/io-error.ts';
import type { TableSource } from '../../table/table-source.ts';
import {
  deflatedBound,
  inflateExactly,
  inflateStart,
  MAX_CONTENT_SIZE,
  START_SIZE,
} from '../inflate.ts';
import { hashObject } from '../object-hash.ts';
import type { GitObject, ObjectHeader, ObjectType } from '../object-source.ts';
import { damage } from './damage.ts';
import { applyDelta, deltaResultSize } from './delta.ts';
import { PackIndex } from './pack-index.ts';

const SIGNATURE = 0x5041434b; // 'PACK'
const HEADER_SIZE = 12;
/** The most that stands in front of a zlib stream, bytes: a size of 53 bits and an object id. */
const MAX_ENTRY_HEADER = 8 + 32;
/** Git makes no chains of more deltas; a longer one goes in a circle. */
const MAX_CHAIN = 4095;

const TYPES: readonly (ObjectType | undefined)[] = [undefined, 'commit', 'tree', 'blob', 'tag'];
const OFS_DELTA = 6;
const REF_DELTA = 7;

/** `path` is without `.idx` or `.pack`. No file is opened yet. */
export function openPack(fs: FileReading, path: string, objectFormat: ObjectFormat): Pack {
  return new Pack(fs, path, objectFormat);
}

interface Entry {
  readonly at: number;
  /** Of what is deflated, bytes. */
  readonly size: number;
  readonly streamAt: number;
  /** `undefined` for a delta, whose base is at `baseAt` then. */
  readonly type: ObjectType | undefined;
  readonly baseAt: number;
}

export class Pack {
  readonly #fs: FileReading;
  /** Without `.idx` or `.pack`. */
  readonly #path: string;
  readonly #objectFormat: ObjectFormat;
  #index: PackIndex | undefined;
  #data: TableSource | undefined;

  constructor(fs: FileReading, path: string, objectFormat: ObjectFormat) {
    this.#fs = fs;
    this.#path = path;
    this.#objectFormat = objectFormat;
  }

  /** `undefined` if it is not there, or the pack has gone. Throws `CORRUPT_OBJECT`, `IO`. */
  header(oid: string): ObjectHeader | undefined {
    return this.#find(oid, (data, at) => {
      const chain = this.#chain(data, at);
      const { type } = chain.at(-1)!;
      const { size, streamAt } = chain[0]!;
      if (chain.length === 1) return { type: type!, size };
      const result = inflated(data, at, () => {
        return deltaResultSize(inflateStart(read(data, streamAt, START_SIZE, this.#end(data))));
      });
      return { type: type!, size: result };
    });
  }

  /** The same for the whole object, whose id is checked. */
  read(oid: string): GitObject | undefined {
    return this.#find(oid, (data, at) => {
      const chain = this.#chain(data, at);
      const base = chain.pop()!;
      let content = this.#inflate(data, base);
      for (let delta = chain.pop(); delta !== undefined; delta = chain.pop()) {
        const entry = delta;
        content = inflated(data, entry.at, () => applyDelta(content, this.#inflate(data, entry)));
      }
      const object = { type: base.type!, content };
      const id = hashObject(object, this.#objectFormat);
      if (id !== oid) throw damage(data.name, at, `the object ${oid}`, id);
      return object;
    });
  }

  /** The ids of its objects that begin with these hex digits, at least two, in order. Throws as `header`. */
  idsWithPrefix(prefix: string): string[] {
    return this.#openIndex()?.idsWithPrefix(prefix) ?? [];
  }

  /** How many objects it has. Throws as `header`. */
  get count(): number {
    return this.#openIndex()?.count ?? 0;
  }

  get isOpen(): boolean {
    return this.#index !== undefined;
  }

  /** Closes its files, which are opened again when they are needed. */
  close(): void {
    this.#index?.close();
    this.#data?.close();
    this.#index = undefined;
    this.#data = undefined;
  }

  #find<T>(oid: string, use: (data: TableSource, at: number) => T): T | undefined {
    const at = this.#openIndex()?.offsetOf(Buffer.from(oid, 'hex'));
    if (at === undefined) return undefined;
    const data = this.#openData();
    return data && use(data, at);
  }

  #openIndex(): PackIndex | undefined {
    if (this.#index === undefined) {
      const oidLength = oidSize(this.#objectFormat);
      this.#index = openIfThere(
        this.#fs,
        `${this.#path}.idx`,
        (source) => new PackIndex(source, oidLength),
      );
    }
    return this.#index;
  }

  #openData(): TableSource | undefined {
    this.#data ??= openIfThere(this.#fs, `${this.#path}.pack`, (source) => this.#checked(source));
    return this.#data;
  }

  #checked(data: TableSource): TableSource {
    const { name, size } = data;
    const { count, packHash } = this.#index!;
    const end = this.#end(data);
    if (end < HEADER_SIZE) throw damage(name, size, 'a header and a hash');
    const head = data.read(0, HEADER_SIZE);
    if (readUint32(head, 0) !== SIGNATURE) throw damage(name, 0, "'PACK'");
    const version = readUint32(head, 4);
    if (version !== 2 && version !== 3) throw damage(name, 4, 'version 2 or 3', version);
    const objects = readUint32(head, 8);
    if (objects !== count) throw damage(name, 8, `${count} objects, as its index has`, objects);
    const hash = readHex(data.read(end, size - end), 0, size - end);
    if (hash !== packHash) throw damage(name, end, 'the hash that its index has', hash);
    return data;
  }

  /** Where the entries end. */
  #end({ size }: TableSource): number {
    return size - oidSize(this.#objectFormat);
  }

  /** The entry, and the bases that it is made of, one behind the other. */
  #chain(data: TableSource, at: number): Entry[] {
    const chain = [this.#entry(data, at)];
    for (let last = chain[0]!; last.type === undefined; chain.push(last)) {
      if (chain.length > MAX_CHAIN) throw damage(data.name, at, `at most ${MAX_CHAIN} deltas`);
      last = this.#entry(data, last.baseAt);
    }
    return chain;
  }

  #entry(data: TableSource, at: number): Entry {
    const end = this.#end(data);
    if (at < HEADER_SIZE || at >= end)
      throw damage(data.name, at, 'an object of the pack', 'its end');
    const bytes = read(data, at, MAX_ENTRY_HEADER, end);
    let i = 0;
    const number = (bytes[0]! >> 4) & 7;
    let size = bytes[0]! & 15;
    for (let factor = 16; bytes[i++]! >= 0x80 && i < bytes.length; factor *= 128) {
      size += (bytes[i]! & 0x7f) * factor;
    }
    if (!Number.isSafeInteger(size)) throw damage(data.name, at, 'a size below 2^53');
    let baseAt = 0;
    if (number === OFS_DELTA) {
      let distance = bytes[i]! & 0x7f;
      while (bytes[i++]! >= 0x80 && i < bytes.length) {
        distance = (distance + 1) * 128 + (bytes[i]! & 0x7f);
      }
      baseAt = at - distance;
      if (distance === 0 || baseAt < HEADER_SIZE) {
        throw damage(data.name, at, 'a delta of an earlier object', distance);
      }
    } else if (number === REF_DELTA) {
      const oid = bytes.subarray(i, i + oidSize(this.#objectFormat));
      i += oid.length;
      const base = this.#index!.offsetOf(oid);
      if (base === undefined) {
        const found = readHex(oid, 0, oid.length);
        throw damage(data.name, at, 'a delta of an object in the pack', found);
      }
      baseAt = base;
    } else if (TYPES[number] === undefined) {
      throw damage(data.name, at, 'a type of objects', number);
    }
    return { at, size, streamAt: at + i, type: TYPES[number], baseAt };
  }

  #inflate(data: TableSource, { at, size, streamAt }: Entry): Uint8Array {
    if (size > MAX_CONTENT_SIZE)
      throw damage(data.name, at, `at most ${MAX_CONTENT_SIZE} bytes`, size);
    return inflated(data, at, () =>
      inflateExactly(read(data, streamAt, deflatedBound(size), this.#end(data)), size),
    );
  }
}

/** The bytes from `at` on, `length` at most, and none from `end` on. */
function read(data: TableSource, at: number, length: number, end: number): Uint8Array {
  return data.read(at, Math.max(0, Math.min(length, end - at)));
}

/** What `inflate` makes of the entry at `at`; it throws, or gives nothing, where that is damaged. */
function inflated<T>(data: TableSource, at: number, inflate: () => T | undefined): T {
  let cause: unknown;
  try {
    const result = inflate();
    if (result !== undefined) return result;
  } catch (error) {
    if (error instanceof RefError) throw error;
    cause = error;
  }
  throw damage(data.name, at, 'a deflated object', cause);
}

/**
 * What `use` makes of the open file, which is closed where it throws; `undefined` if there is no such file: it is
 * removed when its objects have got another pack.
 */
function openIfThere<T>(
  fs: FileReading,
  path: string,
  use: (source: TableSource) => T,
): T | undefined {
  let source: TableSource;
  try {
    source = openFileSource(fs, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw ioError('read', path, error);
  }
  try {
    return use(source);
  } catch (error) {
    source.close();
    throw error;
  }
}
