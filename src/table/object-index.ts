// Collects, while refs are written, which ref blocks hold which object ids, and gives them back as the
// records of a table's object section.

import { compareRanges, readUint32 } from '../format/bytes.ts';

/** Object ids are kept in pieces of so many: with a million of them, none is moved for others to fit. */
const PIECE_BITS = 14;
const PIECE_SIZE = 1 << PIECE_BITS;
/** The size of the first piece, which grows: most tables are small. */
const FIRST_PIECE_SIZE = 64;
/** So many are looked at in a step of sorting. */
const STEP = 1 << 12;
/** Up to so many a plain sort is the fastest. */
const SMALL_COUNT = 1 << 10;

interface Piece {
  oids: Uint8Array;
  /** Offsets of ref blocks. */
  blocks: Float64Array;
}

export class ObjectIndex {
  private readonly oidLength: number;
  private readonly pieces: Piece[] = [];
  private last: Piece;
  private lastCount = 0;
  private count = 0;
  /** The numbers of what was added, by object id, and by block where that is the same. */
  private order = new Uint32Array(0);
  /** The first four bytes of each, in that order. */
  private prefixes = new Uint32Array(0);
  private longestShared = 1;

  constructor(oidLength: number) {
    this.oidLength = oidLength;
    this.last = this.newPiece(FIRST_PIECE_SIZE);
    this.pieces.push(this.last);
  }

  /** Notes the object id at `at` as one in the ref block at `block`. Blocks come in ascending order. */
  add(bytes: Uint8Array, at: number, block: number): void {
    const { oidLength } = this;
    let end = this.lastCount * oidLength;
    // Runs of refs with one object id are common (a fresh import, tags of one commit).
    if (
      this.lastCount > 0 &&
      this.last.blocks[this.lastCount - 1] === block &&
      compareRanges(this.last.oids, end - oidLength, end, bytes, at, at + oidLength) === 0
    ) {
      return;
    }
    if (this.lastCount === this.last.blocks.length) {
      this.grow();
      end = this.lastCount * oidLength;
    }
    const { oids, blocks } = this.last;
    for (let i = 0; i < oidLength; i++) oids[end + i] = bytes[at + i]!;
    blocks[this.lastCount++] = block;
    this.count++;
  }

  /**
   * Ends the collecting: `prefixLength` and `entries` speak of what was added until now. A generator, so
   * that sorting a million object ids can be done in short steps.
   */
  *sort(): Generator<void, void> {
    yield* this.sortByPrefix();
    yield* this.sortWithinPrefixes();
  }

  /**
   * How many bytes tell all object ids apart, as Git counts them: one more than the longest prefix that
   * two neighbours share, at least two.
   */
  prefixLength(): number {
    return this.longestShared + 1;
  }

  /** What was added, by the first `prefixLength` bytes of the object ids. */
  entries(prefixLength: number): ObjectEntries {
    return new ObjectEntries(this, prefixLength);
  }

  /** How many object ids there are, those counted again that are in several blocks. */
  get size(): number {
    return this.count;
  }

  /** The first four bytes of the one at place `i` of the order. */
  prefixAt(i: number): number {
    return this.prefixes[i]!;
  }

  blockAt(i: number): number {
    const number = this.order[i]!;
    return this.pieces[number >>> PIECE_BITS]!.blocks[number & (PIECE_SIZE - 1)]!;
  }

  /** Byte `byte` of the object id at place `i` of the order. */
  byteAt(i: number, byte: number): number {
    const number = this.order[i]!;
    const { oids } = this.pieces[number >>> PIECE_BITS]!;
    return oids[(number & (PIECE_SIZE - 1)) * this.oidLength + byte]!;
  }

