import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PackedRefs } from '../../../src/files/packed-refs/packed-refs.ts';
import type { FileReading } from '../../../src/storage/file-system.ts';
import { nodeFileSystem } from '../../../src/storage/node-file-system.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { HEADER, oid, openPacked, packedFile } from './packed-file.ts';

const [A, B, C] = [oid('a'), oid('b'), oid('c')];

/** A record that says all of itself. */
function known(name: string, oid: string, peeled?: string) {
  return { name, oid, peeled, isPeeled: true, hasBadName: false };
}

describe('packed-refs', () => {
  it('finds refs by their names, and lists them from a name on', () => {
    const path = packedFile(
      `${HEADER}${A} refs/heads/a\n${B} refs/tags/v1\n^${C}\n${C} refs/tags/v2\n`,
    );
    const refs = openPacked(path);
    const a = known('refs/heads/a', A);
    const v1 = known('refs/tags/v1', B, C);
    const v2 = known('refs/tags/v2', C);
    for (const ref of [a, v1, v2]) expect(refs.find(ref.name)).toEqual(ref);
    for (const name of ['', 'refs/heads', 'refs/heads/aa', 'refs/tags/v', 'refs/tags/v3', 'z']) {
      expect(refs.find(name)).toBeUndefined();
    }
    expect([...refs.from('')]).toEqual([a, v1, v2]);
    expect([...refs.from('refs/tags/')]).toEqual([v1, v2]);
    expect([...refs.from('refs/tags/v2')]).toEqual([v2]);
    expect([...refs.from('refs/heads/', 'refs/heads/')]).toEqual([a]);
    expect([...refs.from('refs/tags/v3')]).toEqual([]);
    expect(refs.firstFrom('refs/heads/b')).toBe('refs/tags/v1');
    expect(refs.firstFrom('z')).toBeUndefined();
    refs.release();
  });

  it('has no refs where there is no file, or an empty one', () => {
    const path = join(temporaryFolder(), 'packed-refs');
    const missing = openPacked(path);
    expect(missing.find('refs/heads/a')).toBeUndefined();
    expect([...missing.from('')]).toEqual([]);
    expect(missing.isCurrent()).toBe(true);
    writeFileSync(path, '');
    expect(missing.isCurrent()).toBe(false);
    const empty = openPacked(path);
    expect([...empty.from('')]).toEqual([]);
    expect(empty.isCurrent()).toBe(true);
    rmSync(path);
    expect(empty.isCurrent()).toBe(false);
    empty.release();
  });

  it('stays as it was opened, whoever replaces the file', () => {
    const path = packedFile(`${HEADER}${A} refs/heads/a\n`.padEnd(100_000, `${B} refs/heads/b\n`));
    const refs = openPacked(path);
    const iterator = refs.from('refs/');
    expect(iterator.next().value?.name).toBe('refs/heads/a');
    writeFileSync(`${path}.new`, `${HEADER}${C} refs/heads/c\n`);
    renameSync(`${path}.new`, path);
    expect(refs.isCurrent()).toBe(false);
    expect(refs.find('refs/heads/a')?.oid).toBe(A);
    refs.release();
    expect(iterator.next().value?.name).toBe('refs/heads/b');
    iterator.return?.();
    expect(() => refs.find('refs/heads/a')).toThrow('the file is closed');
  });

  it('says of which refs nobody looked what they are', () => {
    const records = `${A} refs/heads/a\n${B} refs/tags/v1\n^${C}\n${C} refs/tags/v2\n`;
    const peeled = (header: string) => {
      const refs = openPacked(packedFile(header + records));
      const found = [...refs.from('')].map(({ isPeeled }) => isPeeled);
      expect(found).toEqual(
        ['refs/heads/a', 'refs/tags/v1', 'refs/tags/v2'].map((name) => refs.find(name)?.isPeeled),
      );
      refs.release();
      return found;
    };
    expect(peeled('')).toEqual([false, true, false]);
    expect(peeled('# pack-refs with: sorted\n')).toEqual([false, true, false]);
    expect(peeled('# pack-refs with: peeled \n')).toEqual([false, true, true]);
    expect(peeled('# pack-refs with: fully-peeled\n')).toEqual([true, true, true]);
    expect(peeled('# pack-refs with: peeled fully-peeled sorted \r\n')).toEqual([true, true, true]);
  });

  it('takes object ids in capitals and any blank, and lists bad names as broken', () => {
    const path = packedFile(
      `${HEADER}${A.toUpperCase()} refs/heads/a\n${A}\trefs/heads/b\n${A} refs/heads/c..d\n^${B}\n${A} refs/heads/e\r\n`,
    );
    const refs = openPacked(path);
    const broken = { oid: oid('0'), peeled: undefined, isPeeled: false, hasBadName: true };
    expect([...refs.from('')]).toEqual([
      known('refs/heads/a', A),
      known('refs/heads/b', A),
      { name: 'refs/heads/c..d', ...broken },
      { name: 'refs/heads/e\r', ...broken },
    ]);
    refs.release();
  });

  it('is sorted where the file does not say that it is', () => {
    // More than is looked at at a time.
    const names = Array.from(
      { length: 50_000 },
      (_, i) => `refs/heads/${String(i).padStart(6, '0')}`,
    );
    const record = (name: string) => `${A} ${name}\n`;
    for (const list of [names, names.toReversed()]) {
      const refs = openPacked(packedFile(list.map(record).join('')));
      expect([...refs.from('')].map(({ name }) => name)).toEqual(names);
      for (let i = 0; i < names.length; i += 997) expect(refs.find(names[i]!)?.oid).toBe(A);
      refs.release();
    }
  });

  it.each([
    ['a line in the middle', `${HEADER}${A} refs/heads/a\nbroken\n${B} refs/heads/b\n`, 'broken'],
    ['a long one', `${HEADER}${'x'.repeat(99)}\n${B} refs/heads/b\n`, `${'x'.repeat(75)}...`],
    ['a peeled line alone', `${HEADER}^${A}\n${B} refs/heads/b\n`, `^${A}`],
    ['two peeled lines', `${HEADER}${A} refs/heads/a\n^${B}\n^${C}\n`, `^${C}`],
    ['a short peeled line', `${HEADER}${A} refs/heads/a\n^${B.slice(1)}\n`, `^${B.slice(1)}`],
    ['no object id', `${HEADER}${'g'.repeat(40)} refs/heads/a\n`, `${'g'.repeat(40)} refs/heads/a`],
    ['another header', `# something else\n${A} refs/heads/a\n`, '# something else'],
  ])('names the line that is broken: %s', (_, content, line) => {
    const path = packedFile(content);
    const list = () => {
      const refs = openPacked(path);
      try {
        return [...refs.from('')];
      } finally {
        refs.release();
      }
    };
    expect(list).toThrow(`unexpected line in ${path}: ${line}`);
  });

  it('is refused where the last line is not complete', () => {
    const line = `${B} refs/heads/b`;
    const path = packedFile(`${HEADER}${A} refs/heads/a\n${line}`);
    expect(() => openPacked(path)).toThrow(`unterminated line in ${path}: ${line}`);
  });
});

