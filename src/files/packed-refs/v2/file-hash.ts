// The hash at the end of version 2: of all before it, or zeros where the writer did not care (`refs.hashPackedRefs`).

import { compareBytes } from '../../../format/bytes.ts';
import { type ObjectFormat, oidSize } from '../../../format/object-format.ts';
import { createHash } from '../../../storage/hashing.ts';
import { type ByteSource, readRange } from '../byte-source.ts';
import { badBytes } from './errors.ts';

/** What is hashed at a time, bytes. */
const PIECE_SIZE = 1 << 20;

/** The chunks of a file, and their hash. */
export function* withHash(
  chunks: Iterable<Uint8Array>,
  objectFormat: ObjectFormat,
): Generator<Uint8Array> {
  const hash = createHash(objectFormat);
  for (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
  yield hash.digest();
}

/** The chunks of a file, and zeros in the place of a hash. */
export function* withoutHash(
  chunks: Iterable<Uint8Array>,
  objectFormat: ObjectFormat,
): Generator<Uint8Array> {
  yield* chunks;
  yield new Uint8Array(oidSize(objectFormat));
}

/** Throws `CORRUPT_REF` where a hash that was written is not that of the file, which is long enough for one. */
export function verifyHash(path: string, source: ByteSource, objectFormat: ObjectFormat): void {
  const end = source.size - oidSize(objectFormat);
  const written = readRange(source, end, source.size - end);
  if (written.every((byte) => byte === 0)) return;
  const hash = createHash(objectFormat);
  const piece = new Uint8Array(Math.min(PIECE_SIZE, end));
  for (let at = 0; at < end; at += piece.length) {
    const read = piece.subarray(0, Math.min(piece.length, end - at));
    source.copy(at, read);
    hash.update(read);
  }
  if (compareBytes(hash.digest(), written) !== 0) {
    throw badBytes(path, end, 'the hash of the bytes before', 'another');
  }
}
