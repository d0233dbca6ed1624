// Tables whose header, footer, blocks or deflated parts are not what the format says.

import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  editLogBlock,
  expectRefused,
  footer,
  footerStart,
  large,
  patch,
  patchFooter,
  patchHeader,
  readEverything,
  small,
  splice,
} from './damage.ts';
import { manyRefs, writeTable } from './tables.ts';

const sha256 = writeTable({ refs: manyRefs(10, 64) }, { objectFormat: 'sha256' });
/** The only block's length, and so where it ends. */
const END = small.readUIntBE(25, 3);
const LOGS = footer.logOffset;
const fields = footerStart(large) + 24;

describe('the tables that are damaged here', () => {
  it('are sound otherwise', () => {
    for (const table of [small, large, sha256]) expect(readEverything(table)).toEqual([]);
  });
});

describe('a damaged header', () => {
  it.each<[string, Buffer, number, RegExp]>([
    ['no bytes', Buffer.alloc(0), 0, /a table header, found the end/],
    ['zeros', Buffer.alloc(5000), 0, /the magic 'REFT', found 0x00000000/],
    ['another magic', patchHeader(small, 0, [0x54]), 0, /the magic 'REFT', found 0x54454654/],
    ['version 0', patch(small, 4, [0]), 4, /version 1 or 2, found 0/],
    ['version 3', patch(small, 4, [3]), 4, /version 1 or 2, found 3/],
    ['another hash id', patchHeader(sha256, 24, [1, 2, 3, 4]), 24, /hash id .*, found 0x01020304/],
    ['update index 2^53', patchHeader(small, 8, [0, 0x20]), 8, /an update index below 2\^53/],
    ['update index 2^64-1', patchHeader(small, 16, Array(8).fill(255)), 16, /below 2\^53/],
    ['no footer behind it', small.subarray(0, 60), 60, /a footer of 68 bytes/],
  ])('%s', (_, table, offset, expected) => expectRefused(table, offset, expected));
});

describe('a damaged footer', () => {
  const end = footerStart(large);
  const objects = footer.objectOffset * 32;
  it.each<[string, Buffer, number, RegExp]>([
    [
      'another CRC',
      patch(large, end + 65, [large[end + 65]! ^ 1]),
      end + 64,
      /the CRC-32 [0-9a-f]+/,
    ],
    ['another header', patch(large, 15, [9]), end + 15, /a footer that begins with the header/],
    ['the refs’ index', patchFooter(large, 'refIndex', end), fields, /a ref index before/],
    [
      'objects',
      patchFooter(large, 'objects', end * 32 + 2),
      fields + 8,
      /an object section before/,
    ],
    ['their index', patchFooter(large, 'objectIndex', 2n ** 63n), fields + 16, /one beyond 2\^53/],
    ['logs', patchFooter(large, 'logs', end), fields + 24, /a log section before/],
    ['their index', patchFooter(large, 'logIndex', end + 1), fields + 32, /a log index before/],
    [
      'ids of 0 bytes',
      patchFooter(large, 'objects', objects),
      fields + 15,
      /length of 1 to 20, found 0/,
    ],
    [
      'of 21',
      patchFooter(large, 'objects', objects + 21),
      fields + 15,
      /length of 1 to 20, found 21/,
    ],
    ['logs at refs', patchFooter(large, 'logs', 256), 256, /a block of type 'g', found 'r'/],
    [
      'an index at refs',
      patchFooter(large, 'refIndex', 256),
      256,
      /a block of type 'i', found 'r'/,
    ],
    [
      'the refs’ index at the objects’',
      patchFooter(large, 'refIndex', footer.objectIndexOffset),
      -1,
      /a block of type 'r', found 'o'/,
    ],
    [
      'the objects’ index at the refs’',
      patchFooter(large, 'objectIndex', footer.refIndexOffset),
      0,
      /a block of type 'o', found 'r'/,
    ],
  ])('%s', (_, table, offset, expected) => expectRefused(table, offset, expected));
});

