import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareText, decodeText, encodeText } from '../../src/format/index.ts';

/** Bytes that come close to UTF-8 often. */
const bytes = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 3 }).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 4 }),
      fc.constantFrom(
        Buffer.from([0xed, 0xa0, 0x80]), // a surrogate
        Buffer.from([0xc0, 0x80]), // NUL, too long
        Buffer.from([0xf4, 0x90, 0x80, 0x80]), // beyond U+10FFFF
        Buffer.from([0xf0, 0x9f, 0x98]), // cut
        Buffer.from([0xef, 0xbb, 0xbf]), // a byte order mark
      ),
    ),
    { maxLength: 6 },
  )
  .map((parts) => Buffer.concat(parts));

describe('text', () => {
  it('keeps any bytes', () => {
    fc.assert(
      fc.property(bytes, (drawn) => {
        expect(Buffer.from(encodeText(decodeText(drawn)))).toEqual(drawn);
      }),
      { numRuns: 3000 },
    );
  });

  it('is what other decoders say where the bytes are UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const utf8 = Buffer.from(text);
        expect(decodeText(utf8)).toBe(text);
        expect(Buffer.from(encodeText(text))).toEqual(utf8);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['ff', '\udcff'],
    ['61e962', 'a\udce9b'],
    ['c3a9e9', 'é\udce9'],
    ['eda080', '\udced\udca0\udc80'],
    ['f09f9880f09f98', '\u{1f600}\udcf0\udc9f\udc98'],
    ['efbbbf61', '\ufeffa'],
  ])('shows the bytes %s that are not UTF-8 one by one', (hex, text) => {
    expect(decodeText(Buffer.from(hex, 'hex'))).toBe(text);
    expect(Buffer.from(encodeText(text)).toString('hex')).toBe(hex);
  });

  it('is decoded from a stretch of bytes', () => {
    expect(decodeText(Buffer.from('héllo'), 1, 3)).toBe('é');
  });

  it('takes time in proportion to its bytes, whatever they are', () => {
    const drawn = Buffer.alloc(1 << 20, 0x80);
    const start = performance.now();
    expect(decodeText(drawn).length).toBe(1 << 20);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

describe('the order of texts', () => {
  it('is that of their bytes', () => {
    fc.assert(
      fc.property(bytes, bytes, bytes, (start, a, b) => {
        const [x, y] = [Buffer.concat([start, a]), Buffer.concat([start, b])];
        const order = Math.sign(Buffer.compare(x, y));
        expect(Math.sign(compareText(decodeText(x), decodeText(y)))).toBe(order);
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    ['\u{ff5e}', '\u{1f600}'],
    ['\ud7ff', '\u{1f600}'],
    ['z', '\u{1f600}'],
    ['a', 'a\0'],
    ['\udc80', 'é'],
    ['é', '\udcff'],
    ['~', '\udc80'],
    ['\u{1f600}', '\u{1f601}'],
    ['', 'a'],
  ])('puts %j before %j', (a, b) => {
    expect(compareText(a, b)).toBeLessThan(0);
    expect(compareText(b, a)).toBeGreaterThan(0);
    expect(compareText(a, a)).toBe(0);
  });
});
