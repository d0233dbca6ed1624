// Plain lines (an object id, a type, a name) from the records of a table into a buffer of bytes, without a
// string for any ref: a million of them take a few tenths of a second.

import { readHex, writeOid } from '../format/object-format.ts';
import { REF_PEELED, REF_SYMREF } from '../format/records.ts';
import { encodeText } from '../format/text.ts';
import type { ObjectSource } from '../objects/object-source.ts';
import { peelTag } from '../objects/tag-target.ts';
import { plainRefNameEnd } from '../refs/ref-name.ts';
import type { Ref, RefReader } from '../refs/ref-store.ts';
import type { RefIterator } from '../table/ref-iterator.ts';
import type { TableCursor } from '../table/table-cursor.ts';
import { fromByteText } from './byte-text.ts';
import { OidMap } from './oid-map.ts';
import { stdout } from './output.ts';
import { listedRef } from './ref-filter.ts';

/** Bytes as they are, or what is known of the ref. */
export type LinePart = Uint8Array | 'oid' | 'type' | 'name';

export interface PlainLineOptions {
  /** The parts of a ref's line, line feed included; empty to write nothing. */
  line: readonly LinePart[];
  /** Those of one more line for what an annotated tag comes down to, whose `oid` it shows. */
  peeledLine?: readonly LinePart[] | undefined;
  /** Where to look whether an object exists; `undefined` where that does not matter. */
  objects: ObjectSource | undefined;
  /** Byte text; `undefined` if all are wanted. */
  isWanted?: ((name: string) => boolean) | undefined;
  /** How many refs to write at most. */
  limit?: number | undefined;
  /** Dies because the object of a ref is missing, or cannot be read; called behind the lines before it. */
  refuse(name: string, oid: string, finding: 'missing' | 'unknown'): never;
}

const BUFFER_SIZE = 256 * 1024;

/** What is known of an object, as numbers that are no index of `TYPES`. */
const MISSING = 254;
const UNKNOWN = 255;
const TYPE_NAMES = ['', 'blob', 'commit', 'tag', 'tree'] as const;
const TAG = TYPE_NAMES.indexOf('tag');
const TYPES = TYPE_NAMES.map(encodeText);

const HIGH_DIGITS = new Uint8Array(256);
const LOW_DIGITS = new Uint8Array(256);
for (let byte = 0; byte < 256; byte++) {
  HIGH_DIGITS[byte] = byte.toString(16).padStart(2, '0').charCodeAt(0);
  LOW_DIGITS[byte] = byte.toString(16).padStart(2, '0').charCodeAt(1);
}

/** Whether lines of these parts show what only an object tells. */
function showsType(line: readonly LinePart[]): boolean {
  return line.includes('type');
}

export class PlainLines {
  /** How many refs were written so far. */
  written = 0;
  readonly #refs: RefReader;
  readonly #options: PlainLineOptions;
  readonly #limit: number;
  readonly #oidLength: number;
  readonly #needsType: boolean;
  readonly #objects: OidMap;
  /** What the last object id was, and what is known of its object: neighbours often share one. */
  readonly #lastOid: Uint8Array;
  #lastObject = 0;
  #buffer = new Uint8Array(BUFFER_SIZE);
  #filled = 0;
  /** The ref that waits for what is to be known of its object. */
  #waiting: TableCursor | undefined;
  /** The object id of a symref. */
  readonly #resolved: Uint8Array;
  /** What tags come down to, by their object ids, where lines show that. */
  readonly #peeledTags = new Map<string, Uint8Array>();

  constructor(refs: RefReader, oidLength: number, options: PlainLineOptions) {
    this.#refs = refs;
    this.#options = options;
    this.#limit = options.limit ?? Number.POSITIVE_INFINITY;
    this.#oidLength = oidLength;
    this.#needsType = showsType(options.line);
    this.#objects = new OidMap(oidLength);
    this.#lastOid = new Uint8Array(oidLength);
    this.#resolved = new Uint8Array(oidLength);
  }

