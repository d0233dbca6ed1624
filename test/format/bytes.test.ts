import { expect, it } from 'vitest';
import { copyBytes, viewOf } from '../../src/format/bytes.ts';

it('few bytes are copied whatever their number and place, and no other one is touched', () => {
  const from = Uint8Array.from({ length: 40 }, (_, i) => i + 1);
  for (let start = 0; start < 5; start++) {
    for (let length = 0; length <= 20; length++) {
      const to = new Uint8Array(30);
      expect(copyBytes(viewOf(from), start, start + length, viewOf(to), 3)).toBe(3 + length);
      const copied = [0, 0, 0, ...from.subarray(start, start + length)];
      expect([...to]).toEqual([...copied, ...new Array(30 - copied.length).fill(0)]);
    }
  }
});

it('bytes are copied to a place behind them in the same buffer', () => {
  const bytes = Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0]);
  expect(copyBytes(viewOf(bytes), 0, 7, viewOf(bytes), 7)).toBe(14);
  expect([...bytes]).toEqual([1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7]);
});