describe('a damaged block', () => {
  it.each<[string, Buffer, number, RegExp]>([
    ['an unknown type at first', patch(small, 24, [0x7a]), 24, /type 'r' or 'g', found 0x7a/],
    ['an index at first', patch(small, 24, [0x69]), 24, /type 'r' or 'g', found 0x69/],
    ['an unknown type', patch(large, 256, [0x7a]), 256, /'r', 'o', 'g' or 'i', found 0x7a/],
    ['zeros in its place', patch(large, 256, Buffer.alloc(256)), 256, /a block type .*, found 0x0/],
    ['an end behind the file', patch(small, 25, [255, 255, 255]), 25, /length up to 110, found/],
    ['an end in the footer', patch(small, 25, [0, 0, END + 1]), 25, /a block length up to 110/],
    [
      'no room for itself',
      patch(small, 25, [0, 0, 29]),
      25,
      /a block length of 30 or more, found 29/,
    ],
    ['a length of 0', patch(large, 257, [0, 0, 0]), 257, /a block length of 6 or more, found 0/],
    ['too many restarts', patch(small, END - 2, [255, 255]), END - 2, /restart offsets for/],
    ['no restart', patch(small, END - 2, [0, 0]), END - 2, /at least one restart point, found 0/],
    [
      'a restart behind its records',
      patch(small, END - 5, [0, 1, 0]),
      END - 5,
      /28 to 104, found 256/,
    ],
    ['a restart in the header', patch(small, END - 5, [0, 0, 5]), END - 5, /28 to 104, found 5/],
    ['a restart without a whole key', patch(small, 28, [1]), 29, /a whole key at a restart point/],
  ])('%s', (_, table, offset, expected) => expectRefused(table, offset, expected));
});

describe('a damaged deflated block', () => {
  const length = large.readUIntBE(LOGS + 1, 3);
  const withLength = (value: number) =>
    patch(large, LOGS + 1, [value >> 16, (value >> 8) & 255, value & 255]);
  const cut = (bytes: number) =>
    splice(large, footerStart(large) - bytes, footerStart(large), Buffer.alloc(0));

  it.each<[string, Buffer, RegExp]>([
    ['is not zlib', patch(large, LOGS + 4, [1, 2, 3]), /inflated bytes, found/],
    ['has another checksum', patch(large, footerStart(large) - 1, [0x77]), /inflated bytes, found/],
    ['is cut', cut(9), /inflated bytes, found unexpected end/],
    ['is cut in its checksum', cut(2), /inflated bytes, found unexpected end/],
    ['is empty', cut(footerStart(large) - LOGS - 4), /inflated bytes, found unexpected end/],
    ['inflates to more', withLength(length - 1), /inflated bytes, found/],
    ['inflates to less', withLength(length + 1), /inflated bytes, found \d+ bytes/],
    [
      'says 16 MiB',
      withLength(0xffffff),
      /a zlib stream of 16777211 inflated bytes, found \d+ bytes/,
    ],
  ])('%s', (_, table, expected) => expectRefused(table, LOGS + 4, expected));

  it('is sound if deflated anew', () => {
    expect(readEverything(editLogBlock(large, LOGS, () => {}))).toEqual([]);
  });

  it('that would inflate to a thousand times its size takes no more than it says', () => {
    const deflated = deflateSync(Buffer.alloc(50_000_000));
    const bombed = splice(large, LOGS + 4, footerStart(large), deflated);
    expectRefused(bombed, LOGS + 4, /inflated bytes, found Cannot create a Buffer larger than/);
  });
});

describe('a truncated table', () => {
  it.each([
    ['a small one', small],
    ['a large one', large],
    ['one of SHA-256', sha256],
  ])('%s is refused at every length', (_, table) => {
    const step = Math.max(1, Math.floor(table.length / 1500));
    for (let length = table.length - 1; length >= 0; length -= step) {
      const errors = readEverything(table.subarray(0, length));
      expect(errors).toEqual([
        expect.objectContaining({ code: 'CORRUPT_TABLE', file: 'test.ref' }),
      ]);
    }
  });
});
