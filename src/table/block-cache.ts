// The blocks of a table that were used last, so that a hot look-up does not read its file.

import type { Block } from '../format/block.ts';

/** Bytes of blocks to keep for a table. */
const CAPACITY = 1 << 20;

export class BlockCache {
  /** By offset; a Map keeps the order of insertion, which is the order of use here. */
  private readonly blocks = new Map<number, Block>();
  private size = 0;

  get(offset: number): Block | undefined {
    const block = this.blocks.get(offset);
    if (block === undefined) return undefined;
    // While everything fits there is nothing to choose between.
    if (this.size > CAPACITY / 2) {
      this.blocks.delete(offset);
      this.blocks.set(offset, block);
    }
    return block;
  }

  add(block: Block): void {
    this.blocks.set(block.offset, block);
    this.size += block.bytes.length;
    for (const [offset, oldest] of this.blocks) {
      if (this.size <= CAPACITY || this.blocks.size === 1) break;
      this.blocks.delete(offset);
      this.size -= oldest.bytes.length;
    }
  }
}
