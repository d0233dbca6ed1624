import fs from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ReftableFormatError } from '../../src/errors.ts';
import { tableName } from '../../src/stack/tables-list.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { append, bytesOf, openStack, refsOf, sampleTable } from './sample-tables.ts';
import { type Call, watchedFileSystem } from './watched-file-system.ts';

let folder: string;
let calls: Call[];
let onCall: (call: Call) => void;
const watching = watchedFileSystem((call) => {
  calls.push(call);
  onCall(call);
});
beforeEach(() => {
  folder = temporaryFolder();
  calls = [];
  onCall = () => {};
});

const named = (name: string) => calls.filter((call) => call.name === name);

const openDescriptors = () => watching.descriptors.size;

/** Puts tables of these refs in the folder, not through a stack, and lists them. */
function writeStack(tables: Record<string, readonly string[]>): string[] {
  const names = Object.entries(tables).map(([n, refs]) => {
    const name = tableName(Number(n), Number(n), Number(n));
    fs.writeFileSync(join(folder, name), bytesOf(sampleTable(Number(n), refs)));
    return name;
  });
  writeList(names);
  return names;
}

function writeList(names: readonly string[]): void {
  fs.writeFileSync(join(folder, 'new'), names.map((name) => `${name}\n`).join(''));
  fs.renameSync(join(folder, 'new'), join(folder, 'tables.list'));
}

/** Refs enough for a table that is not read whole. */
const manyRefs = Array.from({ length: 5000 }, (_, i) => `refs/tags/v${String(i).padStart(6, '0')}`);

describe('what is current', () => {
  it('is found by one stat and without a reload, while nothing changes', () => {
    writeStack({ 1: ['refs/heads/a'], 2: ['refs/heads/a', 'refs/heads/b'] });
    const stack = openStack(folder, watching);
    expect(calls).toEqual([]);
    const snapshot = stack.current();
    expect(refsOf(snapshot)).toEqual(['refs/heads/a=2', 'refs/heads/b=2']);
    calls = [];
    for (let i = 0; i < 10; i++) expect(stack.current()).toBe(snapshot);
    expect(calls.map(({ name }) => name)).toEqual(Array(10).fill('stat'));
    expect(stack.stats).toMatchObject({ reloads: 1, tablesOpened: 2 });
    stack.close();
  });

  it('follows the list, and opens only the tables that are new in it', () => {
    const names = writeStack({ 1: ['refs/heads/a'], 2: ['refs/heads/b'] });
    const stack = openStack(folder, watching);
    const [first] = stack.current().tables;
    const three = writeStack({ 3: ['refs/heads/c'] });
    writeList([names[0]!, ...three]);
    calls = [];
    expect(refsOf(stack.current())).toEqual(['refs/heads/a=1', 'refs/heads/c=3']);
    expect(stack.current().tables[0]).toBe(first);
    expect(named('open').map(({ path }) => path)).toEqual([
      join(folder, 'tables.list'),
      join(folder, three[0]!),
    ]);
    expect(stack.stats).toMatchObject({ reloads: 2, tablesOpened: 3, tablesReused: 1 });
    stack.close();
  });

  it('is an empty stack where there is none, until there is one', () => {
    const stack = openStack(folder, watching);
    expect(stack.current().tables).toEqual([]);
    expect(stack.current().nextUpdateIndex).toBe(1);
    expect(stack.stats.reloads).toBe(1);
    writeStack({ 7: ['refs/heads/a'] });
    expect(refsOf(stack.current())).toEqual(['refs/heads/a=7']);
    expect(stack.current().nextUpdateIndex).toBe(8);
    stack.close();
  });

  it('is not asked of a closed stack', async () => {
    const stack = openStack(folder);
    stack.close();
    expect(() => stack.current()).toThrow(expect.objectContaining({ code: 'CLOSED' }));
    await expect(stack.beginAddition()).rejects.toMatchObject({ code: 'CLOSED' });
  });
});

