import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/format/crc32.ts';
import {
  decodeFooter,
  decodeHeader,
  encodeFooter,
  footerSize,
  headerSize,
  isOid,
  oidSize,
  ReftableFormatError,
  type TableHeader,
  writeHeader,
  zeroOid,
} from '../../src/format/index.ts';

const index = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const header: fc.Arbitrary<TableHeader> = fc.record({
  version: fc.constantFrom(1, 2),
  objectFormat: fc.constant('sha1'),
  blockSize: fc.integer({ min: 0, max: 0xffffff }),
  minUpdateIndex: index,
  maxUpdateIndex: index,
});
const sha256: TableHeader = {
  version: 2,
  objectFormat: 'sha256',
  blockSize: 4096,
  minUpdateIndex: 1,
  maxUpdateIndex: 2 ** 33,
};

describe('the header', () => {
  it('has the layout of the format', () => {
    expect(headerBytes(sha256).toString('hex')).toBe(
      ['52454654', '02', '001000', '0000000000000001', '0000000200000000', '73323536'].join(''),
    );
    const sha1: TableHeader = { ...sha256, version: 1, objectFormat: 'sha1' };
    expect(headerBytes(sha1).toString('hex')).toBe(
      ['52454654', '01', '001000', '0000000000000001', '0000000200000000'].join(''),
    );
  });

  it('survives writing and reading', () => {
    fc.assert(
      fc.property(header, (drawn) => {
        expect(decodeHeader(headerBytes(drawn), 'test.ref')).toEqual(drawn);
      }),
    );
    expect(decodeHeader(headerBytes(sha256), 'test.ref')).toEqual(sha256);
  });

  it('is refused at whatever byte it is cut', () => {
    const bytes = headerBytes(sha256);
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeHeader(bytes.subarray(0, length), 'test.ref')).toThrow(
        ReftableFormatError,
      );
    }
  });
});

describe('the footer', () => {
  const offset = fc.integer({ min: 0, max: 2 ** 48 - 2 });

  it('survives writing and reading, with offsets beyond 4 GiB', () => {
    const footer = fc.record({
      refIndexOffset: offset,
      objectOffset: offset,
      objectIdLength: fc.integer({ min: 1, max: 20 }),
      objectIndexOffset: offset,
      logOffset: offset,
      logIndexOffset: offset,
    });
    fc.assert(
      fc.property(header, footer, (drawnHeader, drawn) => {
        const bytes = encodeFooter(drawnHeader, drawn);
        expect(bytes.length).toBe(footerSize(drawnHeader.version));
        const start = headerBytes(drawnHeader);
        expect(decodeFooter(bytes, drawnHeader, start, 'test.ref', 2 ** 48 - 1)).toEqual(drawn);
      }),
    );
  });

  it('is refused with any bit of it changed', () => {
    const footer = {
      refIndexOffset: 10,
      objectOffset: 20,
      objectIdLength: 2,
      objectIndexOffset: 30,
      logOffset: 40,
      logIndexOffset: 50,
    };
    const bytes = encodeFooter(sha256, footer);
    const start = headerBytes(sha256);
    expect(decodeFooter(bytes, sha256, start, 'test.ref', 51)).toEqual(footer);
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const changed = bytes.slice();
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => decodeFooter(changed, sha256, start, 'test.ref', 51)).toThrow(
        ReftableFormatError,
      );
    }
  });
});

describe('CRC-32', () => {
  it.each([
    ['', 0],
    ['123456789', 0xcbf43926],
    ['The quick brown fox jumps over the lazy dog', 0x414fa339],
    ['\0\0\0\0', 0x2144df1c],
  ])('of %j is known', (text, crc) => {
    const bytes = Buffer.from(`<${text}>`);
    expect(crc32(bytes, 1, bytes.length - 1)).toBe(crc);
  });
});

describe('object ids', () => {
  it('have the length of their hash function', () => {
    expect([oidSize('sha1'), oidSize('sha256')]).toEqual([20, 32]);
    expect(zeroOid('sha1')).toBe('0'.repeat(40));
    expect(zeroOid('sha256')).toBe('0'.repeat(64));
  });

  it('are so many hex digits and nothing else', () => {
    expect(isOid('0123456789abcdefABCD'.repeat(2), 'sha1')).toBe(true);
    expect(isOid('a'.repeat(64), 'sha256')).toBe(true);
    for (const wrong of ['', 'a'.repeat(39), 'a'.repeat(41), 'g'.repeat(40), 'é'.repeat(40)]) {
      expect(isOid(wrong, 'sha1')).toBe(false);
    }
  });
});

function headerBytes(drawn: TableHeader): Buffer {
  const bytes = Buffer.alloc(headerSize(drawn.version));
  writeHeader(bytes, drawn);
  return bytes;
}
