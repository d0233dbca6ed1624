// Rewrites a section of an old table of which little has changed: whole blocks pass as they are stored,
// and only those into which a change falls are taken apart and written anew.
//
// What is written anew seldom fills its blocks as it did before: one record more, and the last of it goes
// into a block of its own. That block must not stay nearly empty, for then thousands of compactions would
// leave thousands of such blocks. So writing anew goes on into the blocks behind the change until the
// block that is being filled is well filled where one of the old ones ends; or, as between full blocks it
// never will be, over a few old blocks. What is left over is then at most one block that is not well filled for
// each such stretch, and the next change near it takes it up again: the blocks that are read anew behind
// a change are the ones that can absorb it.

import { compareBytes } from '../../format/bytes.ts';
import type { TableBuilder } from '../table-builder.ts';
import type { BlockList } from './block-list.ts';

/** How full a block has to be for copying to go on behind it. */
const WELL_FILLED = 0.75;
/** How many old blocks behind a change are written anew at most. */
const MAX_REWRITTEN = 4;
/** So many blocks are copied in a step. */
const STEP = 16;

/** A section of an old table, and what changes in it. */
export interface ChangedSection {
  readonly list: BlockList;
  /** Whether anything changes in block `i`, or between it and the one before. */
  changes(i: number): boolean;
  /** Copies block `i` into the new table; `false` if it has to be written anew. */
  copy(i: number): boolean;
  /** Writes the records of block `i` anew, with the changes, in short steps. */
  rewrite(i: number): Generator<void, void>;
}

/** Writes the section, in short steps. Throws `ReftableFormatError`, `RECORD_TOO_LARGE`. */
export function* spliceSection(
  builder: TableBuilder,
  section: ChangedSection,
): Generator<void, void> {
  let unchanged = 0;
  for (let i = 0; i < section.list.offsets.length; i++) {
    const changes = section.changes(i);
    unchanged = changes ? 0 : unchanged + 1;
    const copies = !changes && mayCopy(builder, unchanged) && section.copy(i);
    if (!copies) yield* section.rewrite(i);
    if (i % STEP === STEP - 1) yield;
  }
}

/** Whether key `key` changes a section in its block `i`; behind the last block is in the last block. */
export function fallsInto(list: BlockList, i: number, key: Uint8Array): boolean {
  return i === list.lastKeys.length - 1 || compareBytes(key, list.lastKeys[i]!) <= 0;
}

function mayCopy({ block, blockSize }: TableBuilder, unchanged: number): boolean {
  if (block.recordCount === 0 || unchanged > MAX_REWRITTEN) return true;
  return block.length >= WELL_FILLED * blockSize;
}
