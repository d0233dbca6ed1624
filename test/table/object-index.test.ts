import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ObjectIndex } from '../../src/table/object-index.ts';

describe('the object index', () => {
  it('answers like a Map, for a few object ids and for many', () => {
    // Few values for each of the bytes that are looked at first, so that ids share prefixes and come again.
    const byte = fc.constantFrom(0, 1, 128, 255);
    const oid = fc.tuple(byte, byte, byte, byte, byte).map((first) => {
      const bytes = Buffer.alloc(20, 7);
      bytes.set(first);
      bytes[19] = first[4];
      return bytes;
    });
    const length = fc.constantFrom(0, 1, 30, 1023, 1024, 5000);
    const added = length.chain((minLength) =>
      fc.array(oid, { minLength, maxLength: minLength + 10, size: 'max' }),
    );
    fc.assert(
      fc.property(added, fc.integer({ min: 1, max: 40 }), (oids, refsABlock) => {
        const index = new ObjectIndex(20);
        const expected = new Map<string, Set<number>>();
        oids.forEach((bytes, i) => {
          // Beyond 2^32, where offsets of large tables are.
          const block = 2 ** 33 + Math.floor(i / refsABlock) * 4096;
          index.add(bytes, 0, block);
          const hex = bytes.toString('hex');
          expected.set(hex, (expected.get(hex) ?? new Set()).add(block));
        });
        sort(index);
        const hexes = [...expected.keys()].sort();
        expect(index.prefixLength()).toBe(shortestPrefix(hexes));
        for (const prefixLength of [20, index.prefixLength(), 4, 3, 2, 1]) {
          const byPrefix = new Map<string, Set<number>>();
          for (const hex of hexes) {
            const prefix = hex.slice(0, 2 * prefixLength);
            const blocks = [...(byPrefix.get(prefix) ?? []), ...expected.get(hex)!];
            byPrefix.set(prefix, new Set(blocks.sort((a, b) => a - b)));
          }
          const entries = index.entries(prefixLength);
          const found: [string, number[]][] = [];
          while (entries.next())
            found.push([Buffer.from(entries.key).toString('hex'), entries.blocks]);
          expect(found).toEqual(Array.from(byPrefix, ([hex, blocks]) => [hex, [...blocks]]));
        }
      }),
      // Thousands of ids take long to shrink.
      { numRuns: 60, endOnFailure: true },
    );
  });

  it('tells how many bytes tell ids apart, at least two', () => {
    const prefixLength = (...hexes: string[]) => {
      const index = new ObjectIndex(20);
      hexes.forEach((hex, i) => {
        index.add(Buffer.from(hex, 'hex'), 0, i);
      });
      sort(index);
      return index.prefixLength();
    };
    const id = (start: string) => start.padEnd(40, '0');
    expect(prefixLength()).toBe(2);
    expect(prefixLength(id('aa'))).toBe(2);
    expect(prefixLength(id('aa'), id('bb'))).toBe(2);
    expect(prefixLength(id('aabb'), id('aacc'))).toBe(2);
    expect(prefixLength(id('aabbcc'), id('aabbcd'), id('ff'))).toBe(3);
    expect(prefixLength(id('aabbcc'), id('aabbcc'))).toBe(2);
    expect(prefixLength(`${'0'.repeat(38)}01`, `${'0'.repeat(38)}02`)).toBe(20);
  });
});

function sort(index: ObjectIndex): void {
  for (const _ of index.sort());
}

/** Bytes by which sorted hex ids differ from their neighbours. */
function shortestPrefix(hexes: string[]): number {
  let length = 2;
  for (let i = 1; i < hexes.length; i++) {
    while (hexes[i]!.slice(0, 2 * length) === hexes[i - 1]!.slice(0, 2 * length)) length++;
  }
  return length;
}
