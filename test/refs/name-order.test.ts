// A batch in the order of its names, where what a store answers does not show how it was found.

import { describe, expect, it } from 'vitest';
import { encodeText } from '../../src/format/text.ts';
import type { RefView } from '../../src/refs/ref-view.ts';
import { NameOrder } from '../../src/refs/transaction/name-order.ts';
import { UpdateBatch } from '../../src/refs/transaction/update-batch.ts';
import { CROWDED } from '../../src/refs/transaction/update-flags.ts';
import { oid } from './empty-repository.ts';

const byBytes = (a: string, b: string) => Buffer.compare(encodeText(a), encodeText(b));

/** A thousand names, some within others, in an order that looks like none. */
const NAMES = Array.from({ length: 1000 }, (_, i) => {
  const number = (i * 7919) % 1000;
  const end = ['', '/below', '-x', '😀', '～', '/below/far'][number % 6];
  return `refs/heads/${Math.floor(number / 6)}${end}`;
});
const SORTED = NAMES.toSorted(byBytes);

function batchOf(names: readonly string[]): UpdateBatch {
  const batch = new UpdateBatch('sha1');
  for (const ref of names) batch.add({ type: 'create', ref, newOid: oid('1') });
  return batch;
}

/** A view of refs of these names, in byte order. */
function viewOf(names: readonly string[]): RefView {
  return {
    ref: (name) => (names.includes(name) ? { name, updateIndex: 1, oid: oid('1') } : undefined),
    firstFrom: (name) => names.find((other) => byBytes(other, name) >= 0),
    hasReflog: () => false,
    log: () => [],
  };
}

describe('a batch', () => {
  it('is given in the order of its names, with the entries that have them', () => {
    const batch = batchOf(NAMES);
    const order = new NameOrder(batch);
    expect(order.isReordered).toBe(true);
    const entries = NAMES.map((_, position) => order.at(position));
    expect(entries.map((entry) => batch.name(entry))).toEqual(SORTED);
    expect(new Set(entries).size).toBe(1000);
  });

  it('stays in its order where that is the one of the names', () => {
    const order = new NameOrder(batchOf(SORTED));
    expect(order.isReordered).toBe(false);
    expect(SORTED.map((_, position) => order.at(position))).toEqual(SORTED.map((_, i) => i));
  });

  it.each([
    ['sorted', SORTED],
    ['unsorted', NAMES],
  ])('%s, finds each name and no other', (_, names) => {
    const order = new NameOrder(batchOf(names));
    expect(names.map((name) => order.find(name))).toEqual(names.map((_, i) => i));
    for (const name of ['', 'HEAD', 'refs/heads', 'refs/heads/1\0', 'refs/heads/～', 'z']) {
      expect(order.find(name)).toBe(-1);
      expect(order.has(name)).toBe(false);
    }
    for (const prefix of [
      'refs/heads/1/',
      'refs/heads/99',
      'refs/heads/166～',
      'refs/x',
      'a',
      'z',
    ]) {
      expect(order.firstWithPrefix(prefix)).toBe(SORTED.find((name) => name.startsWith(prefix)));
    }
  });

  it('tells a name that is there twice, wherever the two are', () => {
    expect(new NameOrder(batchOf(NAMES)).findDuplicate()).toBeUndefined();
    expect(new NameOrder(batchOf(SORTED)).findDuplicate()).toBeUndefined();
    for (const twice of [SORTED[0]!, SORTED[500]!, SORTED[999]!]) {
      expect(new NameOrder(batchOf([...NAMES, twice])).findDuplicate()).toBe(twice);
      expect(new NameOrder(batchOf([twice, ...SORTED])).findDuplicate()).toBe(twice);
    }
    expect(new NameOrder(batchOf(['refs/a', 'refs/a'])).findDuplicate()).toBe('refs/a');
  });

  it('is not what it was when the batch grew behind it', () => {
    const batch = batchOf(['refs/b', 'refs/a']);
    const order = new NameOrder(batch);
    batch.addCopy(0, 'refs/c', 0);
    expect(order.count).toBe(2);
    expect(order.has('refs/c')).toBe(false);
  });

  it.each([1, 2, 3, 7, 50, 1000])(
    'merged with every %dth of its names, finds just those',
    (step) => {
      const existing = SORTED.filter((_, i) => i % step === 0);
      for (const names of [SORTED, NAMES]) {
        const batch = batchOf(names);
        const found: string[] = [];
        new NameOrder(batch).merge(viewOf(existing), (entry) => found.push(batch.name(entry)));
        expect(found).toEqual(existing);
      }
    },
  );

  it('marks each name that a ref or another name is below', () => {
    const existing = ['refs/heads/3/below/far', 'refs/heads/500/x', 'refs/tags/x'];
    const names = NAMES.filter((name) => !existing.includes(name)).concat('refs/heads/500');
    const batch = batchOf(names);
    new NameOrder(batch).merge(viewOf(existing), () => {});
    const all = [...names, ...existing];
    names.forEach((name, entry) => {
      // To be marked without need costs a look-up; not to be marked would hide a conflict.
      if (all.some((other) => other.startsWith(`${name}/`))) {
        expect(batch.has(entry, CROWDED), name).toBe(true);
      }
    });
    const marked = names.filter((_, entry) => batch.has(entry, CROWDED));
    expect(marked.length).toBeLessThan(names.length / 2);
  });
});
