import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader } from '../../src/format/byte-reader.ts';
import { ReftableFormatError } from '../../src/format/index.ts';
import { MAX_VARINT_LENGTH, varintLength, writeVarint } from '../../src/format/varint.ts';

const number = fc.oneof(
  fc.nat(20_000),
  fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  // Around the powers of two, where an encoding gets longer.
  fc
    .tuple(fc.nat(53), fc.integer({ min: -2, max: 300 }))
    .map(([power, more]) => Math.min(Math.max(0, 2 ** power + more), Number.MAX_SAFE_INTEGER)),
);

describe('variable-length integers', () => {
  it.each([
    [0, '00'],
    [127, '7f'],
    [128, '8000'],
    [16_511, 'ff7f'],
    [16_512, '808000'],
    [2 ** 32, '8efefeff00'],
    [Number.MAX_SAFE_INTEGER, '8efefefefefefe7f'],
  ])('%i is %s', (value, hex) => {
    expect(encoded(value).toString('hex')).toBe(hex);
    expect(read(Buffer.from(hex, 'hex'))).toBe(value);
  });

  it('survive writing and reading, and their bytes sort as they do where equally long', () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        const bytes = encoded(a);
        expect(read(bytes)).toBe(a);
        expect(bytes.length).toBe(varintLength(a));
        expect(bytes.length).toBeLessThanOrEqual(MAX_VARINT_LENGTH);
        const other = encoded(b);
        if (bytes.length === other.length) {
          expect(Math.sign(Buffer.compare(bytes, other))).toBe(Math.sign(a - b));
        } else {
          expect(bytes.length < other.length).toBe(a < b);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['2^53', '8efefefefefeff00'],
    ['2^53-1 that goes on', '8efefefefefefe80'],
    ['2^53-1 that goes on, and ends', '8efefefefefefeff00'],
    ['2^64', `${'ff'.repeat(9)}7f`],
    ['one that never ends', 'ff'.repeat(400)],
  ])('%s is refused', (_, hex) => {
    expect(() => read(Buffer.from(hex, 'hex'))).toThrow(ReftableFormatError);
  });

  it('are refused where they are cut', () => {
    for (const value of [128, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
      const bytes = encoded(value);
      for (let length = 0; length < bytes.length; length++) {
        expect(() => read(bytes.subarray(0, length))).toThrow(
          `test.ref: at byte ${1000 + length}: expected a number, found the end`,
        );
      }
    }
  });
});

function encoded(value: number): Buffer {
  const bytes = Buffer.alloc(16);
  return bytes.subarray(0, writeVarint(bytes, 0, value));
}

function read(bytes: Uint8Array): number {
  const reader = new ByteReader();
  reader.bytes = bytes;
  reader.end = bytes.length;
  reader.file = 'test.ref';
  reader.origin = 1000;
  return reader.varint('a number');
}
