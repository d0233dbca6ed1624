import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { HEADER, oid, openPacked, packedFile } from './packed-file.ts';

const [A, B, C] = [oid('a'), oid('b'), oid('c')];

describe('packed-refs', () => {
  it('finds refs by their names, and lists them from a name on', () => {
    const path = packedFile(
      `${HEADER}${A} refs/heads/a\n${B} refs/tags/v1\n^${C}\n${C} refs/tags/v2\n`,
    );
    const refs = openPacked(path);
    const a = {
      name: 'refs/heads/a',
      oid: A,
      peeled: undefined,
      isPeeled: true,
      hasBadName: false,
    };
    const v1 = { name: 'refs/tags/v1', oid: B, peeled: C, isPeeled: true, hasBadName: false };
    const v2 = {
      name: 'refs/tags/v2',
      oid: C,
      peeled: undefined,
      isPeeled: true,
      hasBadName: false,
    };
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
});
