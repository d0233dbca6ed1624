// The choice of the tables to compact, against a model that merges for real.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Segment, segmentToCompact } from '../../src/stack/geometry.ts';

/**
 * The choice as the format's description words it, by brute force: the tables behind `last` are in geometric
 * sequence, those at `last` are not; and `first` is the oldest table that is too small for all the tables
 * from it to `last` merged.
 */
function model(sizes: readonly number[], factor: number): Segment | undefined {
  const isTooSmall = (older: number, newer: number) => older < newer * factor;
  const faults = sizes.flatMap((size, i) => (i > 0 && isTooSmall(sizes[i - 1]!, size) ? [i] : []));
  const last = faults.at(-1);
  if (last === undefined) return undefined;
  const mergedFrom = (i: number) => sizes.slice(i, last + 1).reduce((sum, size) => sum + size, 0);
  for (let first = 0; first < last; first++) {
    if (isTooSmall(sizes[first]!, mergedFrom(first + 1))) return { first, last };
  }
  throw new Error('the fault itself is one');
}

describe('the tables to compact', () => {
  it.each<[number[], Segment | undefined]>([
    [[], undefined],
    [[1], undefined],
    [[64, 32, 16, 8, 4, 2, 1], undefined],
    [[1, 1], { first: 0, last: 1 }],
    [[2, 1], undefined],
    // The newest tables may be in order already: they stay.
    [[128, 32, 16, 8, 4, 3, 1], { first: 1, last: 5 }],
    // 32 is large enough for what is newer; 100 is not, for all of that and 32.
    [[100, 32, 8, 8], { first: 2, last: 3 }],
    [[100, 40, 16, 16], { first: 0, last: 3 }],
    // An older fault alone is one too.
    [[1, 100, 10], { first: 0, last: 1 }],
    [[512, 64, 17, 16, 9, 9, 9, 16, 2, 16], { first: 1, last: 9 }],
  ])('of the sizes %j are %j', (sizes, segment) => {
    expect(segmentToCompact(sizes, 2)).toEqual(segment);
  });

  it('are those of the model for any sizes and factor', () => {
    const size = fc.oneof(
      fc.integer({ min: 1, max: 2000 }),
      fc.integer({ min: 1, max: 2 ** 40 }),
      fc.integer({ min: 0, max: 40 }).map((exponent) => 2 ** exponent),
    );
    fc.assert(
      fc.property(
        fc.array(size, { maxLength: 30 }),
        fc.integer({ min: 1, max: 255 }),
        (sizes, factor) => {
          expect(segmentToCompact(sizes, factor)).toEqual(model(sizes, factor));
        },
      ),
      { numRuns: 10_000 },
    );
  });
});
