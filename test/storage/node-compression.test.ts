import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { nodeCompression } from '../../src/storage/node-compression.ts';

const text = Buffer.from('refs/heads/main moved, and moved, and moved again\n'.repeat(200));

describe('deflate', () => {
  it('gives what zlib gives at its best level, as Git does', () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('x'), text, randomBytes(100_000)]) {
      expect(Buffer.from(nodeCompression.deflate(bytes))).toEqual(deflateSync(bytes, { level: 9 }));
    }
  });
});

describe('inflate', () => {
  it('stops at the end of the stream and tells where that is', () => {
    for (const bytes of [text, randomBytes(100_000), Buffer.alloc(300_000)]) {
      const deflated = nodeCompression.deflate(bytes);
      const followed = Buffer.concat([deflated, Buffer.from('x\x9cthe next block')]);
      const { bytes: inflated, consumed } = nodeCompression.inflate(followed, bytes.length);
      expect(Buffer.from(inflated).equals(bytes)).toBe(true);
      expect(consumed).toBe(deflated.length);
    }
  });

  it('keeps no more memory than the result needs', () => {
    const { bytes } = nodeCompression.inflate(nodeCompression.deflate(text), text.length);
    expect(bytes.buffer.byteLength).toBeLessThanOrEqual(text.length + 8);
  });

  it('refuses a stream that would inflate beyond the limit, without inflating it', () => {
    const bomb = nodeCompression.deflate(Buffer.alloc(50_000_000));
    expect(() => nodeCompression.inflate(bomb, 4096)).toThrow(/larger than 4096/);
    expect(() => nodeCompression.inflate(nodeCompression.deflate(text), text.length - 1)).toThrow();
  });

  it('refuses a stream that is cut short, damaged, or none', () => {
    const deflated = nodeCompression.deflate(text);
    expect(() => nodeCompression.inflate(deflated.subarray(0, -1), text.length)).toThrow();
    expect(() => nodeCompression.inflate(new Uint8Array(0), text.length)).toThrow();
    expect(() => nodeCompression.inflate(Buffer.from('no zlib stream'), text.length)).toThrow();
    const damaged = Buffer.from(deflated);
    damaged[damaged.length - 1]! ^= 1;
    expect(() => nodeCompression.inflate(damaged, text.length)).toThrow();
  });
});
