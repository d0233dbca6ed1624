// What the stack may expect of a file system, of Node's and of the one in memory alike.

import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { FileSystem } from '../../src/storage/file-system.ts';
import { MemoryFileSystem } from '../../src/storage/memory-file-system.ts';
import { nodeFileSystem } from '../../src/storage/node-file-system.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Subject {
  fs: FileSystem;
  /** An empty folder. */
  folder: string;
}

const SUBJECTS: Readonly<Record<string, () => Subject>> = {
  'Node’s': () => ({ fs: nodeFileSystem, folder: temporaryFolder() }),
  'the one in memory': () => {
    const fs = new MemoryFileSystem();
    fs.makeFolder('/some/folder');
    return { fs, folder: '/some/folder' };
  },
};

const bytes = (text: string) => Buffer.from(text);

describe.each(Object.entries(SUBJECTS))('%s', (_name, make) => {
  let fs: FileSystem;
  let folder: string;
  beforeEach(() => {
    ({ fs, folder } = make());
  });

  const at = (name: string) => join(folder, name);

  async function write(name: string, ...chunks: string[]): Promise<void> {
    const file = await fs.create(at(name));
    await file.write(chunks.map(bytes));
    await file.sync();
    await file.close();
  }

  function textOf(descriptor: number): string {
    const into = new Uint8Array(100);
    return Buffer.from(into.subarray(0, fs.read(descriptor, into, 0))).toString();
  }

  function read(name: string): string {
    const descriptor = fs.open(at(name));
    try {
      return textOf(descriptor);
    } finally {
      fs.close(descriptor);
    }
  }

  describe('writing', () => {
    it('appends the chunks in their order', async () => {
      const file = await fs.create(at('file'));
      await file.write([bytes('ab'), bytes(''), bytes('c')]);
      await file.write([bytes('de')]);
      expect(fs.statOpen(file.descriptor).size).toBe(5);
      await file.sync();
      await file.close();
      expect(read('file')).toBe('abcde');
    });

    it('keeps what was written, whatever becomes of the chunks', async () => {
      const chunk = bytes('abc');
      const file = await fs.create(at('file'));
      await file.write([chunk]);
      const descriptor = fs.createEmpty(at('other'));
      fs.append(descriptor, chunk);
      chunk.fill(0);
      await file.close();
      fs.close(descriptor);
      expect([read('file'), read('other')]).toEqual(['abc', 'abc']);
    });

    it('is for who created the file, and reading for who opened it', () => {
      const created = fs.createEmpty(at('file'));
      fs.append(created, bytes('abc'));
      const opened = fs.open(at('file'));
      expect(textOf(opened)).toBe('abc');
      expect(() => textOf(created)).toThrow(expect.objectContaining({ code: 'EBADF' }));
      expect(() => fs.append(opened, bytes('d'))).toThrow(
        expect.objectContaining({ code: 'EBADF', syscall: 'write' }),
      );
      for (const descriptor of [created, opened]) fs.close(descriptor);
    });
  });

  describe('a path that is taken', () => {
    it('is refused to who creates, be it by a file or a folder', async () => {
      await write('file', 'abc');
      for (const path of [at('file'), folder]) {
        const refusal = { code: 'EEXIST', syscall: 'open', path };
        expect(() => fs.createEmpty(path)).toThrow(expect.objectContaining(refusal));
        await expect(fs.create(path)).rejects.toMatchObject(refusal);
      }
      expect(read('file')).toBe('abc');
    });

    it('is refused to who gives a file a second name', async () => {
      await write('file', 'abc');
      await write('other', 'def');
      for (const path of [at('file'), at('other'), folder]) {
        expect(() => fs.link(at('file'), path)).toThrow(
          expect.objectContaining({ code: 'EEXIST', syscall: 'link', path: at('file') }),
        );
      }
    });

    it('is replaced by who renames, unless it is a folder’s', async () => {
      await write('file', 'abc');
      await write('other', 'def');
      fs.rename(at('file'), at('other'));
      expect(fs.list(folder)).toEqual(['other']);
      expect(read('other')).toBe('abc');
      expect(() => fs.rename(at('other'), folder)).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^(EISDIR|EEXIST|ENOTEMPTY)$/) }),
      );
    });
  });

  describe('two names of a file', () => {
    it('show the same, and each can go', async () => {
      await write('file', 'abc');
      fs.link(at('file'), at('other'));
      expect(fs.stat(at('other'))!.inode).toBe(fs.stat(at('file'))!.inode);
      fs.unlink(at('file'));
      expect(read('other')).toBe('abc');
      expect(fs.list(folder)).toEqual(['other']);
    });

    it('both stay when one is renamed to the other', async () => {
      await write('file', 'abc');
      fs.link(at('file'), at('other'));
      fs.rename(at('file'), at('other'));
      expect(fs.list(folder).sort()).toEqual(['file', 'other']);
      fs.rename(at('file'), at('file'));
      expect(read('file')).toBe('abc');
    });
  });

  describe('what is not there', () => {
    it.each([
      ['open', 'open', (path: string) => fs.open(path)],
      ['createEmpty', 'open', (path: string) => fs.createEmpty(path)],
      ['list', 'scandir', (path: string) => fs.list(path)],
      ['unlink', 'unlink', (path: string) => fs.unlink(path)],
      ['rename', 'rename', (path: string) => fs.rename(path, at('other'))],
      ['link', 'link', (path: string) => fs.link(path, at('other'))],
    ])('%s says so', async (_method, syscall, call) => {
      await write('file', 'abc');
      const missing = join(at('missing'), 'name');
      expect(() => call(missing)).toThrow(
        expect.objectContaining({ code: 'ENOENT', syscall, path: missing }),
      );
      const below = join(at('file'), 'name');
      expect(() => call(below)).toThrow(
        expect.objectContaining({ code: 'ENOTDIR', syscall, path: below }),
      );
    });

    it('create, setMode and openDirectory reject it', async () => {
      const missing = join(at('missing'), 'name');
      for (const call of [
        () => fs.create(missing),
        () => fs.setMode(missing, 0o644),
        () => fs.openDirectory(missing),
      ]) {
        await expect(call()).rejects.toMatchObject({ code: 'ENOENT', path: missing });
      }
    });

    it('has no status, nor has what is below a file', async () => {
      await write('file', 'abc');
      expect(fs.stat(at('missing'))).toBeUndefined();
      expect(fs.stat(join(at('file'), 'below'))).toBeUndefined();
    });
  });

  it('a folder is opened, and neither read nor removed as a file is', () => {
    const descriptor = fs.open(folder);
    expect(() => textOf(descriptor)).toThrow(expect.objectContaining({ code: 'EISDIR' }));
    fs.close(descriptor);
    expect(() => fs.unlink(folder)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^(EISDIR|EPERM)$/) }),
    );
    expect(() => fs.link(folder, at('other'))).toThrow(expect.objectContaining({ code: 'EPERM' }));
  });

  it('a file is not listed as a folder is', async () => {
    await write('file', 'abc');
    expect(() => fs.list(at('file'))).toThrow(
      expect.objectContaining({ code: 'ENOTDIR', syscall: 'scandir', path: at('file') }),
    );
  });

  describe('a file that is open', () => {
    it('is told from the one that took its name, and read on', async () => {
      await write('list', 'same');
      const descriptor = fs.open(at('list'));
      const before = fs.statOpen(descriptor);
      expect(fs.stat(at('list'))).toEqual(before);
      expect(before.size).toBe(4);
      await write('list.new', 'next');
      fs.rename(at('list.new'), at('list'));
      expect(fs.stat(at('list'))!.inode).not.toBe(before.inode);
      expect(fs.statOpen(descriptor)).toMatchObject({ inode: before.inode, size: 4 });
      expect([textOf(descriptor), read('list')]).toEqual(['same', 'next']);
      fs.close(descriptor);
    });

    it('keeps its inode number for itself when it is removed', async () => {
      await write('file', 'abc');
      const descriptor = fs.open(at('file'));
      fs.unlink(at('file'));
      await write('file', 'abc');
      expect(fs.stat(at('file'))!.inode).not.toBe(fs.statOpen(descriptor).inode);
      expect(textOf(descriptor)).toBe('abc');
      fs.close(descriptor);
    });

    it('is read from any position, as far as it goes', async () => {
      await write('file', '0123456789');
      const descriptor = fs.open(at('file'));
      const into = new Uint8Array(6);
      expect(fs.read(descriptor, into, 7)).toBe(3);
      expect(Buffer.from(into).toString('latin1')).toBe('789\0\0\0');
      expect(fs.read(descriptor, into, 10)).toBe(0);
      fs.close(descriptor);
    });
  });

  it('a descriptor that was closed is no more', () => {
    const descriptor = fs.createEmpty(at('file'));
    fs.close(descriptor);
    for (const call of [() => fs.close(descriptor), () => fs.statOpen(descriptor)]) {
      expect(call).toThrow(expect.objectContaining({ code: 'EBADF' }));
    }
  });

  it('a folder is synced', async () => {
    const opened = await fs.openDirectory(folder);
    await opened.sync();
    await opened.close();
  });

  it('a change in a folder is told, until nobody asks any more', async () => {
    const told = new Set<string | undefined>();
    let tell!: () => void;
    const first = new Promise<void>((resolve) => (tell = resolve));
    const end = fs.watch(folder, true, (name) => {
      told.add(name);
      tell();
    });
    await write('file', 'abc');
    await first;
    expect([...told]).toEqual(['file']);
    end();
  });
});
