// Packs are read as Git writes them: every type, both hash formats, both versions of indexes, deltas of either kind,
// packs that come and go. Whatever is damaged in them is told of, and nothing else happens.

import { createHash } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { RefError } from '../../src/errors.ts';
import { RepositoryObjects } from '../../src/objects/repository-objects.ts';
import { nodeFileSystem } from '../../src/storage/node-file-system.ts';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Format = 'sha1' | 'sha256';

interface Stored {
  oid: string;
  type: string;
  size: number;
}

/** A repository with 120 objects or so, whose trees and tags are alike enough for long chains of deltas. */
function makeRepository(objectFormat: Format) {
  const path = join(temporaryFolder(), 'repository');
  git.output(['init', '-q', `--object-format=${objectFormat}`, path]);
  const run = (args: readonly string[], input = '') =>
    git.output(args, { cwd: path, input }).trimEnd();
  const blob = run(['hash-object', '-w', '--stdin'], 'text\n'.repeat(1000));
  let parent: string[] = [];
  for (let round = 0; round < 40; round++) {
    const names = Array.from({ length: 100 + round }, (_, at) => `100644 blob ${blob}\tfile-${at}`);
    const tree = run(['mktree'], `${names.join('\n')}\n`);
    const commit = run(['commit-tree', '-m', `round ${round}`, ...parent, tree]);
    parent = ['-p', commit];
    run(['tag', '-m', 'a long message, the same in all tags\n'.repeat(20), `v${round}`, commit]);
  }
  run(['update-ref', 'refs/heads/main', parent[1]!]);
  const stored: Stored[] = run(['cat-file', '--batch-all-objects', '--batch-check'])
    .split('\n')
    .map((line) => line.split(' '))
    .map(([oid = '', type = '', size]) => ({ oid, type, size: Number(size) }));
  const folder = join(path, '.git/objects');
  const open = () => new RepositoryObjects({ fileSystem: nodeFileSystem, folder, objectFormat });
  const repack = (...args: string[]) => run([...args, 'repack', '-adfq', '--depth=50']);
  return { path, run, folder, open, stored, repack };
}

type Repository = ReturnType<typeof makeRepository>;

function expectAll({ open, stored, run }: Repository): void {
  const objects = open();
  const wanted = stored.map(({ oid }) => oid).join('\n');
  const contents = git.run(['cat-file', '--batch'], {
    cwd: run(['rev-parse', '--show-toplevel']),
    input: wanted,
  }).stdoutBytes;
  let at = 0;
  for (const { oid, type, size } of stored) {
    at = contents.indexOf(0x0a, at) + 1;
    expect(objects.find(oid)).toEqual({ type, size });
    const object = objects.read(oid)!;
    expect(object.type).toBe(type);
    expect(contents.compare(object.content, 0, size, at, at + size)).toBe(0);
    at += size + 1;
  }
  objects.close();
}

/** The one pack's files. */
function packFiles(folder: string): { index: string; data: string } {
  const names = readdirSync(`${folder}/pack`);
  const named = (end: string) =>
    `${folder}/pack/${names.find((name) => name.endsWith(end)) ?? 'none'}`;
  return { index: named('.idx'), data: named('.pack') };
}

