// Version 2 of packed-refs, beside files that the Git wrote with which it was proposed.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PackedRefEdit } from '../../../src/files/packed-refs/edit.ts';
import type { PackedRefsFormat } from '../../../src/files/packed-refs/format.ts';
import type { PackedRef } from '../../../src/files/packed-refs/packed-ref.ts';
import { compareText } from '../../../src/format/text.ts';
import { RefError } from '../../../src/index.ts';
import { HEADER, oid, openPacked, packedFile, rewritten } from './packed-file.ts';

const FIXTURES = fileURLToPath(new URL('../../fixtures/packed-refs-v2/', import.meta.url));

const CASES = ['sha1', 'sha256', 'hashed', 'nested-prefixes', 'without-prefixes', 'empty'];

function fixture(name: string, version: 1 | 2): Buffer {
  return readFileSync(`${FIXTURES}${name}.v${version}`);
}

function formatOf(name: string): PackedRefsFormat {
  const objectFormat = name === 'sha256' ? 'sha256' : 'sha1';
  return { objectFormat, version: 2, isHashed: name === 'hashed' };
}

function list(path: string, format: Partial<PackedRefsFormat>): PackedRef[] {
  const refs = openPacked(path, format);
  const all = [...refs.from('')];
  refs.release();
  return all;
}

describe('packed-refs version 2', () => {
  it.each(CASES)('is read as version 1 is: %s', (name) => {
    const format = formatOf(name);
    const expected = list(packedFile(fixture(name, 1)), format);
    const path = packedFile(fixture(name, 2));
    expect(list(path, format)).toEqual(expected);
    const refs = openPacked(path, format);
    for (const ref of expected) expect(refs.find(ref.name)).toEqual(ref);
    for (const missing of ['', 'refs', 'refs/heads/', 'refs/heads/mai', 'refs/x', 'refs/~', 'z']) {
      expect(refs.find(missing)).toBeUndefined();
      const behind = expected.filter((ref) => compareText(ref.name, missing) >= 0);
      expect([...refs.from(missing)]).toEqual(behind);
      expect(refs.firstFrom(missing)).toBe(behind[0]?.name);
    }
    const tags = expected.filter((ref) => ref.name.startsWith('refs/tags/'));
    expect([...refs.from('refs/tags/', 'refs/tags/')]).toEqual(tags);
    refs.release();
  });

  it.each(CASES)('is written from version 1 and from itself, byte for byte: %s', async (name) => {
    const format = formatOf(name);
    // We always write prefixes.
    const expected = fixture(name === 'without-prefixes' ? 'sha1' : name, 2);
    expect(await rewritten(packedFile(fixture(name, 1)), [], format)).toEqual(expected);
    expect(await rewritten(packedFile(fixture(name, 2)), [], format)).toEqual(expected);
  });

  it.each(CASES)('is written back as version 1: %s', async (name) => {
    const format: PackedRefsFormat = { ...formatOf(name), version: 1 };
    expect(await rewritten(packedFile(fixture(name, 2)), [], format)).toEqual(fixture(name, 1));
  });

  it('becomes the same by edits, whichever version they are made in', async () => {
    const folder = fc.constantFrom('', 'refs/', 'refs/heads/', 'refs/tags/', 'refs/remotes/o/');
    const component = fc.constantFrom('a', 'a-b', 'a.b', 'ab', 'é', '\u{1f600}', 'stash');
    const name = fc
      .tuple(folder, fc.array(component, { minLength: 1, maxLength: 3 }))
      .map(([folder, components]) => folder + components.join('/'));
    const id = fc.constantFrom(oid('1'), oid('a'));
    const edits = (oid: fc.Arbitrary<string | undefined>) =>
      fc
        .uniqueArray(fc.record({ name, oid, peeled: fc.option(id, { nil: undefined }) }), {
          selector: ({ name }) => name,
          maxLength: 40,
        })
        .map((edits) => edits.sort((a, b) => compareText(a.name, b.name)));
    await fc.assert(
      fc.asyncProperty(
        edits(id),
        edits(fc.option(id, { nil: undefined })),
        async (records: PackedRefEdit[], edits: PackedRefEdit[]) => {
          const path = packedFile('');
          await rewritten(path, records, { version: 2 });
          const edited = await rewritten(path, edits, { version: 2 });

          writeFileSync(path, '');
          await rewritten(path, records);
          await rewritten(path, edits);
          const expected = list(path, {});
          expect(await rewritten(path, [], { version: 2 })).toEqual(edited);
          expect(list(path, { version: 2 })).toEqual(expected);
        },
      ),
      { numRuns: 100, seed: 20262 },
    );
  });

  it('is found and rewritten in a file of many pages', async () => {
    const names = Array.from({ length: 6000 }, (_, i) => {
      const folder = ['heads', 'remotes/origin', 'tags'][Math.floor(i / 2000)]!;
      return `refs/${folder}/topic/${String(i).padStart(5, '0')}`;
    });
    const hex = (i: number) => i.toString(16).padStart(40, '0');
    const all = names.map((name, i) => ({
      name,
      oid: hex(i),
      peeled: i % 3 ? undefined : hex(i + 1),
    }));
    const path = packedFile('');
    await rewritten(path, all, { version: 2 });
    const refs = openPacked(path, { version: 2 });
    for (const { name, oid, peeled } of all) {
      expect(refs.find(name)).toMatchObject({ name, oid, peeled });
      expect(refs.find(`${name}0`)).toBeUndefined();
    }
    expect([...refs.from('')].map(({ name }) => name)).toEqual(names);
    refs.release();
    const dead = all.filter((_, i) => i % 1999 === 7).map(({ name }) => ({ name, oid: undefined }));
    await rewritten(path, dead, { version: 2 });
    const left = all.filter((_, i) => i % 1999 !== 7);
    expect(list(path, { version: 2 })).toMatchObject(left);
  });

  it('is unknown where the setting does not allow it', () => {
    const path = packedFile(fixture('sha1', 2));
    expect(() => openPacked(path)).toThrow(`unterminated line in ${path}: `);
  });

  it('is verified where it has a hash, and hashes are cared for', () => {
    const bytes = fixture('hashed', 2);
    bytes[20]! ^= 1;
    const path = packedFile(bytes);
    expect(list(path, { version: 2 })).toHaveLength(8);
    expect(() => openPacked(path, { version: 2, isHashed: true })).toThrow(
      `${path}: at byte ${bytes.length - 20}: expected the hash of the bytes before, found another`,
    );
    expect(list(packedFile(fixture('sha1', 2)), { version: 2, isHashed: true })).toHaveLength(8);
  });
});

