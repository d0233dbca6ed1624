import { describe, expect, it } from 'vitest';
import { RefError } from '../../src/errors.ts';
import {
  formatTablesList,
  MAX_LIST_SIZE,
  parseTablesList,
  tableName,
} from '../../src/stack/tables-list.ts';

const parse = (text: string) => parseTablesList(Buffer.from(text), 'reftable/tables.list');

function refusal(text: string): RefError {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof RefError) return error;
    throw error;
  }
  return expect.unreachable(`accepted ${JSON.stringify(text.slice(0, 80))}`);
}

describe('a list that writers of reftables make', () => {
  it('is its names in their order', () => {
    const names = [
      '0x000000000001-0x000000000003-5bc4b5e9.ref',
      '000000000004-000000000004-0a1b2c3d.ref', // JGit before it followed Git's names
      '0x000000000005-0x000000000005-00000000.log', // the format document's table of logs alone
      'invalid-but-plain.ref',
    ];
    expect(parse(`${names.join('\n')}\n`)).toEqual(names);
    expect(formatTablesList(names)).toEqual(Buffer.from(`${names.join('\n')}\n`));
  });

  it('may be empty', () => {
    expect(parse('')).toEqual([]);
    expect(formatTablesList([])).toHaveLength(0);
  });
});

describe('a list that is refused', () => {
  const good = tableName(1, 1, 1);

  it.each([
    ['a parent folder', '../x.ref'],
    ['a folder', 'sub/x.ref'],
    ['an absolute path', '/etc/x.ref'],
    ['a Windows path', 'sub\\x.ref'],
    ['a drive', 'c:x.ref'],
    ['a NUL', 'x\0.ref'],
    ['two dots', 'a..ref'],
    ['a hidden file', '.ref'],
    ['an empty line', ''],
    ['a carriage return', `${tableName(2, 2, 2)}\r`],
    ['white space', 'a b.ref'],
    ['bytes beyond ASCII', 'é.ref'],
    ['another suffix', 'x.txt'],
    ['the lock', 'tables.list.lock'],
  ])('names %s', (_what, name) => {
    const error = refusal(`${good}\n${name}\n`);
    expect(error).toMatchObject({ code: 'CORRUPT_LIST', file: 'reftable/tables.list' });
    expect(error.message).toMatch(/^reftable\/tables\.list: line 2: expected the name of a table/);
  });

  it('names a table twice', () => {
    expect(refusal(`${good}\n${tableName(2, 2, 2)}\n${good}\n`).message).toMatch(
      /line 3: expected each table once, found "0x000000000001-/,
    );
  });

  it('ends in the middle of a line, as a torn write does', () => {
    expect(refusal(`${good}\n${good.slice(0, 20)}`).message).toMatch(/line 2: expected a newline/);
    expect(refusal('\0'.repeat(4096)).code).toBe('CORRUPT_LIST');
  });

  it('is larger than any list, without being read on', () => {
    const newlines = new Uint8Array(MAX_LIST_SIZE + 1).fill(0x0a);
    expect(() => parseTablesList(newlines, 'f')).toThrow(/at most 16777216 bytes/);
    const started = performance.now();
    expect(() => parseTablesList(newlines.subarray(1), 'f')).toThrow(/line 1/);
    expect(performance.now() - started).toBeLessThan(100);
  });

  it('does not spill into the message', () => {
    expect(refusal('x'.repeat(100_000)).message.length).toBeLessThan(200);
  });
});

describe('the name of a new table', () => {
  it('is made as Git makes it', () => {
    expect(tableName(1, 0xabc, 0x12)).toBe('0x000000000001-0x000000000abc-00000012.ref');
    expect(tableName(2 ** 53 - 1, 2 ** 53 - 1, 0xffffffff)).toBe(
      '0x1fffffffffffff-0x1fffffffffffff-ffffffff.ref',
    );
  });
});
