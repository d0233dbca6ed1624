// Plain lines (an object id, a type, a name) from the records of a table into a buffer of bytes, without a
// string for any ref: a million of them take a few tenths of a second.

import { viewOf } from '../../format/bytes.ts';
import { readHex, writeOid } from '../../format/object-format.ts';
import { REF_PEELED, REF_SYMREF } from '../../format/records.ts';
import { encodeText } from '../../format/text.ts';
import type { ObjectSource } from '../../objects/object-source.ts';
import { OidMap } from '../../objects/oid-map.ts';
import { peelTag } from '../../objects/tag-target.ts';
import { type LinePart, LineTemplate } from '../../refs/line-template.ts';
import { isSimpleRefName, plainRefNameEnd } from '../../refs/ref-name.ts';
import type { Ref, RefReader } from '../../refs/ref-store.ts';
import type { RefIterator } from '../../table/ref-iterator.ts';
import type { TableCursor } from '../../table/table-cursor.ts';
import { fromByteText } from '../byte-text.ts';
import { stdout } from '../output.ts';
import { listedRef } from './ref-filter.ts';
import type { NameTest } from './wildmatch.ts';

export interface PlainLineOptions {
  /** The parts of a ref's line, line feed included; empty to write nothing. */
  line: readonly LinePart[];
  /** Those of one more line for what an annotated tag comes down to, whose `oid` it shows. */
  peeledLine?: readonly LinePart[] | undefined;
  /** Where to look whether an object exists; `undefined` where that does not matter. */
  objects: ObjectSource | undefined;
  /** `undefined` if all are wanted. */
  isWanted?: NameTest | undefined;
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
const NO_TYPE = encodeText('');

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
  /** Whether it matters what a ref points at, as long as that is something. */
  readonly #usesOid: boolean;
  readonly #objects: OidMap;
  /** What the last object id was, and what is known of its object: neighbours often share one. */
  readonly #lastOid: Uint8Array;
  #lastObject = 0;
  /** Is set for that object, if it is not new. */
  readonly #template: LineTemplate;
  #isNew = true;
  readonly #peeledTemplate: LineTemplate;
  #buffer = viewOf(new Uint8Array(BUFFER_SIZE));
  #filled = 0;
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
    this.#usesOid =
      options.objects !== undefined ||
      options.line.some((part) => part === 'oid' || part === 'type');
    this.#objects = new OidMap(oidLength);
    this.#lastOid = new Uint8Array(oidLength);
    this.#template = new LineTemplate(options.line, oidLength);
    this.#peeledTemplate = new LineTemplate(options.peeledLine ?? [], oidLength);
    this.#resolved = new Uint8Array(oidLength);
  }

  /** Writes the lines of the refs that are left in the iterator. */
  async write(iterator: RefIterator): Promise<void> {
    while (this.written < this.#limit) {
      const cursor = iterator.nextRaw();
      if (cursor === undefined) break;
      const { runEnd } = iterator;
      while (this.#run(cursor, runEnd)) await this.#learn(cursor);
    }
    this.#flush();
  }

  /**
   * Writes the lines of the refs from the cursor's on: `false` when it is at the last before `end`, or when enough
   * were written; `true` when it is at one whose object is not known yet.
   */
  #run(cursor: TableCursor, end: number): boolean {
    const oidLength = this.#oidLength;
    const { batch } = cursor;
    const { keys, keysView, keyStarts, prefixes, valueTypes, valueEnds } = batch;
    const { peeledLine, objects, isWanted } = this.#options;
    const usesOid = this.#usesOid;
    let wasSimple = false;
    for (let i = cursor.index; i < end && this.written < this.#limit; i++) {
      cursor.index = i;
      const nameStart = keyStarts[i]!;
      const nameEnd = keyStarts[i + 1]!;
      const known = wasSimple ? prefixes[i]! : 0;
      wasSimple = false;
      if (isWanted !== undefined && !isWanted(keys, nameStart, nameEnd)) continue;
      const type = valueTypes[i]!;
      let { bytes } = batch.reader;
      let oidAt = valueEnds[i]! - oidLength;
      let peeledAt = -1;
      if (type === REF_PEELED) {
        peeledAt = oidAt;
        oidAt -= oidLength;
      }
      wasSimple = isSimpleRefName(keys, nameStart, nameEnd, known);
      const isOdd =
        type === REF_SYMREF ||
        (!wasSimple && plainRefNameEnd(keys, nameStart, nameEnd) !== nameEnd) ||
        (bytes[oidAt] === 0 && isZero(bytes, oidAt, oidLength));
      if (isOdd) {
        const listed = listedRef(this.#refs, cursor.ref() as Ref);
        if (listed === undefined) continue;
        bytes = this.#resolved;
        oidAt = 0;
        writeOid(bytes, 0, listed.oid);
        peeledAt = -1;
      }
      if (usesOid) this.#remember(bytes, oidAt);
      const object = objects === undefined ? UNKNOWN : this.#lookUpLast();
      if (object === 0) return true;
      if (object >= MISSING && (object === MISSING || this.#needsType)) {
        this.#flush();
        this.#refuse(latin1(keys, nameStart, nameEnd), object);
      }
      if (this.#isNew) this.#template.set(this.#lastOid, 0, typeName(object));
      this.#isNew = false;
      this.#put(this.#template, keysView, nameStart, nameEnd);
      if (peeledLine !== undefined) {
        // The store does not always know what a tag comes down to.
        if (peeledAt < 0 && object === TAG) {
          const peeled = this.#peeledTags.get(readHex(bytes, oidAt, oidLength));
          if (peeled !== undefined) {
            bytes = peeled;
            peeledAt = 0;
          }
        }
        if (peeledAt >= 0) {
          this.#peeledTemplate.set(bytes, peeledAt, typeName(object));
          this.#put(this.#peeledTemplate, keysView, nameStart, nameEnd);
        }
      }
      this.written++;
    }
    return false;
  }

  #put(template: LineTemplate, keys: DataView, nameStart: number, nameEnd: number): void {
    const length = template.lineLength(nameEnd - nameStart);
    if (this.#filled + length > this.#buffer.byteLength) {
      this.#flush();
      if (length > this.#buffer.byteLength) this.#buffer = viewOf(new Uint8Array(length));
    }
    this.#filled = template.write(keys, nameStart, nameEnd, this.#buffer, this.#filled);
  }

  #flush(): void {
    if (this.#filled > 0) stdout.writeBytes(new Uint8Array(this.#buffer.buffer, 0, this.#filled));
    this.#filled = 0;
  }

  /** Makes the object id at `at` the last one. */
  #remember(bytes: Uint8Array, at: number): void {
    const last = this.#lastOid;
    let i = 0;
    while (i < last.length && last[i] === bytes[at + i]) i++;
    if (i === last.length) return;
    for (; i < last.length; i++) last[i] = bytes[at + i]!;
    this.#lastObject = 0;
    this.#isNew = true;
  }

  /** What is known of the last object id's object; 0 if it was not looked up yet. */
  #lookUpLast(): number {
    if (this.#lastObject === 0) this.#lastObject = this.#objects.get(this.#lastOid, 0);
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

  #refuse(name: string, object: number): never {
    const oid = readHex(this.#lastOid, 0, this.#oidLength);
    this.#options.refuse(fromByteText(name), oid, object === MISSING ? 'missing' : 'unknown');
  }
}

function typeName(object: number): Uint8Array {
  return TYPES[object] ?? NO_TYPE;
}

function latin1(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
}

function isZero(bytes: Uint8Array, at: number, length: number): boolean {
  let i = 0;
  while (i < length && bytes[at + i] === 0) i++;
  return i === length;
}
