// Writes the object section: from the object ids of all refs.

import { OBJECT_BLOCK } from '../format/block.ts';
import { RecordEncoder } from '../format/record-encoder.ts';
import type { ObjectIndex } from './object-index.ts';
import type { TableBuilder } from './table-builder.ts';

/** The longest keys that an object section can have, bytes: the footer has five bits for it. */
const MAX_OBJECT_ID_LENGTH = 31;
/** So many records are written in a step. */
const STEP = 1 << 9;

/** Writes the object section, in short steps. */
export function* writeObjectSection(builder: TableBuilder, objects: ObjectIndex): Generator<void> {
  yield* objects.sort();
  const prefixLength = objects.prefixLength();
  // Not even SHA-256 ids need more, unless they are made up.
  if (prefixLength > MAX_OBJECT_ID_LENGTH) return;
  const { footer } = builder;
  footer.objectIdLength = prefixLength;
  if (objects.size === 0) return;
  footer.objectOffset = builder.offset;
  builder.startSection(OBJECT_BLOCK);
  const records = new ObjectRecords(builder);
  const entries = objects.entries(prefixLength);
  for (let steps = 1; entries.next(); steps++) {
    records.add(entries.key, entries.blocks);
    if (steps % STEP === 0) yield;
  }
  footer.objectIndexOffset = yield* builder.endSection();
}

/** Adds object records to a table. */
export class ObjectRecords {
  private readonly builder: TableBuilder;
  private readonly encoder = new RecordEncoder();

  constructor(builder: TableBuilder) {
    this.builder = builder;
  }

  /** `offsets` ascend; more than fit a block become none at all, which means "too many to list". */
  add(key: Uint8Array, offsets: readonly number[]): void {
    const { builder, encoder } = this;
    const { value } = encoder;
    encoder.blockOffsets(offsets);
    const { valueType } = encoder;
    if (builder.addIfFits(key, key.length, valueType, value.bytes, value.length)) return;
    encoder.blockOffsets([]);
    builder.add(key, key.length, encoder.valueType, value.bytes, value.length);
  }
}
