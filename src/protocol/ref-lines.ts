// The lines that tell of refs, as pkt-lines in a buffer of bytes, without a string for any but the odd ones:
//
//   ls-refs (version 2)     OID NAME [symref-target:NAME] [peeled:OID]
//   versions 0 and 1        OID NAME, the first one followed by NUL and capabilities
//                           OID NAME^{}, for what an annotated tag comes down to

import { RefError } from '../errors.ts';
import { viewOf } from '../format/bytes.ts';
import { readHex, writeOid } from '../format/object-format.ts';
import { REF_OID, REF_PEELED, REF_SYMREF } from '../format/records.ts';
import { encodeText } from '../format/text.ts';
import type { ObjectSource } from '../objects/object-source.ts';
import { PeeledTags } from '../objects/peeled-tags.ts';
import { type LinePart, LineTemplate } from '../refs/line-template.ts';
import { checkRefName, isSafeRefName, isSimpleRefName, plainRefNameEnd } from '../refs/ref-name.ts';
import type { Ref, RefReader } from '../refs/ref-store.ts';
import { resolveIfPossible } from '../refs/resolve.ts';
import { RefIterator } from '../table/ref-iterator.ts';
import type { TableCursor } from '../table/table-cursor.ts';
import type { HiddenRefs } from './hidden-refs.ts';
import type { PieceWriter } from './output.ts';
import { pktLine, writeLength } from './pkt-line.ts';

export interface RefLinesOptions {
  /** Of an object id, bytes. */
  oidLength: number;
  /** Where to look what tags come down to; `undefined`: only where the store says it. */
  objects: ObjectSource | undefined;
  hidden: HiddenRefs;
  /** What names begin with that is not shown. */
  namespace: string;
  /** As `ls-refs` or as versions 0 and 1 have it. */
  style: 'ls-refs' | 'advertisement';
  /** Whether to tell what tags come down to. */
  peel: boolean;
  /** Whether to tell what symrefs name. */
  symrefs: boolean;
  /** What the first line says besides, in an advertisement. */
  capabilities?: Uint8Array | undefined;
}

const NOTHING = new Uint8Array(0);
const [SPACE, LINE_FEED, NUL] = [encodeText(' '), encodeText('\n'), encodeText('\0')];
const [PEELED, PEELED_NAME_END] = [encodeText(' peeled:'), encodeText('^{}\n')];
/** The bytes of a line's length. */
const LENGTH_SIZE = 4;

export class RefLines {
  readonly #refs: RefReader;
  readonly #out: PieceWriter;
  readonly #options: RefLinesOptions;
  readonly #oidLength: number;
  readonly #hidden: HiddenRefs | undefined;
  readonly #namespaceLength: number;
  readonly #tags: PeeledTags | undefined;
  /** The last object id, and what it comes down to if it is a tag's: neighbours often share one. */
  readonly #lastOid: Uint8Array;
  #lastPeeled: Uint8Array | undefined;
  /** The line of a ref of which there is no more to tell, set for that object id once there is one. */
  readonly #plain: LineTemplate;
  #isSet = false;
  /** The beginning of any other line, and what tells of a tag: a part of that line, or one of its own. */
  readonly #start: LineTemplate;
  readonly #peeled: LineTemplate;
  /** What the first line says besides. */
  #capabilities: Uint8Array | undefined;

  constructor(refs: RefReader, out: PieceWriter, options: RefLinesOptions) {
    const { oidLength, objects, hidden, namespace, style, peel } = options;
    this.#refs = refs;
    this.#out = out;
    this.#options = options;
    this.#oidLength = oidLength;
    this.#hidden = hidden.isEmpty ? undefined : hidden;
    this.#namespaceLength = encodeText(namespace).length;
    this.#tags = peel && objects !== undefined ? new PeeledTags(objects, oidLength) : undefined;
    this.#plain = new LineTemplate(['oid', SPACE, 'name', LINE_FEED], oidLength);
    this.#start = new LineTemplate(['oid', SPACE, 'name'], oidLength);
    const ofTag =
      style === 'ls-refs' ? ([PEELED, 'oid'] as const) : ['oid', SPACE, 'name', PEELED_NAME_END];
    this.#peeled = new LineTemplate(ofTag as LinePart[], oidLength);
    this.#lastOid = new Uint8Array(oidLength);
    this.#capabilities = options.capabilities;
  }

  /** Writes the refs, in byte order, whose names in the namespace begin with `prefix`. */
  async list(prefix: string): Promise<void> {
    const refs = this.#refs.refs({ prefix: this.#options.namespace + prefix });
    if (refs instanceof RefIterator) return this.#listRecords(refs);
    for (const ref of refs) await this.add(ref);
  }

