// The updates of a transaction, column by column: names side by side as bytes, object ids as bytes, what
// is asked for as flags. Fifty thousand updates are then a few arrays, and what is done to each of them is
// a loop over bytes.

import { RefError } from '../../errors.ts';
import { compareRanges } from '../../format/bytes.ts';
import {
  type ObjectFormat,
  oidSize,
  parseOid,
  readHex,
  writeOid,
} from '../../format/object-format.ts';
import { decodeText, encodeText } from '../../format/text.ts';
import type { RefUpdate } from '../ref-store.ts';
import { checkUpdate, type Targets } from './checked-update.ts';
import type { Refusal } from './refusal.ts';
import {
  CREATES,
  CROWDED,
  DELETES,
  DEREF,
  EXPECTS_NONE,
  EXPECTS_OID,
  NEW_FOLDER,
  STARTS_NO_LOG,
  WRITES,
} from './update-flags.ts';

const SLASH = 0x2f;

/** Updates to be made together; `add` them one by one. A transaction takes the batch, and uses it up. */
export class UpdateBatch {
  readonly objectFormat: ObjectFormat;
  /** Bytes. */
  readonly oidLength: number;
  /** How many entries there are. */
  count = 0;
  /** Whether each name comes after the one before, in byte order. */
  isAscending = true;
  /** The names, one behind the other; name `i` starts at `nameStarts[i]` and ends where the next one starts. */
  names: Uint8Array;
  nameStarts: Int32Array;
  /** How many bytes a name has in common with the one before it. */
  shared: Int32Array;
  flags: Uint16Array;
  /** Entry `i` has its object ids at `i * oidLength`. */
  newOids: Uint8Array;
  /** As long as the last entry that has one asks for. */
  oldOids: Uint8Array = new Uint8Array(0);
  /** The targets of the entries that have any. */
  readonly targets = new Map<number, Targets>();
  /** For the new objects that are tags, as far as it is known, what they stand for; hex. */
  readonly peeled = new Map<number, string>();
  /** The entries that were found impossible before planning, where updates may fail one by one. */
  readonly refused = new Map<number, Refusal>();
  /** The first names as one text; see `decodeNames`. */
  private text = '';
  /** Where the last slash of the last name is, from its start; -1 if it has none. */
  private lastSlash = -1;
  private isTaken = false;

  /** `capacity` is for how many entries to have room at first. */
  constructor(objectFormat: ObjectFormat, capacity = 64) {
    this.objectFormat = objectFormat;
    this.oidLength = oidSize(objectFormat);
    this.names = new Uint8Array(64 * capacity);
    this.nameStarts = new Int32Array(capacity + 1);
    this.shared = new Int32Array(capacity);
    this.flags = new Uint16Array(capacity);
    this.newOids = new Uint8Array(capacity * this.oidLength);
  }

  static from(updates: readonly RefUpdate[], objectFormat: ObjectFormat): UpdateBatch {
    if (!Array.isArray(updates)) {
      throw new RefError(
        'INVALID_ARGUMENT',
        `expected updates in an array, found ${String(updates)}`,
      );
    }
    // Planning may add an entry, for HEAD's log or behind a symref.
    const batch = new UpdateBatch(objectFormat, updates.length + 1);
    for (const update of updates) batch.add(update);
    return batch;
  }

  /** For one transaction only: from then on nothing can be added. Throws `INVALID_ARGUMENT` if it was taken. */
  take(): void {
    this.expectFree();
    this.isTaken = true;
  }

  /** Throws `BAD_NAME`, `INVALID_ARGUMENT`; the batch is then as it was. */
  add(update: RefUpdate): void {
    this.expectFree();
    const { ref, flags, newOid, oldOid, targets } = checkUpdate(update, this.objectFormat);
    const i = this.append(encodeText(ref));
    this.flags[i]! |= flags;
    if (newOid !== undefined) writeOid(this.newOids, i * this.oidLength, newOid);
    if (oldOid !== undefined) writeOid(this.reserveOldOid(i), i * this.oidLength, oldOid);
    if (targets !== undefined) this.targets.set(i, targets);
  }

