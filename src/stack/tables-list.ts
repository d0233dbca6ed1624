// `tables.list`: the names of a stack's tables, oldest first, one a line.
//
//   0x000000000001-0x000000000004-2f8e1d5c.ref LF
//   0x000000000005-0x000000000005-91b0c3aa.ref LF
//     min index      max index    random
//
// The file says which files are opened, so it is trusted no further than a table is: a line that is not
// the plain name of a table is refused, whoever wrote it.

import { RefError } from '../errors.ts';

/** Larger than any list in use: at 43 bytes a name, 390,000 tables. */
export const MAX_LIST_SIZE = 16 * 1024 * 1024;

/**
 * A file name of a reftable stack. Git and JGit write `.ref`; the format document also has `.log`, for
 * tables of logs alone. What comes before is up to the writer, within one folder and printable.
 */
const TABLE_NAME = /^[0-9A-Za-z_+-][0-9A-Za-z_+.-]*\.(?:ref|log)$/;

export function isTableName(name: string): boolean {
  return TABLE_NAME.test(name) && !name.includes('..');
}

/**
 * The names in a list. `file` is for messages. Throws `CORRUPT_LIST` with the file, the line and what
 * was expected there.
 */
export function parseTablesList(bytes: Uint8Array, file: string): string[] {
  if (bytes.length > MAX_LIST_SIZE) {
    throw new RefError(
      'CORRUPT_LIST',
      `${file}: expected at most ${MAX_LIST_SIZE} bytes, found ${bytes.length}`,
      { file },
    );
  }
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  const names: string[] = [];
  const seen = new Set<string>();
  // One line at a time: the first bad one ends the reading, however many there are.
  for (let start = 0, end: number; start < text.length; start = end + 1) {
    end = text.indexOf('\n', start);
    const name = text.slice(start, end < 0 ? undefined : end);
    const refuse = (expected: string) => {
      const place = `${file}: line ${names.length + 1}`;
      const message = `${place}: expected ${expected}, found ${quote(name)}`;
      return new RefError('CORRUPT_LIST', message, { file });
    };
    if (end < 0) throw refuse('a newline after the last name');
    if (!isTableName(name)) throw refuse('the name of a table in this folder');
    if (seen.has(name)) throw refuse('each table once');
    seen.add(name);
    names.push(name);
  }
  return names;
}

/** The bytes of a list. */
export function formatTablesList(names: readonly string[]): Uint8Array {
  return Buffer.from(names.map((name) => `${name}\n`).join(''), 'latin1');
}

/** The name of a new table: its update indexes, and 32 random bits so that no name returns. */
export function tableName(
  minUpdateIndex: number,
  maxUpdateIndex: number,
  random32 = Math.floor(Math.random() * 2 ** 32),
): string {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
  return `0x${hex(minUpdateIndex, 12)}-0x${hex(maxUpdateIndex, 12)}-${hex(random32, 8)}.ref`;
}

/** A damaged line for a message: escaped, and not at full length. */
function quote(line: string): string {
  return JSON.stringify(line.length > 80 ? `${line.slice(0, 80)}…` : line);
}
