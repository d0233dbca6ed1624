import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeFileSystem } from '../../src/storage/node-file-system.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

async function write(path: string, chunks: Uint8Array[]): Promise<void> {
  const file = await nodeFileSystem.create(path);
  await file.write(chunks);
  await file.sync();
  await file.close();
}

const bytes = (text: string) => Buffer.from(text);

describe('writing', () => {
  const { writev } = fs;
  afterEach(() => {
    fs.writev = writev;
    syncBuiltinESMExports();
  });

  /** Puts `replacement` in the place of `fs.writev`. */
  function replaceWritev(replacement: (fd: number, chunks: Uint8Array[], done: never) => void) {
    fs.writev = replacement as unknown as typeof fs.writev;
    syncBuiltinESMExports();
  }

  it('writes more chunks than one system call takes, in order, with one call to Node', async () => {
    const chunks = Array.from({ length: 3000 }, (_, i) => bytes(`${i},`.padEnd(40)));
    let calls = 0;
    replaceWritev((...args) => {
      calls++;
      writev(...args);
    });
    await write(join(folder, 'many'), chunks);
    expect(fs.readFileSync(join(folder, 'many'))).toEqual(Buffer.concat(chunks));
    expect(calls).toBe(1);
  });

  it('goes on after a short write, wherever it stopped', async () => {
    for (const size of [20_000, 30_000, 40_000, 50_000, 70_000, 90_000]) {
      replaceWritev((fd, chunks, done) => {
        fs.write(fd, Buffer.concat(chunks).subarray(0, size), done);
      });
      const path = join(folder, `short-${size}`);
      const chunks = ['ab', '', 'cde', 'f', 'ghijkl'].map((text) => bytes(text.repeat(10_000)));
      await write(path, chunks);
      expect(fs.readFileSync(path)).toEqual(Buffer.concat(chunks));
    }
  });

  it('writes nothing with no system call', async () => {
    replaceWritev(() => expect.unreachable('a write of nothing'));
    await write(join(folder, 'empty'), [bytes('')]);
    expect(fs.statSync(join(folder, 'empty')).size).toBe(0);
  });
});

it('creates with the mode less the umask, and sets one exactly', async () => {
  const umask = process.umask(0o027);
  try {
    nodeFileSystem.createEmpty(join(folder, 'usual'));
    nodeFileSystem.createEmpty(join(folder, 'narrow'), 0o600);
    await (await nodeFileSystem.create(join(folder, 'shared'), 0o666)).close();
    await nodeFileSystem.setMode(join(folder, 'shared'), 0o664);
  } finally {
    process.umask(umask);
  }
  const mode = (name: string) => fs.statSync(join(folder, name)).mode & 0o777;
  expect([mode('usual'), mode('narrow'), mode('shared')]).toEqual([0o640, 0o600, 0o664]);
});