  /** By the first four bytes, in two passes of a radix sort, which is stable. */
  private *sortByPrefix(): Generator<void, void> {
    const { count, oidLength } = this;
    let prefixes = new Uint32Array(count);
    let order = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      const { oids } = this.pieces[i >>> PIECE_BITS]!;
      prefixes[i] = readUint32(oids, (i & (PIECE_SIZE - 1)) * oidLength);
      order[i] = i;
      if (i % STEP === STEP - 1) yield;
    }
    if (count < SMALL_COUNT) {
      this.order = order.sort((a, b) => prefixes[a]! - prefixes[b]! || a - b);
      this.prefixes = order.map((number) => prefixes[number]!);
      return;
    }
    for (const shift of [0, 16]) {
      const places = new Uint32Array((1 << 16) + 1);
      for (let i = 0; i < count; i++) {
        places[((prefixes[i]! >>> shift) & 0xffff) + 1]!++;
        if (i % STEP === STEP - 1) yield;
      }
      for (let i = 0; i < 1 << 16; i++) places[i + 1]! += places[i]!;
      const sortedPrefixes = new Uint32Array(count);
      const sorted = new Uint32Array(count);
      for (let i = 0; i < count; i++) {
        const place = places[(prefixes[i]! >>> shift) & 0xffff]!++;
        sortedPrefixes[place] = prefixes[i]!;
        sorted[place] = order[i]!;
        if (i % STEP === STEP - 1) yield;
      }
      order = sorted;
      prefixes = sortedPrefixes;
    }
    this.order = order;
    this.prefixes = prefixes;
  }

  /** By the rest of the object ids; nearly always only the same id has the same four bytes. */
  private *sortWithinPrefixes(): Generator<void, void> {
    const { count, prefixes } = this;
    for (let start = 0, steps = 1; start < count; ) {
      let end = start + 1;
      let differ = false;
      for (; end < count && prefixes[end] === prefixes[start]; end++) {
        if (this.sharedBytes(end - 1, end) < this.oidLength) differ = true;
        if (steps++ % STEP === 0) yield;
      }
      if (differ) {
        this.order.subarray(start, end).sort((a, b) => this.compareNumbers(a, b));
        for (let i = start + 1; i < end; i++) this.noteShared(this.sharedBytes(i - 1, i));
      }
      if (end < count) this.noteShared(Math.clz32(prefixes[end - 1]! ^ prefixes[end]!) >>> 3);
      if (steps++ % STEP === 0) yield;
      start = end;
    }
  }

  private noteShared(shared: number): void {
    if (shared > this.longestShared && shared < this.oidLength) this.longestShared = shared;
  }

  /** How many bytes the object ids at places `i` and `j` of the order have in common. */
  private sharedBytes(i: number, j: number): number {
    let shared = 0;
    while (shared < this.oidLength && this.byteAt(i, shared) === this.byteAt(j, shared)) shared++;
    return shared;
  }

  private compareNumbers(a: number, b: number): number {
    const { pieces, oidLength } = this;
    const [x, y] = [pieces[a >>> PIECE_BITS]!, pieces[b >>> PIECE_BITS]!];
    const xAt = (a & (PIECE_SIZE - 1)) * oidLength;
    const yAt = (b & (PIECE_SIZE - 1)) * oidLength;
    return compareRanges(x.oids, xAt, xAt + oidLength, y.oids, yAt, yAt + oidLength) || a - b;
  }

  private newPiece(size: number): Piece {
    return { oids: new Uint8Array(size * this.oidLength), blocks: new Float64Array(size) };
  }

  /** Makes room behind the last piece, or in it as long as it is the first one. */
  private grow(): void {
    const full = this.last;
    const size = full.blocks.length;
    if (size === PIECE_SIZE) {
      this.last = this.newPiece(PIECE_SIZE);
      this.lastCount = 0;
    } else {
      this.last = this.newPiece(2 * size);
      this.last.oids.set(full.oids);
      this.last.blocks.set(full.blocks);
      this.pieces.pop();
    }
    this.pieces.push(this.last);
  }
}

/** Walks a sorted object index: each prefix of an object id once, with all the blocks that it is in. */
export class ObjectEntries {
  /** The current prefix. */
  readonly key: Uint8Array;
  /** The offsets of its ref blocks, ascending. */
  blocks: number[] = [];

  private readonly objects: ObjectIndex;
  /** Which of an object id's first four bytes belong to the prefix. */
  private readonly mask: number;
  private at = 0;

  constructor(objects: ObjectIndex, prefixLength: number) {
    this.objects = objects;
    this.key = new Uint8Array(prefixLength);
    this.mask = prefixLength < 4 ? -1 << (32 - 8 * prefixLength) : -1;
  }

  /** Moves to the next prefix; `false` if there is none. */
  next(): boolean {
    const { objects, key } = this;
    const start = this.at;
    if (start >= objects.size) return false;
    const first = objects.prefixAt(start);
    for (let i = 0; i < key.length; i++) {
      key[i] = i < 4 ? first >>> (24 - 8 * i) : objects.byteAt(start, i);
    }
    let last = objects.blockAt(start);
    let ascends = true;
    const blocks = [last];
    let end = start + 1;
    for (; end < objects.size && this.hasKey(end, first); end++) {
      const block = objects.blockAt(end);
      if (block === last) continue;
      if (block < last) ascends = false;
      last = block;
      blocks.push(block);
    }
    this.at = end;
    // Object ids that share the prefix may take turns.
    this.blocks = ascends ? blocks : [...new Set(blocks)].sort((a, b) => a - b);
    return true;
  }

  private hasKey(i: number, first: number): boolean {
    const { objects, key, mask } = this;
    if (((objects.prefixAt(i) ^ first) & mask) !== 0) return false;
    for (let byte = 4; byte < key.length; byte++) {
      if (objects.byteAt(i, byte) !== key[byte]) return false;
    }
    return true;
  }
}
