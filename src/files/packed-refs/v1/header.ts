// The first line of `packed-refs` version 1, if it has one:
//
//   # pack-refs with: peeled fully-peeled sorted
//
// What follows the colon are traits, each a promise about the records.

import { decodeText, encodeText } from '../../../format/text.ts';
import { type ByteSource, indexOfByte, readRange } from '../byte-source.ts';
import { unexpectedLine } from './errors.ts';

const LF = 0x0a;
const HASH_SIGN = 0x23;
const PREFIX = '# pack-refs with: ';

/** The longest header that is read, bytes. */
const MAX_HEADER_SIZE = 1 << 12;

/** Git's own, the blank at its end included: old ones look for traits with a blank on either side. */
export const HEADER = encodeText(`${PREFIX}peeled fully-peeled sorted \n`);

/** Of which refs a missing peeled line says that there is nothing to peel. */
export type Peeling = 'none' | 'tags' | 'all';

export interface Header {
  /** Where the records begin. */
  readonly end: number;
  readonly isSorted: boolean;
  readonly peeling: Peeling;
}

/** Throws `CORRUPT_REF`. */
export function readHeader(path: string, source: ByteSource): Header {
  if (source.page(0).bytes[0] !== HASH_SIGN) return { end: 0, isSorted: false, peeling: 'none' };
  const lineEnd = indexOfByte(source, LF, 0, source.size);
  if (lineEnd < 0 || lineEnd > MAX_HEADER_SIZE) throw unexpectedLine(path, source, 0, source.size);
  const line = decodeText(readRange(source, 0, lineEnd));
  if (!line.startsWith(PREFIX)) throw unexpectedLine(path, source, 0, source.size);
  const traits = line.slice(PREFIX.length).split('\0', 1)[0]!.split(' ');
  return {
    end: lineEnd + 1,
    isSorted: traits.includes('sorted'),
    peeling: traits.includes('fully-peeled') ? 'all' : traits.includes('peeled') ? 'tags' : 'none',
  };
}

/** Whether a record of this name without a peeled line is of nothing that could be peeled. */
export function peels(peeling: Peeling, name: string): boolean {
  return peeling === 'all' || (peeling === 'tags' && name.startsWith('refs/tags/'));
}
