// zlib as Node has it, at the level that Git deflates its log blocks with.

import { deflateSync, inflateSync } from 'node:zlib';
import type { Compression } from '../format/compression.ts';

/** Git's `Z_BEST_COMPRESSION`. */
const LEVEL = 9;

/**
 * The output buffer, bytes: large enough to hold the result in one piece, for a second piece costs an
 * allocation and a copy of both; never as large as a damaged length could make it.
 */
function chunkSize(resultSize: number): number {
  return Math.min(Math.max(resultSize, 64), 64 * 1024);
}

/** zlib's own bound on the size of a deflated block, bytes. */
function deflateBound(size: number): number {
  return size + (size >> 12) + (size >> 14) + (size >> 25) + 13;
}

/**
 * A window that holds a usual block, and tables to match: zlib's default ones are for 32 KiB, and making
 * and clearing them costs as much as deflating 4 KiB does.
 */
const SMALL_BLOCK = { size: 1 << 13, options: { windowBits: 13, memLevel: 7 } };

/** Node's zlib. */
export const nodeCompression: Compression = {
  deflate: (bytes) =>
    deflateSync(bytes, {
      level: LEVEL,
      chunkSize: chunkSize(deflateBound(bytes.length)),
      ...(bytes.length <= SMALL_BLOCK.size ? SMALL_BLOCK.options : {}),
    }),

  inflate(bytes, limit) {
    // One byte more than the limit: a buffer that is filled to the brim makes zlib ask for another.
    const options = { info: true, maxOutputLength: limit, chunkSize: chunkSize(limit + 1) };
    const { buffer, engine } = inflateSync(bytes, options) as unknown as {
      buffer: Uint8Array;
      engine: { bytesWritten: number };
    };
    return { bytes: buffer, consumed: engine.bytesWritten };
  },
};
