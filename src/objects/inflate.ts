// The zlib streams of objects, of which the sizes are known before: parts of files, with more behind them.

import { zlib } from '../storage/zlib.ts';

/** Larger objects are not taken into memory; bytes. */
export const MAX_CONTENT_SIZE = 2 ** 30;

/** So many bytes of a stream are enough for `inflateStart`: the codes of a deflated block may stand in front. */
export const START_SIZE = 512;

/** What comes out of the first bytes of a stream, at least as much as a header takes. Throws where it is none. */
export function inflateStart(deflated: Uint8Array): Uint8Array {
  const { constants, inflateSync } = zlib();
  return inflateSync(deflated.subarray(0, START_SIZE), {
    finishFlush: constants.Z_SYNC_FLUSH,
    chunkSize: 2 * START_SIZE,
  });
}

/** The `size` bytes that come out of the stream at the start of `deflated`. Throws where they do not. */
export function inflateExactly(deflated: Uint8Array, size: number): Uint8Array {
  const bytes = zlib().inflateSync(deflated, { maxOutputLength: Math.max(size, 1) });
  if (bytes.length !== size) throw new Error(`${bytes.length} bytes instead of ${size}`);
  return bytes;
}

/** An upper bound for the length of a stream that `size` bytes come out of, however they were deflated. */
export function deflatedBound(size: number): number {
  return size + Math.ceil(size / 8) + Math.ceil(size / 64) + 64;
}
