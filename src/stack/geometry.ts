// Which tables to compact, so that each is at least `factor` times as large as the next newer one and a
// stack of n updates has about log n tables. The choice is Git's, to the table.

import { footerSize, headerSize, versionFor } from '../format/header.ts';
import type { ObjectFormat } from '../format/object-format.ts';

/** A run of tables, by their places in the list; both ends belong to it. */
export interface Segment {
  readonly first: number;
  readonly last: number;
}

/** Git's `reftable.geometricFactor`. */
export const DEFAULT_GEOMETRIC_FACTOR = 2;

/** What counts of a table's file of `size` bytes in a stack of this object format: not its header and footer. */
export function countedSize(size: number, version: 1 | 2, stackFormat: ObjectFormat): number {
  return size - footerSize(version) - (headerSize(versionFor(stackFormat)) - 1);
}

/**
 * The tables to merge into one; `undefined` if their sizes form a geometric sequence already. `sizes`, oldest
 * first, are bytes.
 */
export function segmentToCompact(sizes: readonly number[], factor: number): Segment | undefined {
  let last = sizes.length - 1;
  // What is newer than the first fault from the end stays: all of it together is smaller than one table there.
  while (last > 0 && sizes[last - 1]! >= sizes[last]! * factor) last--;
  if (last <= 0) return undefined;
  let first = last;
  let merged = 0;
  for (let i = last; i > 0; i--) {
    // As if those behind were merged already. One that is large enough ends nothing: an older one may not be.
    merged += sizes[i]!;
    if (sizes[i - 1]! < merged * factor) first = i - 1;
  }
  return { first, last };
}
