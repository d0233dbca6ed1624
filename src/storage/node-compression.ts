// zlib as Node has it, at the level that Git deflates its log blocks with.

import type { Compression } from '../format/compression.ts';
import { zlib } from './zlib.ts';

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
 * For a usual block: a window that holds it, and tables to match. zlib's default ones are for 32 KiB, and
 * making and clearing them costs as much as deflating 4 KiB does. The output comes in pieces so small that
 * Node cuts them from a pool.
 */
const SMALL_BLOCK_SIZE = 1 << 13;
const SMALL_BLOCK = { level: LEVEL, windowBits: 13, memLevel: 7, chunkSize: 1 << 10 };

/** A zlib stream's first two bytes for the largest window and this level, as Git's streams have them. */
const HEADER = [0x78, 0xda] as const;

/** Node's zlib. */
export const nodeCompression: Compression = {
  deflate(bytes) {
    if (bytes.length > SMALL_BLOCK_SIZE) {
      return zlib().deflateSync(bytes, {
        level: LEVEL,
        chunkSize: chunkSize(deflateBound(bytes.length)),
      });
    }
    const deflated = zlib().deflateSync(bytes, SMALL_BLOCK);
    // What was made with a small window can be read with any larger one.
    [deflated[0], deflated[1]] = HEADER;
    return deflated;
  },

  inflate(bytes, limit) {
    // One byte more than the limit: a buffer that is filled to the brim makes zlib ask for another.
    const options = { info: true, maxOutputLength: limit, chunkSize: chunkSize(limit + 1) };
    const { buffer, engine } = zlib().inflateSync(bytes, options) as unknown as {
      buffer: Uint8Array;
      engine: { bytesWritten: number };
    };
    return { bytes: buffer, consumed: engine.bytesWritten };
  },
};
