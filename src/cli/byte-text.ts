// Byte text: a string with one character (U+0000 to U+00FF) for each byte, so that it compares, cuts and
// matches as Git's bytes do, whatever they encode.

import { decodeText, encodeText } from '../format/text.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what it looks for
const ASCII = /^[\x00-\x7f]*$/;

/** The bytes of a text (as `decodeText` gives it) as byte text. */
export function toByteText(text: string): string {
  if (ASCII.test(text)) return text;
  const bytes = encodeText(text);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

/** The text that byte text encodes; the inverse of `toByteText`. */
export function fromByteText(byteText: string): string {
  return ASCII.test(byteText) ? byteText : decodeText(Buffer.from(byteText, 'latin1'));
}

/** Orders byte texts by their bytes. */
export function compareByteText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** In lower case as Git has it: ASCII letters only. */
export function toLowerAscii(byteText: string): string {
  return byteText.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
