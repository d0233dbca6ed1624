// The index of a pack (`.idx`): where in the pack each object is. It is searched in place.
//
//   version 2                                     version 1
//   FF 't' 'O' 'c' | 2                            -
//   256 × 4: how many ids begin with a byte up to this one (the fan-out)
//   n × id, sorted                                n × (offset of 4 bytes, id), sorted by id
//   n × CRC-32                                    -
//   n × 4: offset; with the high bit a number     -
//          in the next part
//   m × 8: offset                                 -
//   hash of the pack | hash of all before         the same

import { compareRanges, readUint32, readUint64 } from '../../format/bytes.ts';
import { readHex } from '../../format/object-format.ts';
import type { TableSource } from '../../table/table-source.ts';
import { damage } from './damage.ts';

const MAGIC = 0xff744f63;
const FAN_OUT_SIZE = 256 * 4;
/** So much is read at once, bytes: what is searched is halved until it is no larger. */
const STRETCH = 4096;

export class PackIndex {
  /** How many objects there are. */
  readonly count: number;
  readonly #source: TableSource;
  readonly #oidLength: number;
  readonly #version: 1 | 2;
  /** How many ids begin with a byte up to each. */
  readonly #fanOut: Uint32Array;
  /** Where the first id is, and how far it is to the next. */
  readonly #idsAt: number;
  readonly #stride: number;

  /** Throws `CORRUPT_OBJECT`. */
  constructor(source: TableSource, oidLength: number) {
    this.#source = source;
    this.#oidLength = oidLength;
    const { name, size } = source;
    if (size < 8 + FAN_OUT_SIZE)
      throw damage(name, size, 'a header of 1032 bytes', 'the end of the file');
    const head = source.read(0, 8 + FAN_OUT_SIZE);
    const hasMagic = readUint32(head, 0) === MAGIC;
    if (hasMagic && readUint32(head, 4) !== 2) {
      throw damage(name, 4, 'version 2', readUint32(head, 4));
    }
    this.#version = hasMagic ? 2 : 1;
    const fanOutAt = hasMagic ? 8 : 0;
    this.#fanOut = readFanOut(name, head, fanOutAt);
    this.count = this.#fanOut[255]!;
    this.#idsAt = fanOutAt + FAN_OUT_SIZE + (hasMagic ? 0 : 4);
    this.#stride = oidLength + (hasMagic ? 0 : 4);
    const least = fanOutAt + FAN_OUT_SIZE + this.count * (oidLength + (hasMagic ? 8 : 4));
    const rest = size - least - 2 * oidLength;
    const isWhole = hasMagic ? rest >= 0 && rest % 8 === 0 : rest === 0;
    if (!isWhole) throw damage(name, size, `the end of an index of ${this.count} objects`);
  }

  /** The hash at the end of the pack, hex. */
  get packHash(): string {
    const length = this.#oidLength;
    return readHex(this.#source.read(this.#source.size - 2 * length, length), 0, length);
  }

  /** Where the object is in the pack; `undefined` if it is not there. Throws `CORRUPT_OBJECT`, `IO`. */
  offsetOf(oid: Uint8Array): number | undefined {
    const place = this.#firstFrom(oid);
    if (place === this.count) return undefined;
    const found = this.#source.read(this.#idsAt + place * this.#stride, this.#oidLength);
    if (compareRanges(found, 0, found.length, oid, 0, oid.length) !== 0) return undefined;
    return this.#version === 1 ? this.#shortOffset(place) : this.#offset(place);
  }

  /** The ids, hex, that begin with these hex digits, at least two, in order. */
  idsWithPrefix(prefix: string): string[] {
    const from = Buffer.from(prefix.padEnd(2 * this.#oidLength, '0'), 'hex');
    const ids: string[] = [];
    for (let place = this.#firstFrom(from); place < this.count; place++) {
      const bytes = this.#source.read(this.#idsAt + place * this.#stride, this.#oidLength);
      const id = readHex(bytes, 0, bytes.length);
      if (!id.startsWith(prefix)) break;
      ids.push(id);
    }
    return ids;
  }

  close(): void {
    this.#source.close();
  }

  /** The place of the first id that is not before this one. */
  #firstFrom(oid: Uint8Array): number {
    const stride = this.#stride;
    const length = this.#oidLength;
    let low = oid[0] === 0 ? 0 : this.#fanOut[oid[0]! - 1]!;
    let high = this.#fanOut[oid[0]!]!;
    let base = low;
    let bytes: Uint8Array | undefined;
    while (low < high) {
      if (bytes === undefined && (high - low) * stride <= STRETCH) {
        base = low;
        bytes = this.#source.read(this.#idsAt + low * stride, (high - low - 1) * stride + length);
      }
      const middle = (low + high) >>> 1;
      const from = bytes ?? this.#source.read(this.#idsAt + middle * stride, length);
      const at = bytes === undefined ? 0 : (middle - base) * stride;
      if (compareRanges(from, at, at + length, oid, 0, length) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #shortOffset(place: number): number {
    return readUint32(this.#source.read(this.#idsAt - 4 + place * this.#stride, 4), 0);
  }

  #offset(place: number): number {
    const { name, size } = this.#source;
    const offsetsAt = this.#idsAt + this.count * (this.#oidLength + 4);
    const at = offsetsAt + 4 * place;
    const short = readUint32(this.#source.read(at, 4), 0);
    if (short < 0x80000000) return short;
    const longAt = offsetsAt + 4 * this.count + 8 * (short - 0x80000000);
    if (longAt + 8 > size - 2 * this.#oidLength) {
      throw damage(name, at, 'the number of a large offset', short - 0x80000000);
    }
    const offset = readUint64(this.#source.read(longAt, 8), 0);
    return offset ?? fail(damage(name, longAt, 'an offset below 2^53'));
  }
}

function fail(error: Error): never {
  throw error;
}

function readFanOut(name: string, head: Uint8Array, start: number): Uint32Array {
  const fanOut = new Uint32Array(256);
  for (let byte = 0; byte < 256; byte++) {
    fanOut[byte] = readUint32(head, start + 4 * byte);
    if (byte > 0 && fanOut[byte]! < fanOut[byte - 1]!) {
      throw damage(name, start + 4 * byte, `at least ${fanOut[byte - 1]}`, fanOut[byte]);
    }
  }
  return fanOut;
}
