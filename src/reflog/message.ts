// The message of a reflog entry, as Git stores it in a reftable.

import { decodeText, encodeText } from '../format/text.ts';

/**
 * What Git stores of a reflog message in a table of this block size (bytes; 0 means the default of
 * 4096), without the final newline, which the table writer adds.
 *
 * A message ends at its first NUL. Each run of spaces, tabs, newlines and carriage returns becomes one
 * space, none at either end. What is left is cut to half the block size in bytes, so that a record
 * fits a block; the cut may fall inside a UTF-8 sequence (its bytes come back as lone surrogates, see
 * `decodeText`) or leave a space at the end.
 */
export function normalizeReflogMessage(message: string, blockSize: number): string {
  const end = message.indexOf('\0');
  const folded = (end === -1 ? message : message.slice(0, end))
    .replace(/[ \t\n\r]+/g, ' ')
    .replace(/^ | $/g, '');
  const limit = Math.floor((blockSize || 4096) / 2);
  // A UTF-16 unit is at most three bytes: nearly every message is known to fit without encoding it.
  if (folded.length * 3 <= limit) return folded;
  const bytes = encodeText(folded);
  return bytes.length <= limit ? folded : decodeText(bytes, 0, limit);
}
