// Names in double quotes with C's escapes, as Git's plumbing writes and reads them.

import { decodeText, encodeText } from '../format/text.ts';

const ESCAPES: Readonly<Record<string, number>> = {
  a: 0x07,
  b: 0x08,
  t: 0x09,
  n: 0x0a,
  v: 0x0b,
  f: 0x0c,
  r: 0x0d,
  '"': 0x22,
  '\\': 0x5c,
};

/**
 * Reads the quoted text that starts at `start`, which stands at its first quote: what it says and
 * where its last quote stands. `undefined` if it is not quoted as it should be.
 */
export function unquote(
  text: string,
  start: number,
): { value: string; closingQuote: number } | undefined {
  const bytes: number[] = [];
  for (let i = start + 1; i < text.length; i++) {
    const character = text[i]!;
    if (character === '"') {
      return { value: decodeText(Uint8Array.from(bytes)), closingQuote: i };
    }
    if (character !== '\\') {
      const end = literalEnd(text, i);
      bytes.push(...encodeText(text.slice(i, end)));
      i = end - 1;
      continue;
    }
    const escaped = text[++i] ?? '';
    const octal = /^[0-3][0-7]{2}/.exec(text.slice(i, i + 3))?.[0];
    const byte = octal === undefined ? ESCAPES[escaped] : Number.parseInt(octal, 8);
    if (byte === undefined) return undefined;
    bytes.push(byte);
    if (octal !== undefined) i += 2;
  }
  return undefined;
}

/** Where the run of characters that starts at `start` and stands for itself ends. */
function literalEnd(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && text[end] !== '"' && text[end] !== '\\') end++;
  return end;
}
