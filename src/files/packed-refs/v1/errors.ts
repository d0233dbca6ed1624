// What is wrong with a line of `packed-refs`, in Git's words.

import { RefError } from '../../../errors.ts';
import { decodeText } from '../../../format/text.ts';
import { type ByteSource, indexOfByte, readRange } from '../byte-source.ts';

const NUL = 0x00;
const LF = 0x0a;

/** Of a line that is longer than the first only so much is shown as the second says, bytes. */
const LONG_LINE = 80;
const SHOWN_OF_LONG = 75;

/** `CORRUPT_REF`: the line at `at` is none that may stand there. `end` is where the records end. */
export function unexpectedLine(
  path: string,
  source: ByteSource,
  at: number,
  end: number,
): RefError {
  const lineEnd = indexOfByte(source, LF, at, end);
  return lineEnd < 0
    ? badLine(path, 'unterminated', source, at, end)
    : badLine(path, 'unexpected', source, at, lineEnd);
}

function badLine(
  path: string,
  what: 'unterminated' | 'unexpected',
  source: ByteSource,
  at: number,
  end: number,
): RefError {
  const isLong = end - at >= LONG_LINE;
  const line = readRange(source, at, isLong ? SHOWN_OF_LONG : end - at);
  const nul = line.indexOf(NUL);
  const shown = decodeText(nul < 0 ? line : line.subarray(0, nul));
  const message = `${what} line in ${path}: ${shown}${isLong ? '...' : ''}`;
  return new RefError('CORRUPT_REF', message, { file: path });
}