  /** Writes one ref, unless it is hidden or leads nowhere. Throws `BAD_NAME` for a name that Git would not touch. */
  async add(ref: Ref): Promise<void> {
    const { name, target } = ref;
    const isBroken = checkRefName(name, { allowOneLevel: true }) !== undefined;
    if (isBroken && !isSafeRefName(name)) {
      throw new RefError('BAD_NAME', `refname is dangerous: ${name}`, { ref: name });
    }
    const resolved = target === undefined ? ref : resolveIfPossible(this.#refs, name);
    if (resolved === undefined) return;
    const oid = new Uint8Array(this.#oidLength);
    if (!isBroken) writeOid(oid, 0, resolved.oid);
    const { symrefs } = this.#options;
    const suffix = symrefs && target !== undefined ? this.#symrefTarget(resolved.name) : '';
    await this.#addLine(encodeText(name), oid, suffix, isBroken ? undefined : resolved.peeled);
  }

  /** Writes a symref to a branch that is not born; `name` and `target` in full. */
  async addUnborn(name: string, target: string): Promise<void> {
    const bytes = encodeText(name);
    if (this.#hides(bytes, 0, bytes.length)) return;
    const shown = name.slice(this.#options.namespace.length);
    await this.#out.add(pktLine(`unborn ${shown}${this.#symrefTarget(target)}\n`));
  }

  /** Writes the capabilities where no ref was written that could tell of them. */
  async addCapabilities(): Promise<void> {
    if (this.#capabilities === undefined) return;
    const noOid = '0'.repeat(2 * this.#oidLength);
    await this.#out.add(
      pktLine(
        Buffer.concat([encodeText(`${noOid} capabilities^{}\0`), this.#capabilities, LINE_FEED]),
      ),
    );
    this.#capabilities = undefined;
  }

  /** From the records of a table, many at a time as far as they are of the usual kinds. */
  async #listRecords(refs: RefIterator): Promise<void> {
    for (let cursor = refs.nextRaw(); cursor !== undefined; cursor = refs.nextRaw()) {
      const end = refs.runEnd;
      for (let at = this.#run(cursor, end); at < end; at = this.#run(cursor, end)) {
        cursor.index = at;
        if (this.#out.isFull) {
          await this.#out.flush();
        } else if (this.#isUnknown(cursor)) {
          await this.#learn(cursor, end);
        } else {
          await this.add(cursor.ref() as Ref);
          cursor.index++;
        }
      }
      cursor.index = end - 1;
    }
  }

  /**
   * Writes the refs from the cursor's on, up to the first that is unusual, whose object is not known yet, or for
   * which there is no room. Returns its number.
   */
  #run(cursor: TableCursor, end: number): number {
    const { batch } = cursor;
    const { keys, keysView, keyStarts, prefixes, valueTypes, valueEnds } = batch;
    const { bytes } = batch.reader;
    const out = this.#out;
    const oidLength = this.#oidLength;
    const { peel } = this.#options;
    if (this.#capabilities !== undefined) return cursor.index;
    let wasSimple = false;
    for (let i = cursor.index; i < end; i++) {
      if (out.isFull || valueTypes[i] === REF_SYMREF) return i;
      const nameStart = keyStarts[i]!;
      const nameEnd = keyStarts[i + 1]!;
      wasSimple = isSimpleRefName(keys, nameStart, nameEnd, wasSimple ? prefixes[i]! : 0);
      if (!wasSimple && plainRefNameEnd(keys, nameStart, nameEnd) !== nameEnd) return i;
      if (this.#hides(keys, nameStart, nameEnd)) continue;
      const shownStart = nameStart + this.#namespaceLength;
      let oidAt = valueEnds[i]! - oidLength;
      if (valueTypes[i] === REF_PEELED) {
        oidAt -= oidLength;
        if (peel) {
          this.#put(keysView, shownStart, nameEnd, bytes, oidAt, bytes, oidAt + oidLength);
          continue;
        }
      }
      if (!this.#remember(bytes, oidAt)) return i;
      const peeled = this.#lastPeeled;
      if (peeled === undefined) this.#putPlain(keysView, shownStart, nameEnd);
      else this.#put(keysView, shownStart, nameEnd, bytes, oidAt, peeled, 0);
    }
    return end;
  }

  /** Whether it is not known what the cursor's ref comes down to, and that has to be told. */
  #isUnknown({ batch, index }: TableCursor): boolean {
    if (this.#tags === undefined || batch.valueTypes[index] !== REF_OID) return false;
    return !this.#tags.knows(batch.reader.bytes, batch.valueEnds[index]! - this.#oidLength);
  }

  /** Finds out about the objects of the refs from the cursor's on that are in memory anyway. */
  async #learn({ batch, index }: TableCursor, end: number): Promise<void> {
    const { bytes } = batch.reader;
    const oids = new Set<string>();
    for (let i = index; i < end; i++) {
      const at = batch.valueEnds[i]! - this.#oidLength;
      if (batch.valueTypes[i] === REF_OID && !this.#tags!.knows(bytes, at)) {
        oids.add(readHex(bytes, at, this.#oidLength));
      }
    }
    await this.#tags!.learn([...oids]);
  }

  #hides(name: Uint8Array, start: number, end: number): boolean {
    return this.#hidden?.hides(name, start, start + this.#namespaceLength, end) === true;
  }

  /** Empty for one that leads out of the namespace. */
  #symrefTarget(target: string): string {
    const { namespace } = this.#options;
    return target.startsWith(namespace) ? ` symref-target:${target.slice(namespace.length)}` : '';
  }

  /** Writes any line; `name` in full. */
  async #addLine(
    name: Uint8Array,
    oid: Uint8Array,
    suffix: string,
    peeledHex: string | undefined,
  ): Promise<void> {
    if (this.#hides(name, 0, name.length)) return;
    const out = this.#out;
    let peeled: Uint8Array | undefined;
    if (this.#options.peel && peeledHex !== undefined) {
      peeled = new Uint8Array(this.#oidLength);
      writeOid(peeled, 0, peeledHex);
    } else if (this.#tags !== undefined) {
      if (!this.#tags.knows(oid, 0)) await this.#tags.learn([readHex(oid, 0, this.#oidLength)]);
      peeled = this.#tags.peeled(oid, 0);
    }
    let end = encodeText(suffix);
    if (this.#capabilities !== undefined) end = Buffer.concat([NUL, this.#capabilities]);
    this.#capabilities = undefined;
    this.#put(viewOf(name), this.#namespaceLength, name.length, oid, 0, peeled, 0, end);
    if (out.isFull) await out.flush();
  }

  /** The line of a ref of the last object id, of which there is no more to tell. */
  #putPlain(names: DataView, start: number, end: number): void {
    const out = this.#out;
    const at = out.filled;
    writeLength(out.bytes, at, LENGTH_SIZE + this.#plain.lineLength(end - start));
    out.filled = this.#plain.write(names, start, end, out.view, at + LENGTH_SIZE);
  }

  /** Any line: with `suffix` behind the name, and what a tag comes down to. */
  #put(
    names: DataView,
    start: number,
    end: number,
    oid: Uint8Array,
    oidAt: number,
    peeled: Uint8Array | undefined,
    peeledAt: number,
    suffix: Uint8Array = NOTHING,
  ): void {
    const out = this.#out;
    const isPart = this.#options.style === 'ls-refs';
    this.#start.set(oid, oidAt, NOTHING);
    if (peeled !== undefined) this.#peeled.set(peeled, peeledAt, NOTHING);
    const nameLength = end - start;
    const peeledLength = peeled === undefined ? 0 : this.#peeled.lineLength(nameLength);
    let length = LENGTH_SIZE + this.#start.lineLength(nameLength) + suffix.length + 1;
    if (isPart) length += peeledLength;
    writeLength(out.bytes, out.filled, length);
    let at = this.#start.write(names, start, end, out.view, out.filled + LENGTH_SIZE);
    out.bytes.set(suffix, at);
    at += suffix.length;
    if (isPart && peeled !== undefined) at = this.#peeled.write(names, start, end, out.view, at);
    out.bytes[at++] = LINE_FEED[0]!;
    if (!isPart && peeled !== undefined) {
      writeLength(out.bytes, at, LENGTH_SIZE + peeledLength);
      at = this.#peeled.write(names, start, end, out.view, at + LENGTH_SIZE);
    }
    out.filled = at;
  }

  /** Makes the object id at `at` the last one; `false` if it is not known yet what it comes down to. */
  #remember(bytes: Uint8Array, at: number): boolean {
    const last = this.#lastOid;
    let i = 0;
    while (i < last.length && last[i] === bytes[at + i]) i++;
    if (i === last.length && this.#isSet) return true;
    if (this.#tags?.knows(bytes, at) === false) return false;
    for (; i < last.length; i++) last[i] = bytes[at + i]!;
    this.#lastPeeled = this.#tags?.peeled(bytes, at);
    this.#plain.set(bytes, at, NOTHING);
    this.#isSet = true;
    return true;
  }
}
