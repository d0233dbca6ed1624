// The refs or log records of an old table, with those of newer ones merged in.

import { REF_BLOCK } from '../../format/block.ts';
import { compareRanges } from '../../format/bytes.ts';
import { headerSize } from '../../format/header.ts';
import type { MergedCursor } from '../merged-cursor.ts';
import type { Table } from '../table.ts';
import type { TableBuilder } from '../table-builder.ts';
import { TableCursor } from '../table-cursor.ts';
import type { BlockList } from './block-list.ts';
import { OldBlocks } from './old-blocks.ts';
import type { RecordCopier } from './record-copier.ts';
import { type ChangedSection, fallsInto } from './section-splice.ts';

/**
 * So many records are written in a step: log records take a deflater along, and refs take long in the
 * first steps, before their code is compiled.
 */
export const RECORD_STEP = { refs: 1 << 8, logs: 1 << 6 } as const;

export class RecordSplice implements ChangedSection {
  readonly list: BlockList;
  /** Where each old block is in the new table; -1 where it was written anew. */
  readonly newOffsets: Float64Array;

  private readonly section: 'refs' | 'logs';
  private readonly blocks: OldBlocks;
  private readonly old: TableCursor;
  private readonly newer: MergedCursor;
  private readonly builder: TableBuilder;
  private readonly copier: RecordCopier;

  /** `newer` is at its first record, or has none. */
  constructor(
    section: 'refs' | 'logs',
    table: Table,
    list: BlockList,
    newer: MergedCursor,
    builder: TableBuilder,
    copier: RecordCopier,
  ) {
    this.section = section;
    this.list = list;
    this.newOffsets = new Float64Array(list.offsets.length).fill(-1);
    this.blocks = new OldBlocks(table, list);
    this.old = new TableCursor(table, section);
    this.newer = newer;
    this.builder = builder;
    this.copier = copier;
  }

  changes(i: number): boolean {
    const { current } = this.newer;
    return current !== undefined && fallsInto(this.list, i, current.key());
  }

  copy(i: number): boolean {
    const { builder, blocks, list } = this;
    // The first block of a file holds its header.
    if ((list.offsets[i] === 0) !== builder.isAtStart) return false;
    const header = list.offsets[i] === 0 ? headerSize(builder.header.version) : 0;
    let stored: Uint8Array;
    if (this.section === 'logs') {
      stored = blocks.log(i, header);
    } else {
      const block = blocks.aligned(i, REF_BLOCK);
      stored = block.bytes.subarray(0, block.storedLength);
    }
    // The header will be another one.
    const own = header > 0 ? new Uint8Array(stored) : stored;
    this.newOffsets[i] = builder.copyBlock(own, list.lastKeys[i]!);
    return true;
  }

  *rewrite(i: number): Generator<void, void> {
    const { old, newer, list } = this;
    const step = RECORD_STEP[this.section];
    let more = old.enterBlock(list.offsets[i]!);
    let pending = this.changes(i);
    for (let steps = 1; more || pending; steps++) {
      const order = !more ? 1 : !pending ? -1 : compareKeys(old, newer.current!);
      this.add(order < 0 ? old : newer.current!);
      if (order <= 0) more = old.nextInBlock();
      if (order >= 0) {
        newer.next();
        pending = this.changes(i);
      }
      if (steps % step === 0) yield;
    }
  }

  private add(cursor: TableCursor): void {
    if (this.section === 'refs') this.copier.ref(cursor, -1);
    else this.copier.log(cursor, -1);
  }
}

function compareKeys(a: TableCursor, b: TableCursor): number {
  return compareRanges(
    a.batch.keys,
    a.batch.keyStarts[a.index]!,
    a.batch.keyStarts[a.index + 1]!,
    b.batch.keys,
    b.batch.keyStarts[b.index]!,
    b.batch.keyStarts[b.index + 1]!,
  );
}
