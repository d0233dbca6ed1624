// Padding text to a width in columns, as a terminal shows it. Text is byte text.

import { fromByteText } from '../byte-text.ts';
import { die } from '../failure.ts';

export interface Alignment {
  position: 'left' | 'middle' | 'right';
  /** Columns. */
  width: number;
}

/** What takes no column: marks that sit on the character before, and what has no shape. */
const NO_COLUMN = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]$/u;

/** What takes two columns: East Asian wide characters, and most pictures. */
const TWO_COLUMNS =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]$/u;

/** Reads what stands behind `align:`; dies in Git's words if it is not an alignment. */
export function parseAlignment(argument: string | undefined): Alignment {
  if (argument === undefined) die('expected format: %(align:<width>,<position>)');
  let position: Alignment['position'] = 'left';
  let width: number | undefined;
  for (const part of argument.split(',')) {
    if (part.startsWith('position=')) {
      const name = part.slice('position='.length);
      if (!isPosition(name)) die(`unrecognized position:${name}`);
      position = name;
    } else if (part.startsWith('width=')) {
      const digits = part.slice('width='.length);
      width = parseWidth(digits);
      if (width === undefined) die(`unrecognized width:${digits}`);
    } else if (parseWidth(part) !== undefined) {
      width = parseWidth(part);
    } else if (isPosition(part)) {
      position = part;
    } else {
      die(`unrecognized %(align) argument: ${part}`);
    }
  }
  if (width === undefined) die('positive width expected with the %(align) atom');
  return { position, width };
}

function isPosition(name: string): name is Alignment['position'] {
  return name === 'left' || name === 'middle' || name === 'right';
}

function parseWidth(digits: string): number | undefined {
  return /^[ \t\n\v\f\r]*\+?\d+$/.test(digits) && Number(digits) < 2 ** 32
    ? Number(digits)
    : undefined;
}

/** The text with spaces around it, as it is where it is wider. */
export function align(byteText: string, { position, width }: Alignment): string {
  const missing = width - columnsOf(byteText);
  if (missing <= 0) return byteText;
  if (position === 'left') return byteText + ' '.repeat(missing);
  if (position === 'right') return ' '.repeat(missing) + byteText;
  const left = missing >> 1;
  return ' '.repeat(left) + byteText + ' '.repeat(missing - left);
}

function columnsOf(byteText: string): number {
  const text = fromByteText(byteText);
  // What is not UTF-8 is counted by its bytes.
  if (/[\udc80-\udcff](?<![\ud800-\udbff].)/.test(text)) return byteText.length;
  let columns = 0;
  for (const character of text) {
    if (!NO_COLUMN.test(character)) columns += TWO_COLUMNS.test(character) ? 2 : 1;
  }
  return columns;
}