describe('a damaged packed-refs of version 2', () => {
  // `sha1.v2`: 8 refs, prefixes of heads, notes, remotes and tags.
  const good = fixture('sha1', 2);
  const size = good.length;
  /** Where the table of contents and its entries stand, from the end on: REFS, ROFF, PFXD, PFXO, none. */
  const entry = (index: number) => size - 20 - 12 * (index + 1);
  const offsetOf = (index: number) => Number(good.readBigUInt64BE(entry(index) + 4));
  const [refs, roff, pfxd, pfxo, end] = [0, 1, 2, 3, 4].map(offsetOf) as [
    number,
    number,
    number,
    number,
    number,
  ];

  const damages: [what: string, damage: (bytes: Buffer) => Buffer | undefined, message: string][] =
    [
      ['cut short', (b) => b.subarray(0, 40), 'at byte 40: expected at least 44 bytes'],
      ['of another version', (b) => void b.writeUInt32BE(3, 4), 'at byte 4: expected version 0x2'],
      ['of another hash', (b) => void b.write('s256', 8), 'at byte 8: expected hash id 0x73686131'],
      ['without REFS', (b) => void b.write('XXXX', entry(0)), 'expected a chunk REFS, found none'],
      ['without ROFF', (b) => void b.write('XXXX', entry(1)), 'expected a chunk ROFF, found none'],
      ['without PFXD', (b) => void b.write('XXXX', entry(2)), 'expected a chunk PFXD, found none'],
      ['without PFXO', (b) => void b.write('XXXX', entry(3)), 'expected a chunk PFXO, found none'],
      ['with a chunk twice', (b) => void b.write('REFS', entry(1)), 'expected REFS once'],
      [
        'with chunks that overlap',
        (b) => void b.writeBigUInt64BE(BigInt(roff - 1), entry(1) + 4),
        `at byte ${roff - 1}: expected rows of 8 bytes in ROFF`,
      ],
      [
        'with chunks out of order',
        (b) => void b.writeBigUInt64BE(BigInt(refs), entry(2) + 4),
        `at byte ${entry(2) + 4}: expected the offset of a chunk from ${roff} to ${entry(2)}`,
      ],
      [
        'with a chunk out of bounds',
        (b) => void b.writeBigUInt64BE(2n ** 40n, entry(3) + 4),
        `at byte ${entry(3) + 4}: expected the offset of a chunk from ${pfxd}`,
      ],
      [
        'with a chunk far out of bounds',
        (b) => void b.writeBigUInt64BE(2n ** 63n, entry(3) + 4),
        'found 2^53 or more',
      ],
      [
        'without an end of its table',
        (b) => void b.fill('ABCD', entry(4), entry(4) + 4),
        `at byte ${entry(5) + 4}: expected the offset of a chunk`,
      ],
      [
        'with an end of REFS that is none',
        (b) => void b.writeUInt32BE(1, pfxd - 4),
        `at byte ${pfxd - 8}: expected a record that ends with REFS`,
      ],
      [
        'with too few refs in prefixes',
        (b) => void b.writeUInt32BE(7, end - 4),
        `at byte ${end}: expected prefixes of 8 refs before, found those of 7`,
      ],
    ];

  it.each(damages)('says what is wrong when it is opened: %s', (_, damage, message) => {
    const bytes = Buffer.from(good);
    const path = packedFile(damage(bytes) ?? bytes);
    expect(() => openPacked(path, { version: 2 })).toThrow(`${path}: `);
    expect(() => openPacked(path, { version: 2 })).toThrow(message);
  });

  const inside: [what: string, damage: (bytes: Buffer) => void, message: string][] = [
    [
      'a record that ends before it begins',
      (b) => void b.writeUInt32BE(1, roff + 12),
      `expected a name and an object id`,
    ],
    ['an offset beyond REFS', (b) => void b.writeUInt32BE(1, roff + 8), 'expected an offset up to'],
    ['a name without an end', (b) => void b.write('x', refs + 4), 'expected a NUL behind a name'],
    ['a name that goes on', (b) => void b.writeUInt8(0, refs + 1), 'contains embedded NULL'],
    ['a name that leads out', (b) => void b.write('..', pfxd), 'is dangerous: ..fs/heads/main'],
    ['a prefix without an end', (b) => void b.write('x', pfxo - 1), 'expected NUL behind a prefix'],
    [
      'prefixes out of order',
      (b) => void b.writeUInt32BE(1, pfxo + 12),
      'expected the number of a ref from 4 to 8, found 1',
    ],
    [
      'prefixes that overlap',
      (b) => void b.writeUInt32BE(2, pfxo + 8),
      'expected NUL behind a prefix alone',
    ],
  ];

  it.each(inside)('says what is wrong when it is read: %s', (_, damage, message) => {
    const bytes = Buffer.from(good);
    damage(bytes);
    const path = packedFile(bytes);
    expect(() => list(path, { version: 2 })).toThrow(message);
  });

  it('lists a ref with a bad name as broken', () => {
    const bytes = Buffer.from(good);
    bytes.write('..', refs);
    const [first] = list(packedFile(bytes), { version: 2 });
    expect(first).toEqual({
      name: 'refs/heads/..in',
      oid: oid('0'),
      peeled: undefined,
      isPeeled: false,
      hasBadName: true,
    });
  });

  it('never fails otherwise, nor takes long, whatever is changed', () => {
    const change = fc.tuple(fc.nat(size - 1), fc.integer({ min: 0, max: 255 }));
    const path = packedFile('');
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), fc.nat(8), (changes, cut) => {
        const bytes = Buffer.from(good);
        for (const [at, value] of changes) bytes[at] = value;
        writeFileSync(path, cut === 0 ? bytes.subarray(0, changes[0]![0]) : bytes);
        try {
          const refs = openPacked(path, { version: 2 });
          try {
            refs.find('refs/heads/topic/a');
            refs.find('refs/tags/v1.0');
            expect([...refs.from('')].length).toBeLessThanOrEqual(size / 8);
          } finally {
            refs.release();
          }
        } catch (error) {
          if (!(error instanceof RefError)) throw error;
          expect(error.code).toBe('CORRUPT_REF');
        }
      }),
      { numRuns: 2000, seed: 20263 },
    );
  });
});

it('converts what version 1 holds although its name is bad', async () => {
  const bad = `${oid('a')} refs/heads/a..b\n^${oid('b')}\n`;
  const path = packedFile(HEADER + bad);
  await rewritten(path, [], { version: 2 });
  expect(list(path, { version: 2 })).toMatchObject([{ name: 'refs/heads/a..b', hasBadName: true }]);
  expect((await rewritten(path, [], { version: 1 })).toString()).toBe(HEADER + bad);
});