describe('a packed-refs of a gigabyte', () => {
  const RECORD_SIZE = 64;
  const RECORDS = 2 ** 24;
  const nameOf = (i: number) => `refs/heads/${String(i).padStart(11, '0')}`;
  const recordOf = (i: number) => `${A} ${nameOf(i)}\n`;
  const header = `# pack-refs with: peeled fully-peeled sorted${' '.repeat(19)}\n`;

  /** A file that is made up as it is read, and what was read of it. */
  function hugeFile(): { fs: FileReading; read: { calls: number; bytes: number } } {
    const read = { calls: 0, bytes: 0 };
    const size = (1 + RECORDS) * RECORD_SIZE;
    const status = { device: 1n, inode: 1n, size, modified: 1n };
    const fs: FileReading = {
      ...nodeFileSystem,
      open: () => 0,
      closeLater: () => {},
      stat: () => status,
      statOpen: () => status,
      read: (_, into, position) => {
        read.calls++;
        read.bytes += into.length;
        for (let filled = 0; filled < into.length; ) {
          const at = position + filled;
          const record = Math.floor(at / RECORD_SIZE) - 1;
          const text = record < 0 ? header : recordOf(record);
          const piece = Buffer.from(text).subarray(at % RECORD_SIZE);
          filled += piece.copy(into, filled);
        }
        return into.length;
      },
    };
    return { fs, read };
  }

  it('is searched in a few small reads', () => {
    const { fs, read } = hugeFile();
    const refs = PackedRefs.open(fs, 'packed-refs', { objectFormat: 'sha1' });
    for (const i of [0, 1, RECORDS / 3, RECORDS / 2, RECORDS - 1].map(Math.floor)) {
      expect(refs.find(nameOf(i))?.oid).toBe(A);
      expect(refs.find(`${nameOf(i)}0`)).toBeUndefined();
    }
    expect(refs.firstFrom('refs/heads/1')).toBeUndefined();
    expect([...refs.from(nameOf(RECORDS - 100))]).toHaveLength(100);
    expect(read.calls).toBeLessThan(150);
    expect(read.bytes).toBeLessThan(2 ** 20);
    refs.release();
  });
});