describe('a table that vanishes between the list and its opening', () => {
  it('is looked for in a new list', () => {
    const [old] = writeStack({ 1: ['refs/heads/a'] });
    // A compaction comes in between: the table is replaced by another and removed.
    onCall = ({ name, path }) => {
      if (name !== 'open' || path !== join(folder, old!)) return;
      writeStack({ 2: ['refs/heads/a'] });
      fs.unlinkSync(path);
    };
    const stack = openStack(folder, watching);
    expect(refsOf(stack.current())).toEqual(['refs/heads/a=2']);
    expect(stack.stats.reloads).toBe(2);
    stack.close();
    expect(openDescriptors()).toBe(0);
  });

  it('is missing when the list has not changed, and is told at once', () => {
    const names = writeStack({ 1: ['refs/heads/a'], 2: ['refs/heads/b'], 3: ['refs/heads/c'] });
    fs.unlinkSync(join(folder, names[1]!));
    const stack = openStack(folder, watching);
    const started = performance.now();
    expect(() => stack.current()).toThrow(
      expect.objectContaining({
        code: 'MISSING_TABLE',
        file: join(folder, names[1]!),
        message: expect.stringContaining(names[1]!),
      }),
    );
    expect(performance.now() - started).toBeLessThan(100);
    expect(openDescriptors()).toBe(0);
    stack.close();
  });

  it('again and again is given up on in a few seconds', () => {
    let n = 1;
    onCall = ({ name, path }) => {
      if (name !== 'open' || !path!.endsWith('.ref')) return;
      writeStack({ [++n]: ['refs/heads/a'] });
      fs.unlinkSync(path!);
    };
    writeStack({ 1: ['refs/heads/a'] });
    const stack = openStack(folder, watching);
    const started = performance.now();
    expect(() => stack.current()).toThrow(expect.objectContaining({ code: 'MISSING_TABLE' }));
    const took = performance.now() - started;
    expect(took).toBeGreaterThan(500);
    expect(took).toBeLessThan(3500);
    expect(openDescriptors()).toBe(0);
    stack.close();
  });
});

describe('a stack that cannot be read', () => {
  it('leaves the earlier snapshot usable, and is read again when it is mended', () => {
    const names = writeStack({ 1: ['refs/heads/a', ...manyRefs] });
    const stack = openStack(folder, watching);
    const before = stack.current();
    const descriptors = openDescriptors();
    fs.writeFileSync(join(folder, tableName(2, 2, 2)), 'REFT but no table at all');
    writeList([...names, tableName(2, 2, 2)]);
    for (let i = 0; i < 3; i++) expect(() => stack.current()).toThrow(ReftableFormatError);
    expect(openDescriptors()).toBe(descriptors);
    expect(before.merged.readRef('refs/heads/a')).toMatchObject({ updateIndex: 1 });
    writeList(names);
    expect(stack.current().merged.readRef(manyRefs[4000]!)).toMatchObject({ updateIndex: 1 });
    stack.close();
    expect(openDescriptors()).toBe(0);
  });

  it('because a table has object ids of the other kind is told so', () => {
    const name = tableName(1, 1, 1);
    fs.writeFileSync(join(folder, name), bytesOf(sampleTable(1, ['refs/heads/a'], 'sha256')));
    writeList([name]);
    const stack = openStack(folder);
    expect(() => stack.current()).toThrow(
      expect.objectContaining({
        code: 'CORRUPT_TABLE',
        file: join(folder, name),
        offset: 24,
        message: expect.stringMatching(/expected .* sha1, found sha256/),
      }),
    );
    stack.close();
  });
});

describe('a snapshot', () => {
  it('that is retained goes on reading files that are gone', async () => {
    writeStack({ 1: manyRefs, 2: ['refs/heads/a'] });
    const stack = openStack(folder, watching);
    const snapshot = stack.current().retain();
    for (const name of fs.readdirSync(folder)) fs.unlinkSync(join(folder, name));
    writeStack({ 3: ['refs/heads/b'] });
    expect(refsOf(stack.current())).toEqual(['refs/heads/b=3']);
    expect(refsOf(snapshot)).toEqual(['refs/heads/a=2', ...manyRefs.map((name) => `${name}=1`)]);
    stack.close();
    expect(snapshot.merged.readRef(manyRefs[2500]!)).toMatchObject({ updateIndex: 1 });
    expect(openDescriptors()).toBe(1);
    snapshot.release();
    expect(openDescriptors()).toBe(0);
  });

  it('does not move with later commits', async () => {
    const stack = openStack(folder);
    await append(stack, 'refs/heads/a');
    const snapshot = stack.current().retain();
    await append(stack, 'refs/heads/b');
    expect(refsOf(snapshot)).toEqual(['refs/heads/a=1']);
    expect(refsOf(stack.current())).toEqual(['refs/heads/a=1', 'refs/heads/b=2']);
    snapshot.release();
    stack.close();
  });
});
