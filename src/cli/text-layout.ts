// How the commands for people lay out what they print: columns, numbers, bars, emphasis.

import { stdoutIsTerminal } from './terminal.ts';

/** A column of cells: numbers are set flush right. */
export type Alignment = 'left' | 'right';

/**
 * Lays rows out in columns, two spaces apart, as lines with their line feed. The last column is never
 * padded.
 */
export function columns(
  rows: readonly (readonly string[])[],
  alignments: readonly Alignment[],
  indent = '',
): string {
  const widths = alignments.map((_, column) =>
    Math.max(0, ...rows.map((row) => visibleLength(row[column] ?? ''))),
  );
  return rows
    .map((row) => {
      const cells = row.map((cell, column) => {
        const padding = ' '.repeat(widths[column]! - visibleLength(cell));
        return alignments[column] === 'right' ? padding + cell : cell + padding;
      });
      return `${indent}${cells.join('  ').trimEnd()}\n`;
    })
    .join('');
}

function visibleLength(text: string): number {
  return text.replaceAll(ESCAPE_SEQUENCE, '').length;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences that `bold` and `dim` write
const ESCAPE_SEQUENCE = /\x1b\[\d*m/g;

let emphasizes: boolean | undefined;

/** Emphasis is for terminals, and for those who have not said no (https://no-color.org). */
function emphasize(text: string, code: number): string {
  emphasizes ??= stdoutIsTerminal() && !process.env.NO_COLOR;
  return emphasizes ? `\x1b[${code}m${text}\x1b[m` : text;
}

export function bold(text: string): string {
  return emphasize(text, 1);
}

export function dim(text: string): string {
  return emphasize(text, 2);
}

/** A whole number with its thousands set apart: `1,234,567`. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `1 table`, `2 tables`. */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Bytes in a unit that leaves up to three digits before the point: `27.4 MB`. */
export function formatSize(bytes: number): string {
  let size = bytes;
  let unit = 'B';
  for (const larger of ['kB', 'MB', 'GB', 'TB']) {
    if (size < 999.5) break;
    size /= 1000;
    unit = larger;
  }
  return `${unit === 'B' || size >= 99.95 ? Math.round(size) : size.toFixed(1)} ${unit}`;
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar of `share` (0 to 1) of `width` characters, drawn in eighths; something shows of any share. */
export function bar(share: number, width: number): string {
  const eighths = Math.max(share > 0 ? 1 : 0, Math.round(share * width * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}

/** Text from a table for a terminal: control characters, which could steer it, are spelled out. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
  return text.replace(/[\x00-\x1f\x7f-\x9f]/g, (character) => {
    const short = { '\t': '\\t', '\n': '\\n', '\r': '\\r' }[character];
    return short ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
}