  /**
   * Adds a `create`, `update`, `delete` or `verify` from bytes: the name `bytes[start, end)`, which
   * `plainRefNameEnd` found, and the object ids as hex at `newAt` and `oldAt`, -1 where there is none. Adds
   * nothing and returns `false` if they are out of the ordinary, for `add` to say how.
   */
  addPlain(
    type: 'create' | 'update' | 'delete' | 'verify',
    bytes: Uint8Array,
    start: number,
    end: number,
    newAt: number,
    oldAt: number,
    deref: boolean,
  ): boolean {
    this.expectFree();
    const i = this.appendRange(bytes, start, end);
    const { oidLength, newOids } = this;
    let flags = deref ? DEREF : 0;
    if (newAt >= 0) {
      flags |= WRITES;
      if (!parseOid(newOids, i * oidLength, bytes, newAt, oidLength)) return this.dropLast();
      if (isZero(newOids, i * oidLength, oidLength)) return this.dropLast();
    }
    if (type === 'delete') flags |= WRITES | DELETES | STARTS_NO_LOG;
    if (oldAt >= 0) {
      const oldOids = this.reserveOldOid(i);
      if (!parseOid(oldOids, i * oidLength, bytes, oldAt, oidLength)) return this.dropLast();
      flags |= isZero(oldOids, i * oidLength, oidLength) ? EXPECTS_NONE : EXPECTS_OID;
    } else if (type === 'create' || type === 'verify') {
      flags |= type === 'create' ? EXPECTS_NONE | CREATES : EXPECTS_NONE;
    }
    if (type === 'delete' && (flags & EXPECTS_NONE) !== 0) return this.dropLast();
    this.flags[i]! |= flags;
    return true;
  }

  /** Appends an entry that is entry `i` but for its name and flags; returns its number. */
  addCopy(i: number, name: string, flags: number): number {
    const copy = this.append(encodeText(name));
    const { oidLength } = this;
    this.newOids.copyWithin(copy * oidLength, i * oidLength, (i + 1) * oidLength);
    if (this.has(i, EXPECTS_OID)) {
      const oldOids = this.reserveOldOid(copy);
      oldOids.copyWithin(copy * oidLength, i * oidLength, (i + 1) * oidLength);
    }
    const targets = this.targets.get(i);
    if (targets !== undefined) this.targets.set(copy, targets);
    const peeled = this.peeled.get(i);
    if (peeled !== undefined) this.peeled.set(copy, peeled);
    // Its neighbours in the batch say nothing of it.
    this.flags[copy] = flags | CROWDED | NEW_FOLDER;
    return copy;
  }

  /** Remembers the batch as it is; the result undoes what planning a transaction does to it. */
  mark(): () => void {
    const { count, isAscending } = this;
    const flags = this.flags.slice(0, count);
    return () => {
      for (let copy = count; copy < this.count; copy++) {
        this.targets.delete(copy);
        this.peeled.delete(copy);
      }
      this.flags.set(flags);
      this.count = count;
      this.isAscending = isAscending;
      this.text = '';
    };
  }

  has(i: number, flags: number): boolean {
    return (this.flags[i]! & flags) !== 0;
  }

  name(i: number): string {
    const start = this.nameStarts[i]!;
    const end = this.nameStarts[i + 1]!;
    return end <= this.text.length
      ? this.text.slice(start, end)
      : decodeText(this.names, start, end);
  }

  /** Makes `name` cheap for all entries there are: where the names are ASCII, each is a slice of one text. */
  decodeNames(): void {
    const length = this.nameStarts[this.count]!;
    const text = decodeText(this.names, 0, length);
    // As many units as bytes: they are the same.
    if (text.length === length) this.text = text;
  }