  /** Writes the lines of the refs that are left in the iterator. */
  async write(iterator: RefIterator): Promise<void> {
    while (this.#run(iterator)) await this.#learn(this.#waiting!);
    this.#flush();
  }

  /** Writes until the end (`false`) or until an object is not known yet (`true`). */
  #run(iterator: RefIterator): boolean {
    const oidLength = this.#oidLength;
    const { isWanted } = this.#options;
    while (this.written < this.#limit) {
      const cursor = this.#waiting ?? iterator.nextRaw();
      if (cursor === undefined) return false;
      this.#waiting = undefined;
      const { batch, index } = cursor;
      const { keys, keyStarts } = batch;
      const start = keyStarts[index]!;
      const end = keyStarts[index + 1]!;
      if (isWanted !== undefined && !isWanted(latin1(keys, start, end))) continue;
      const type = batch.valueTypes[index]!;
      let { bytes } = batch.reader;
      let oidAt = batch.valueEnds[index]! - oidLength;
      let peeledAt = -1;
      if (type === REF_PEELED) {
        peeledAt = oidAt;
        oidAt -= oidLength;
      }
      const isOdd = type === REF_SYMREF || plainRefNameEnd(keys, start, end) !== end;
      if (isOdd || (bytes[oidAt] === 0 && isZero(bytes, oidAt, oidLength))) {
        const listed = listedRef(this.#refs, cursor.ref() as Ref);
        if (listed === undefined) continue;
        bytes = this.#resolved;
        oidAt = 0;
        writeOid(bytes, 0, listed.oid);
        peeledAt = -1;
      }
      const object = this.#options.objects === undefined ? UNKNOWN : this.#object(bytes, oidAt);
      if (object === 0) {
        this.#waiting = cursor;
        return true;
      }
      if (object >= MISSING && (object === MISSING || this.#needsType)) {
        this.#flush();
        this.#refuse(latin1(keys, start, end), bytes, oidAt, object);
      }
      this.#put(this.#options.line, keys, start, end, bytes, oidAt, object);
      const { peeledLine } = this.#options;
      if (peeledLine !== undefined) {
        if (peeledAt >= 0) {
          this.#put(peeledLine, keys, start, end, bytes, peeledAt, object);
        } else if (object === TAG) {
          // The store does not always know what a tag comes down to.
          const peeled = this.#peeledTags.get(readHex(bytes, oidAt, oidLength));
          if (peeled !== undefined) this.#put(peeledLine, keys, start, end, peeled, 0, object);
        }
      }
      this.written++;
    }
    return false;
  }

  #put(
    line: readonly LinePart[],
    keys: Uint8Array,
    start: number,
    end: number,
    bytes: Uint8Array,
    oidAt: number,
    object: number,
  ): void {
    this.#reserve(line, end - start);
    const buffer = this.#buffer;
    let at = this.#filled;
    for (let i = 0; i < line.length; i++) {
      const part = line[i]!;
      if (part === 'name') at = copy(keys, start, end, buffer, at);
      else if (part === 'oid') at = writeHex(bytes, oidAt, this.#oidLength, buffer, at);
      else if (part === 'type') at = copy(TYPES[object]!, 0, TYPES[object]!.length, buffer, at);
      else at = copy(part, 0, part.length, buffer, at);
    }
    this.#filled = at;
  }

  /** Makes room for a line. */
  #reserve(line: readonly LinePart[], nameLength: number): void {
    let length = 0;
    for (let i = 0; i < line.length; i++) {
      const part = line[i]!;
      // No type has more letters than an object id has digits.
      length +=
        part === 'name' ? nameLength : typeof part === 'string' ? 2 * this.#oidLength : part.length;
    }
    if (this.#filled + length <= this.#buffer.length) return;
    this.#flush();
    if (length > this.#buffer.length) this.#buffer = new Uint8Array(length);
  }

  #flush(): void {
    if (this.#filled > 0) stdout.writeBytes(this.#buffer.subarray(0, this.#filled));
    this.#filled = 0;
  }

  /** What is known of the object at `at`; 0 if it was not looked up yet. */
  #object(bytes: Uint8Array, at: number): number {
    const last = this.#lastOid;
    let i = 0;
    while (i < last.length && last[i] === bytes[at + i]) i++;
    if (i < last.length) {
      this.#lastObject = this.#objects.get(bytes, at);
      for (let j = i; j < last.length; j++) last[j] = bytes[at + j]!;
    } else if (this.#lastObject === 0) {
      this.#lastObject = this.#objects.get(bytes, at);
    }
    return this.#lastObject;
  }

  /** Looks up the objects of the refs from this one on that are in memory anyway. */
  async #learn({ batch, index }: TableCursor): Promise<void> {
    const { bytes } = batch.reader;
    const oidLength = this.#oidLength;
    const oids = new Set<string>();
    for (let i = index; i < batch.count; i++) {
      const type = batch.valueTypes[i]!;
      if (type === REF_SYMREF || type === 0) continue;
      const at = batch.valueEnds[i]! - oidLength * (type === REF_PEELED ? 2 : 1);
      if (this.#objects.get(bytes, at) === 0) oids.add(readHex(bytes, at, oidLength));
    }
    if (batch.valueTypes[index] === REF_SYMREF) oids.add(readHex(this.#resolved, 0, oidLength));
    const findings = await this.#options.objects!.lookup([...oids]);
    const oid = new Uint8Array(oidLength);
    for (const [hex, finding] of findings) {
      writeOid(oid, 0, hex);
      const known = typeof finding === 'object' ? TYPE_NAMES.indexOf(finding.type) : undefined;
      this.#objects.set(oid, 0, known ?? (finding === 'missing' ? MISSING : UNKNOWN));
      if (known !== TAG || this.#options.peeledLine === undefined) continue;
      const peeled = await peelTag(this.#options.objects!, hex);
      if (peeled === undefined) continue;
      const bytesOfPeeled = new Uint8Array(oidLength);
      writeOid(bytesOfPeeled, 0, peeled);
      this.#peeledTags.set(hex, bytesOfPeeled);
    }
  }

  #refuse(name: string, bytes: Uint8Array, oidAt: number, object: number): never {
    const oid = readHex(bytes, oidAt, this.#oidLength);
    this.#options.refuse(fromByteText(name), oid, object === MISSING ? 'missing' : 'unknown');
  }
}

function latin1(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
}

function isZero(bytes: Uint8Array, at: number, length: number): boolean {
  let i = 0;
  while (i < length && bytes[at + i] === 0) i++;
  return i === length;
}

/** Both return where the bytes that were written end. */
function copy(from: Uint8Array, start: number, end: number, to: Uint8Array, toAt: number): number {
  let at = toAt;
  let i = start;
  // Four a turn: a copy of one's own is faster than a call for so few bytes.
  for (; i + 4 <= end; i += 4) {
    to[at] = from[i]!;
    to[at + 1] = from[i + 1]!;
    to[at + 2] = from[i + 2]!;
    to[at + 3] = from[i + 3]!;
    at += 4;
  }
  for (; i < end; i++) to[at++] = from[i]!;
  return at;
}

function writeHex(
  from: Uint8Array,
  start: number,
  length: number,
  to: Uint8Array,
  toAt: number,
): number {
  let at = toAt;
  for (let i = start; i < start + length; i++) {
    const byte = from[i]!;
    to[at] = HIGH_DIGITS[byte]!;
    to[at + 1] = LOW_DIGITS[byte]!;
    at += 2;
  }
  return at;
}
