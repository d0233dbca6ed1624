// Tables whose records, index or object section are not what the format says.

import { describe, it } from 'vitest';
import {
  editLogBlock,
  expectRefused,
  footer,
  large,
  patch,
  patchHeader,
  small,
  varint,
} from './damage.ts';
import { indexRecords, openTable } from './tables.ts';

const refIndex = indexRecords(openTable(large), footer.refIndexOffset);
const [first, second] = [refIndex[0]!, refIndex[1]!];
const twoTo53 = Buffer.from('8efefefefefeff00', 'hex');

describe('a damaged ref', () => {
  const withTarget = patch(patch(small, 29, [51]), 37, [0xff, 0x7f]);
  it.each<[string, Buffer, number, RegExp]>([
    [
      'a prefix longer than the key before',
      patch(small, 57, [120]),
      59,
      /at most 6 bytes, found 120/,
    ],
    ['a name past its block', patch(small, 58, [0xff, 0x7f]), 60, /a key of 2063 bytes, found 45/],
    ['a name of 2^53 bytes', patch(small, 58, twoTo53), 66, /a suffix length below 2\^53/],
    ['an empty name', patch(small, 29, [1]), 30, /a key, found an empty one/],
    ['an unknown value type', patch(small, 29, [55]), 37, /a ref value type 0 to 3, found 7/],
    ['a target past its block', withTarget, 39, /a symref target of 16511 bytes/],
    [
      'a peeled id past its block',
      patch(small, 82, [10]),
      85,
      /two object ids of 40 bytes, found 20/,
    ],
    ['an update index of 2^53', patch(small, 60, twoTo53), 68, /an update index below 2\^53/],
  ])('%s', (_, table, offset, expected) => expectRefused(table, offset, expected));

  it('an update index that is 2^53 with the smallest one added', () => {
    const high = patchHeader(small, 8, [0, 0x1f, 255, 255, 255, 255, 255, 255]);
    expectRefused(high, 37, /an update index below 2\^53/);
  });
});

describe('a damaged index', () => {
  const last = indexRecords(openTable(large), refIndex.at(-1)!.offset).at(-1)!;
  it.each<[string, number, number, number, RegExp]>([
    ['points at itself', second.at, footer.refIndexOffset, second.at, /a block before byte/],
    ['points forward', second.at, footer.objectOffset, second.at, /a block before byte/],
    ['points behind the file', second.at, large.length, second.at, /a block before byte/],
    ['points between blocks', second.at, second.offset + 9, second.offset + 9, /a block type/],
    [
      'points at a smaller block',
      second.at,
      first.offset,
      first.offset,
      /whose last key is the one/,
    ],
    ['points at its own level', last.at, first.offset, first.offset, /whose last key is the one/],
  ])('%s', (_, at, target, offset, expected) => {
    expectRefused(patch(large, at, varint(target)), offset, expected);
  });

  it('has records of an unknown value type', () => {
    const at = footer.refIndexOffset + 6; // behind a prefix of 0 and the first byte of the length
    expectRefused(patch(large, at, [large[at]! | 5]), -1, /an index value type 0, found 5/);
  });
});

describe('a damaged object section', () => {
  const at = footer.objectOffset + 4;
  const length = footer.objectIdLength;
  const key = large.subarray(at + 2, at + 2 + length);
  const withRecord = (valueType: number, ...value: number[]) =>
    patch(large, at, [0, length * 8 + valueType, ...key, ...value]);
  const value = at + 2 + length;

  it.each<[string, Buffer, number, RegExp]>([
    [
      'an absurd count',
      withRecord(0, ...varint(2 ** 40)),
      value + 6,
      /at most \d+ offsets, found 1099511627776/,
    ],
    [
      'an offset behind it',
      withRecord(1, ...varint(2 ** 50)),
      value + 8,
      /ascending offsets before byte/,
    ],
    ['an offset twice', withRecord(2, 0, 0), value + 2, /ascending offsets before byte/],
    ['an offset of 2^53', withRecord(1, ...twoTo53), value + 8, /an offset below 2\^53/],
    ['an offset between blocks', withRecord(1, 9), 9, /a block type/],
    [
      'an offset of an index',
      withRecord(1, ...varint(second.offset)),
      second.offset,
      /type 'r', found 'i'/,
    ],
  ])('%s', (_, table, offset, expected) => expectRefused(table, offset, expected));
});

describe('a damaged log', () => {
  /** The first record: two bytes of lengths, HEAD, NUL, eight bytes, two ids, and so on. */
  const edited = (edit: (content: Buffer) => void) => editLogBlock(large, footer.logOffset, edit);
  const at = footer.logOffset + 4;
  it.each<[string, (content: Buffer) => void, number, RegExp]>([
    [
      'an unknown value type',
      (log) => log.writeUInt8(13 * 8 + 5, 1),
      at + 15,
      /type 0 or 1, found 5/,
    ],
    ['no NUL', (log) => log.writeUInt8(1, 6), at + 15, /a log key of a name, NUL and eight bytes/],
    [
      'an update index of 2^64-1',
      (log) => log.fill(0, 7, 15),
      at + 15,
      /an update index below 2\^53/,
    ],
    ['a name past its block', (log) => log.set([0xff, 0x7f], 55), at + 57, /a name of 16511 bytes/],
    [
      'a time of 2^53',
      (log) => log.set(twoTo53, log.indexOf('.com') + 4),
      -1,
      /a time below 2\^53/,
    ],
    [
      'a message past its block',
      (log) => log.writeUInt8(0x7f, log.indexOf('second') - 1),
      -1,
      /a message of 127 bytes/,
    ],
  ])('%s', (_, edit, offset, expected) => expectRefused(edited(edit), offset, expected));
});
