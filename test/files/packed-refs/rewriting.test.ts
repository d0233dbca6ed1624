import {
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PackedRefsFile } from '../../../src/files/packed-refs/packed-refs-file.ts';
import type { FileSystem } from '../../../src/storage/file-system.ts';
import { nodeFileSystem } from '../../../src/storage/node-file-system.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
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

  it('leaves records as they stand that it is not told to change', async () => {
    const odd = [
      `${A.toUpperCase()} refs/heads/a\n`,
      `${A}\trefs/heads/b\n^${B.toUpperCase()}\n`,
      `${A} refs/heads/c..d\n^${B}\n`,
      `${A} refs/heads/d\r\n`,
      'broken\n',
      `${A} refs/heads/\xff\n`,
    ].map((record) => Buffer.from(record, 'latin1'));
    const path = packedFile(
      Buffer.concat([
        Buffer.from(HEADER),
        ...odd,
        Buffer.from(`${C} refs/heads/\xff\xff\n`, 'latin1'),
      ]),
    );
    const bytes = await rewritten(path, [
      { name: 'refs/heads/0', oid: B },
      { name: 'refs/heads/\udcff\udcff', oid: undefined },
    ]);
    expect(bytes).toEqual(Buffer.concat([Buffer.from(`${HEADER}${B} refs/heads/0\n`), ...odd]));
  });

  it('writes the header of a sorted file, whatever the old one says', async () => {
    const records = `${A} refs/heads/a\n${B} refs/tags/v1\n`;
    for (const header of ['', '# pack-refs with: peeled \n', '# pack-refs with: sorted\r\n']) {
      expect((await rewritten(packedFile(header + records), [])).toString()).toBe(HEADER + records);
    }
    expect((await rewritten(packedFile(''), [])).toString()).toBe(HEADER);
  });

  it('deletes one of many refs by a search, two copies and a rename', async () => {
    const names = Array.from(
      { length: 100_000 },
      (_, i) => `refs/heads/${String(i).padStart(6, '0')}`,
    );
    const path = packedFile(HEADER + names.map((name) => `${A} ${name}\n`).join(''));
    const calls = new Map<string, number>();
    const fs = countingFileSystem(calls);
    const file = new PackedRefsFile(fs, path, { objectFormat: 'sha1' });
    const locked = await file.lock();
    await locked.write([{ name: names[31_415]!, oid: undefined }]);
    await locked.commit();
    await locked.release();
    file.close();
    names.splice(31_415, 1);
    expect(readFileSync(path, 'utf8')).toBe(
      HEADER + names.map((name) => `${A} ${name}\n`).join(''),
    );
    // 6 MB, a megabyte at a time.
    expect(calls.get('write')).toBeLessThan(10);
    expect(calls.get('read')).toBeLessThan(40);
    expect(calls.get('sync')).toBe(2);
    expect(calls.get('rename')).toBe(1);
  });
});

describe('the lock of packed-refs', () => {
  it('keeps others out, and leaves nothing where nothing is committed', async () => {
    const path = packedFile(`${HEADER}${A} refs/heads/a\n`);
    const options = { objectFormat: 'sha1', lockTimeout: 0 } as const;
    const file = new PackedRefsFile(nodeFileSystem, path, options);
    const locked = await file.lock();
    await expect(new PackedRefsFile(nodeFileSystem, path, options).lock()).rejects.toMatchObject({
      code: 'LOCKED',
      file: `${path}.lock`,
    });
    await locked.write([{ name: 'refs/heads/a', oid: undefined }]);
    expect(file.current().find('refs/heads/a')?.oid).toBe(A);
    await locked.release();
    expect(file.current().find('refs/heads/a')?.oid).toBe(A);
    file.close();
    expect(readdirSync(dirname(path))).toEqual(['packed-refs']);
  });

  it('shows what is packed now: what others wrote, too', async () => {
    const path = packedFile(`${HEADER}${A} refs/heads/a\n`);
    const file = new PackedRefsFile(nodeFileSystem, path, { objectFormat: 'sha1' });
    expect(file.current().find('refs/heads/a')?.oid).toBe(A);
    await rewritten(path, [{ name: 'refs/heads/a', oid: B }]);
    expect(file.current().find('refs/heads/a')?.oid).toBe(B);
    const locked = await file.lock();
    expect(locked.refs.find('refs/heads/a')?.oid).toBe(B);
    await locked.write([{ name: 'refs/heads/a', oid: C }]);
    await locked.commit();
    expect(file.current().find('refs/heads/a')?.oid).toBe(C);
    await locked.release();
    file.close();
  });

  it('replaces what a writer left that died', async () => {
    const path = packedFile(`${HEADER}${A} refs/heads/a\n`);
    writeFileSync(`${path}.new`, 'half a file');
    expect((await rewritten(path, [])).toString()).toBe(`${HEADER}${A} refs/heads/a\n`);
    expect(readdirSync(dirname(path))).toEqual(['packed-refs']);
  });

  it('is beside the file that a link leads to, which stays a link', async () => {
    const path = packedFile(`${HEADER}${A} refs/heads/a\n`);
    const link = join(temporaryFolder(), 'packed-refs');
    symlinkSync(path, link);
    const file = new PackedRefsFile(nodeFileSystem, link, { objectFormat: 'sha1' });
    const locked = await file.lock();
    expect(readdirSync(dirname(path)).sort()).toEqual(['packed-refs', 'packed-refs.lock']);
    await locked.write([{ name: 'refs/heads/a', oid: B }]);
    await locked.commit();
    await locked.release();
    expect(file.current().find('refs/heads/a')?.oid).toBe(B);
    file.close();
    expect(readlinkSync(link)).toBe(path);
    expect(readFileSync(path, 'utf8')).toBe(`${HEADER}${B} refs/heads/a\n`);
  });

  it('gives the file the permissions that are asked for', async () => {
    const path = packedFile(HEADER);
    await rewritten(path, [], { fileMode: 0o640 });
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });
});

/** Counts what is done to files that are read and written. */
function countingFileSystem(calls: Map<string, number>): FileSystem {
  const counted =
    <A extends unknown[], R>(what: string, call: (...args: A) => R) =>
    (...args: A): R => {
      calls.set(what, (calls.get(what) ?? 0) + 1);
      return call(...args);
    };
  return {
    ...nodeFileSystem,
    read: counted('read', nodeFileSystem.read),
    rename: counted('rename', nodeFileSystem.rename),
    async create(path, mode) {
      const file = await nodeFileSystem.create(path, mode);
      return {
        descriptor: file.descriptor,
        write: counted('write', (chunks) => file.write(chunks)),
        sync: counted('sync', () => file.sync()),
        close: () => file.close(),
      };
    },
    async openDirectory(path) {
      const directory = await nodeFileSystem.openDirectory(path);
      return { sync: counted('sync', () => directory.sync()), close: () => directory.close() };
    },
  };
}
