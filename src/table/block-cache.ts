// The blocks of a table that were used, so that a hot look-up does not read its file.

import type { Block } from '../format/block.ts';

/** Bytes of blocks to keep for a table: enough for all of a table of a million refs. */
const CAPACITY = 32 << 20;

export class BlockCache {
  /** By offset, in the order in which they came: the oldest makes room. */
  private readonly blocks = new Map<number, Block>();
  private size = 0;

  get(offset: number): Block | undefined {
    return this.blocks.get(offset);
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
