// zlib in a browser, which has none that works at once.

import { deflate, Inflate } from 'pako';
import type { Compression } from '../../format/compression.ts';

export const pakoCompression: Compression = {
  deflate: (bytes) => deflate(bytes),

  inflate(bytes, limit) {
    const stream = new Inflate({ chunkSize: limit + 1 });
    stream.push(bytes);
    const { ended, err, msg, result } = stream;
    if (err !== 0) throw new Error(msg || 'the stream is damaged');
    if (!ended || !(result instanceof Uint8Array)) throw new Error('the stream is cut short');
    if (result.length > limit) throw new Error('the stream is longer than expected');
    // biome-ignore lint/complexity/useLiteralKeys: there is no public way to ask how much was taken.
    return { bytes: result, consumed: stream['strm'].total_in };
  },
};
