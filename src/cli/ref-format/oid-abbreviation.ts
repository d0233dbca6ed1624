// How far an object id may be shortened: as few digits as tell it from the other objects of the repository.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfigBoolean } from '../../config-value.ts';
import { readUint32 } from '../../format/bytes.ts';
import { type ObjectFormat, oidSize, readHex } from '../../format/object-format.ts';
import type { Config } from '../../repository/config.ts';
import { die } from '../failure.ts';

const MINIMUM = 4;
/** Where nothing asks for more digits. */
const FALLBACK = 7;

/** The sorted object ids of a pack. */
interface PackIndex {
  bytes: Uint8Array;
  count: number;
  /** Where the first id stands, and how far apart ids are, bytes. */
  start: number;
  stride: number;
}

export class OidAbbreviation {
  readonly #folder: string;
  readonly #oidLength: number;
  readonly #config: Config;
  readonly #loose = new Map<string, string[]>();
  #packs: PackIndex[] | undefined;
  #default: number | undefined;

  /** For the objects of the repository at `commonDir`. */
  constructor(commonDir: string, objectFormat: ObjectFormat, config: Config) {
    this.#folder = process.env.GIT_OBJECT_DIRECTORY ?? join(commonDir, 'objects');
    this.#oidLength = oidSize(objectFormat);
    this.#config = config;
  }

  /** The first `digits` digits, or as many as is usual, and as many more as are needed. */
  of(oid: string, digits: number | undefined): string {
    this.#default ??= this.#defaultDigits();
    let length = Math.max(digits ?? this.#default, MINIMUM);
    for (const neighbour of [...this.#looseNeighbours(oid), ...this.#packedNeighbours(oid)]) {
      length = Math.max(length, sharedDigits(oid, neighbour) + 1);
    }
    return oid.slice(0, length);
  }

  /** `core.abbrev`, or what suits the number of packed objects, as in Git. */
  #defaultDigits(): number {
    const text = this.#config.get('core.abbrev');
    if (text !== undefined && text.toLowerCase() !== 'auto') {
      if (!/^[+-]?\d/.test(text) && parseConfigBoolean(text) === false) return 2 * this.#oidLength;
      const digits = this.#config.getInteger('core.abbrev')!;
      if (digits < MINIMUM) die(`abbrev length out of range: ${digits}`);
      return digits;
    }
    const count = this.#indexes().reduce((sum, pack) => sum + pack.count, 0);
    const bits = Math.floor(Math.log2(Math.max(count, 1))) + 1;
    return Math.max(FALLBACK, Math.ceil(bits / 2));
  }

  /** The other loose objects whose ids begin like this one. */
  #looseNeighbours(oid: string): string[] {
    const fanOut = oid.slice(0, 2);
    let oids = this.#loose.get(fanOut);
    if (oids === undefined) {
      oids = listFolder(join(this.#folder, fanOut)).map((name) => fanOut + name);
      this.#loose.set(fanOut, oids);
    }
    return oids.filter((other) => other !== oid && other.length === oid.length);
  }

  /** The objects that stand beside this one in each pack. */
  #packedNeighbours(oid: string): string[] {
    const neighbours: string[] = [];
    for (const { bytes, count, start, stride } of this.#indexes()) {
      const at = (i: number) => readHex(bytes, start + i * stride, this.#oidLength);
      let low = 0;
      let high = count;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (at(middle) < oid) low = middle + 1;
        else high = middle;
      }
      if (low > 0) neighbours.push(at(low - 1));
      if (low < count && at(low) === oid) low++;
      if (low < count) neighbours.push(at(low));
    }
    return neighbours;
  }

  #indexes(): PackIndex[] {
    this.#packs ??= listFolder(join(this.#folder, 'pack'))
      .filter((name) => name.endsWith('.idx'))
      .map((name) => readPackIndex(join(this.#folder, 'pack', name), this.#oidLength));
    return this.#packs;
  }
}

// A pack's index: a signature and a version where there are any, then for each first byte how many ids begin
// with it or a smaller one (4 each), then the ids, in the first version with an offset (4) before each.

const SIGNATURE = 0xff744f63;
const FAN_OUT_SIZE = 4 * 256;

function readPackIndex(file: string, oidLength: number): PackIndex {
  const bytes = readFileSync(file);
  const hasVersion = bytes.length >= 8 && readUint32(bytes, 0) === SIGNATURE;
  const fanOut = hasVersion ? 8 : 0;
  const ids = fanOut + FAN_OUT_SIZE;
  const stride = hasVersion ? oidLength : 4 + oidLength;
  const count = bytes.length < ids ? 0 : readUint32(bytes, ids - 4);
  // What does not hold as many as it says is none to go by.
  const isWhole = ids + count * stride <= bytes.length;
  return { bytes, count: isWhole ? count : 0, start: hasVersion ? ids : ids + 4, stride };
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function sharedDigits(a: string, b: string): number {
  let shared = 0;
  while (shared < a.length && a[shared] === b[shared]) shared++;
  return shared;
}