describeWithGit('packs', () => {
  describe.each(['sha1', 'sha256'] as const)('of %s', (objectFormat) => {
    let repository: Repository;
    beforeAll(() => {
      repository = makeRepository(objectFormat);
    });

    it('are read with deltas of earlier objects', () => {
      repository.repack();
      const { index } = packFiles(repository.folder);
      expect(repository.run(['verify-pack', '-v', index])).toMatch(/^chain length = 1: /m);
      expectAll(repository);
    });

    it('are read with deltas of objects by their ids, and indexes of version 1', () => {
      const settings = ['pack.indexVersion=1', 'repack.useDeltaBaseOffset=false'];
      repository.repack(...settings.flatMap((setting) => ['-c', setting]));
      expect(readFileSync(packFiles(repository.folder).index)[0]).not.toBe(0xff);
      expectAll(repository);
    });

    it('are read with offsets of 64 bits', () => {
      repository.repack();
      const { index, data } = packFiles(repository.folder);
      rmSync(index);
      repository.run(['index-pack', '--index-version=2,0x100', '-o', index, data]);
      expectAll(repository);
    });

    it('are read where there are many', () => {
      const { run, folder, stored } = repository;
      for (const part of [stored.slice(0, 40), stored.slice(40, 80), stored.slice(80)]) {
        const ids = part.map(({ oid }) => oid).join('\n');
        run(['pack-objects', '-q', `${folder}/pack/pack`], `${ids}\n`);
      }
      expect(readdirSync(`${folder}/pack`).filter((name) => name.endsWith('.idx'))).toHaveLength(4);
      expectAll(repository);
    });

    it('are found again when others have replaced them', async () => {
      const { run, open, stored, repack, folder } = repository;
      const objects = open();
      const [first, second, third] = stored as [Stored, Stored, Stored];
      expect(objects.find(first.oid)).toMatchObject({ type: first.type });
      repack('-c', 'pack.compression=1');
      expect(objects.find(second.oid)).toMatchObject({ type: second.type });
      await new Promise(setImmediate);
      const { index, data } = packFiles(folder);
      for (const [file, end] of [
        [index, '.idx'],
        [data, '.pack'],
      ] as const) {
        renameSync(file, `${folder}/pack/pack-${'0'.repeat(40)}${end}`);
      }
      expect(objects.find(third.oid)).toMatchObject({ type: third.type });
      const added = run(['hash-object', '-w', '--stdin'], 'new\n');
      expect(objects.find(added)).toEqual({ type: 'blob', size: 4 });
      rmSync(`${folder}/pack`, { recursive: true });
      await new Promise(setImmediate);
      expect(objects.find(third.oid)).toBe('missing');
    });
  });

  it('are told of by file and place where they are damaged', () => {
    const { folder, repack, open, stored } = makeRepository('sha1');
    repack();
    const { index, data } = packFiles(folder);
    for (const file of [index, data]) chmodSync(file, 0o644);
    const bytes = { [index]: readFileSync(index), [data]: readFileSync(data) };
    const { oid } = stored[0]!;
    const cases: [string, number, number[], string][] = [
      [index, 4, [0, 0, 0, 3], 'expected version 2, found 3'],
      [index, 8 + 4 * 8, [0, 0, 0, 0], 'expected at least'],
      [data, 0, [0], "expected 'PACK'"],
      [data, 4, [0, 0, 0, 9], 'expected version 2 or 3, found 9'],
      [data, 8, [0, 0, 0, 1], 'objects, as its index has, found 1'],
    ];
    for (const [file, at, change, expected] of cases) {
      const damaged = Buffer.from(bytes[file]!);
      damaged.set(change, at);
      writeFileSync(file, damaged);
      const message = expect.stringMatching(new RegExp(`^${file}: at byte \\d+: .*${expected}`));
      expect(() => open().find(oid)).toThrow(
        expect.objectContaining({ code: 'CORRUPT_OBJECT', file, message }),
      );
      writeFileSync(file, bytes[file]!);
    }
    for (const file of [index, data]) {
      for (const length of [0, 11, 1031, bytes[file]!.length - 1]) {
        writeFileSync(file, bytes[file]!.subarray(0, length));
        expect(() => open().find(oid)).toThrow(expect.objectContaining({ file }));
      }
      writeFileSync(file, bytes[file]!);
    }
    expect(open().find(oid)).toMatchObject({ type: stored[0]!.type });
  });

  it('are told of where a delta is one of itself', () => {
    const { folder, open, stored } = makeRepository('sha1');
    const hash = (bytes: Uint8Array) => createHash('sha1').update(bytes).digest();
    const oid = Buffer.from('d'.repeat(40), 'hex');
    const entry = Buffer.concat([Buffer.of(0x75), oid, deflateSync(Buffer.of(5, 5, 0x90, 5, 0))]);
    const entries = Buffer.concat([Buffer.from('PACK\0\0\0\x02\0\0\0\x01'), entry]);
    const data = Buffer.concat([entries, hash(entries)]);
    const fanOut = Buffer.alloc(1024);
    for (let byte = oid[0]!; byte < 256; byte++) fanOut.writeUInt32BE(1, 4 * byte);
    const index = Buffer.concat([fanOut, Buffer.of(0, 0, 0, 12), oid, hash(entries)]);
    const file = `${folder}/pack/pack-${'d'.repeat(40)}`;
    writeFileSync(`${file}.pack`, data);
    writeFileSync(`${file}.idx`, Buffer.concat([index, hash(index)]));
    const message = `${file}.pack: at byte 12: expected at most 4095 deltas`;
    expect(() => open().find(oid.toString('hex'))).toThrow(message);
    expect(() => open().read(oid.toString('hex'))).toThrow(message);
    expect(open().find(stored[0]!.oid)).toMatchObject({ type: stored[0]!.type });
  });

  it('never give another object than was asked for, whatever byte is damaged', () => {
    const { folder, repack, open, stored } = makeRepository('sha1');
    repack();
    const { index, data } = packFiles(folder);
    let refused = 0;
    for (const file of [index, data]) {
      chmodSync(file, 0o644);
      const whole = readFileSync(file);
      for (let at = 0; at < whole.length; at += 1 + (at % 53)) {
        const damaged = Buffer.from(whole);
        damaged[at]! ^= 1 << (at & 7);
        writeFileSync(file, damaged);
        const objects = open();
        for (const { oid, type, size } of [stored[at % stored.length]!, stored.at(-1)!]) {
          try {
            const object = objects.read(oid);
            if (object !== undefined)
              expect([object.type, object.content.length]).toEqual([type, size]);
          } catch (error) {
            if (!(error instanceof RefError) || error.code !== 'CORRUPT_OBJECT') throw error;
            refused++;
          }
        }
        objects.close();
      }
      writeFileSync(file, whole);
    }
    expect(refused).toBeGreaterThan(10);
  });
});
