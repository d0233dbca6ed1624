import { describe, expect, it } from 'vitest';
import { HEADER, oid, packedFile, rewritten } from './packed-file.ts';

const [A, B, C] = [oid('a'), oid('b'), oid('c')];

describe('rewriting packed-refs', () => {
  it('sets, replaces and removes refs', async () => {
    const path = packedFile(
      `${HEADER}${A} refs/heads/a\n${B} refs/tags/v1\n^${C}\n${C} refs/tags/v2\n`,
    );
    const bytes = await rewritten(path, [
      { name: 'refs/heads/0', oid: B },
      { name: 'refs/heads/a', oid: undefined },
      { name: 'refs/heads/b', oid: undefined },
      { name: 'refs/tags/v1', oid: A, peeled: B },
      { name: 'refs/tags/v2', oid: A },
      { name: 'refs/tags/v3', oid: C },
    ]);
    expect(bytes.toString()).toBe(
      `${HEADER}${B} refs/heads/0\n${A} refs/tags/v1\n^${B}\n${A} refs/tags/v2\n${C} refs/tags/v3\n`,
    );
  });
});