  /** Hex. */
  newOid(i: number): string {
    return readHex(this.newOids, i * this.oidLength, this.oidLength);
  }

  /** Hex. */
  oldOid(i: number): string {
    return readHex(this.oldOids, i * this.oidLength, this.oidLength);
  }

  compareNames(a: number, b: number): number {
    const { names, nameStarts } = this;
    return compareRanges(
      names,
      nameStarts[a]!,
      nameStarts[a + 1]!,
      names,
      nameStarts[b]!,
      nameStarts[b + 1]!,
    );
  }

  private expectFree(): void {
    if (!this.isTaken) return;
    throw new RefError('INVALID_ARGUMENT', 'the batch was given to a transaction before');
  }

  private reserveOldOid(i: number): Uint8Array {
    const end = (i + 1) * this.oidLength;
    if (end > this.oldOids.length) this.oldOids = grown(this.oldOids, 2 * end);
    return this.oldOids;
  }

  private append(name: Uint8Array): number {
    return this.appendRange(name, 0, name.length);
  }

  private appendRange(bytes: Uint8Array, start: number, end: number): number {
    const i = this.count;
    if (i === this.flags.length) this.growColumns();
    const { nameStarts } = this;
    const nameStart = nameStarts[i]!;
    const length = end - start;
    if (nameStart + length > this.names.length)
      this.names = grown(this.names, 4 * (nameStart + length));
    const { names } = this;
    const lastStart = i === 0 ? 0 : nameStarts[i - 1]!;
    const lastLength = nameStart - lastStart;
    let shared = 0;
    let slash = -1;
    for (let at = 0; at < length; at++) {
      const byte = bytes[start + at]!;
      names[nameStart + at] = byte;
      if (byte === SLASH) slash = at;
      if (shared === at && at < lastLength && names[lastStart + at] === byte) shared++;
    }
    if (i > 0) this.compareWithLast(i, length, lastLength, shared);
    // Its folder is what comes before the last slash.
    const sameFolder = i > 0 && slash === this.lastSlash && shared >= slash;
    this.flags[i] = sameFolder ? 0 : NEW_FOLDER;
    this.lastSlash = slash;
    this.shared[i] = shared;
    nameStarts[i + 1] = nameStart + length;
    this.count = i + 1;
    return i;
  }

  private compareWithLast(i: number, length: number, lastLength: number, shared: number): void {
    const { names, nameStarts } = this;
    if (shared === lastLength) {
      // What lies below a name follows it at once: where names ascend, this tells of all.
      if (length > lastLength) this.flags[i - 1]! |= CROWDED;
      else this.isAscending = false;
    } else if (
      shared === length ||
      names[nameStarts[i]! + shared]! < names[nameStarts[i - 1]! + shared]!
    ) {
      this.isAscending = false;
    }
  }

  private dropLast(): false {
    const i = --this.count;
    const { oidLength } = this;
    this.newOids.fill(0, i * oidLength, (i + 1) * oidLength);
    // What the next name is compared with is another one now.
    this.lastSlash = -2;
    return false;
  }

  private growColumns(): void {
    const length = 4 * this.flags.length;
    const nameStarts = new Int32Array(length + 1);
    nameStarts.set(this.nameStarts);
    this.nameStarts = nameStarts;
    const shared = new Int32Array(length);
    shared.set(this.shared);
    this.shared = shared;
    const flags = new Uint16Array(length);
    flags.set(this.flags);
    this.flags = flags;
    this.newOids = grown(this.newOids, length * this.oidLength);
  }
}

function grown(bytes: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(length);
  larger.set(bytes);
  return larger;
}

function isZero(bytes: Uint8Array, at: number, length: number): boolean {
  for (let i = at; i < at + length; i++) {
    if (bytes[i] !== 0) return false;
  }
  return true;
}
