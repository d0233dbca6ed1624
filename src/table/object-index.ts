// Collects, while refs are written, which ref blocks hold which object ids, and gives them back as the
// records of a table's object section.

import { compareRanges } from '../format/bytes.ts';

export class ObjectIndex {
  private readonly oidLength: number;
  private oids: Uint8Array;
  private blocks: Float64Array;
  private count = 0;
  private order = new Uint32Array(0);

  constructor(oidLength: number) {
    this.oidLength = oidLength;
    this.oids = new Uint8Array(64 * oidLength);
    this.blocks = new Float64Array(64);
  }

  /** Notes the object id at `at` as one in the ref block at `block`. Blocks come in ascending order. */
  add(bytes: Uint8Array, at: number, block: number): void {
    const { oidLength } = this;
    const end = this.count * oidLength;
    // Runs of refs with one object id are common (a fresh import, tags of one commit).
    if (
      this.count > 0 &&
      this.blocks[this.count - 1] === block &&
      compareRanges(this.oids, end - oidLength, end, bytes, at, at + oidLength) === 0
    ) {
      return;
    }
    if (this.count === this.blocks.length) this.grow();
    for (let i = 0; i < oidLength; i++) this.oids[end + i] = bytes[at + i]!;
    this.blocks[this.count++] = block;
  }

  /** Ends the collecting: `prefixLength` and `entries` speak of what was added until now. */
  finish(): void {
    this.order = this.sorted();
  }

  /**
   * How many bytes tell all object ids apart, as Git counts them: one more than the longest prefix that
   * two neighbours share, at least two.
   */
  prefixLength(): number {
    const { oids, oidLength, order } = this;
    let longest = 1;
    for (let i = 1; i < order.length; i++) {
      const a = order[i - 1]! * oidLength;
      const b = order[i]! * oidLength;
      let same = 0;
      while (same < oidLength && oids[a + same] === oids[b + same]) same++;
      if (same > longest && same < oidLength) longest = same;
    }
    return longest + 1;
  }

  /** Each object id once, in order, and the offsets of the blocks that it is in, ascending. */
  *entries(): IterableIterator<{ oid: Uint8Array; blocks: number[] }> {
    const { oids, oidLength, order } = this;
    for (let start = 0; start < order.length; ) {
      const at = order[start]! * oidLength;
      const blocks = [this.blocks[order[start]!]!];
      let end = start + 1;
      for (; end < order.length; end++) {
        const next = order[end]! * oidLength;
        if (compareRanges(oids, at, at + oidLength, oids, next, next + oidLength) !== 0) break;
        const block = this.blocks[order[end]!]!;
        if (block !== blocks[blocks.length - 1]) blocks.push(block);
      }
      yield { oid: oids.subarray(at, at + oidLength), blocks };
      start = end;
    }
  }

  /**
   * The numbers of what was added, by object id, and by block where that is the same: by their first
   * four bytes in two passes of a radix sort, which is stable, then the few ties by the rest.
   */
  private sorted(): Uint32Array<ArrayBuffer> {
    const { oids, oidLength, count } = this;
    const prefixes = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      const at = i * oidLength;
      prefixes[i] =
        ((oids[at]! << 24) | (oids[at + 1]! << 16) | (oids[at + 2]! << 8) | oids[at + 3]!) >>> 0;
    }
    let order = new Uint32Array(count);
    for (let i = 0; i < count; i++) order[i] = i;
    if (count < 1 << 10) {
      return order.sort((a, b) => prefixes[a]! - prefixes[b]! || this.compare(a, b));
    }
    for (const shift of [0, 16]) {
      const starts = new Uint32Array((1 << 16) + 1);
      for (let i = 0; i < count; i++) starts[((prefixes[i]! >>> shift) & 0xffff) + 1]!++;
      for (let i = 0; i < 1 << 16; i++) starts[i + 1]! += starts[i]!;
      const next = new Uint32Array(count);
      for (const i of order) next[starts[(prefixes[i]! >>> shift) & 0xffff]!++] = i;
      order = next;
    }
    for (let start = 0; start < count; ) {
      let end = start + 1;
      while (end < count && prefixes[order[end]!] === prefixes[order[start]!]) end++;
      if (end - start > 1) order.subarray(start, end).sort((a, b) => this.compare(a, b));
      start = end;
    }
    return order;
  }

  private compare(a: number, b: number): number {
    const { oids, oidLength } = this;
    const [x, y] = [a * oidLength, b * oidLength];
    return compareRanges(oids, x, x + oidLength, oids, y, y + oidLength) || a - b;
  }

  private grow(): void {
    const oids = new Uint8Array(this.oids.length * 2);
    oids.set(this.oids);
    this.oids = oids;
    const blocks = new Float64Array(this.blocks.length * 2);
    blocks.set(this.blocks);
    this.blocks = blocks;
  }
}
