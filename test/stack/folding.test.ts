// An append that makes a compaction of small tables due: both are one change of the list.

import fs from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { nodeCompression } from '../../src/storage/node-compression.ts';
import { TableWriter } from '../../src/table/table-writer.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { append, openStack, refsOf } from './sample-tables.ts';
import { type Call, watchedFileSystem } from './watched-file-system.ts';

let folder: string;
let calls: Call[];
const watching = watchedFileSystem((call) => calls.push(call));
beforeEach(() => {
  folder = temporaryFolder();
  calls = [];
});

const autoCompaction = true;

describe('an append to small tables', () => {
  it('writes the merged table and changes the list once', async () => {
    const stack = openStack(folder, watching, { autoCompaction });
    await append(stack, 'refs/heads/a');
    calls = [];
    await append(stack, 'refs/heads/b');
    expect(calls.filter(({ name }) => name === 'create')).toHaveLength(2);
    expect(stack.stats).toMatchObject({ compactions: 1, locks: 2 });
    const [name] = stack.current().names;
    expect(name).toMatch(/^0x000000000001-0x000000000002-/);
    expect(fs.readdirSync(folder).sort()).toEqual([name, 'tables.list']);
    expect(refsOf(stack.current())).toEqual(['refs/heads/a=1', 'refs/heads/b=2']);
    stack.close();
    expect(watching.descriptors).toEqual(new Set());
  });

  it('leaves no table where all that was there is deleted', async () => {
    const stack = openStack(folder, watching, { autoCompaction });
    await append(stack, 'refs/heads/a');
    const addition = await stack.beginAddition();
    const updateIndex = addition.updateIndex;
    const writer = new TableWriter({
      objectFormat: 'sha1',
      compression: nodeCompression,
      minUpdateIndex: updateIndex,
      maxUpdateIndex: updateIndex,
    });
    writer.addRef({ name: 'refs/heads/a', updateIndex });
    await addition.commit(writer.finish());
    expect(fs.readdirSync(folder)).toEqual(['tables.list']);
    expect(stack.current().names).toEqual([]);
    stack.close();
  });

  it('leaves alone what somebody else compacts', async () => {
    const stack = openStack(folder, watching, { autoCompaction });
    const first = await append(stack, 'refs/heads/a');
    fs.writeFileSync(join(folder, `${first}.lock`), '');
    await append(stack, 'refs/heads/b');
    await stack.idle();
    expect(stack.current().names).toHaveLength(2);
    expect(refsOf(stack.current())).toEqual(['refs/heads/a=1', 'refs/heads/b=2']);
    stack.close();
  });

  it('does not fail for a damaged table', async () => {
    const before = openStack(folder);
    const first = await append(before, 'refs/heads/a');
    before.close();
    const file = join(folder, first);
    const bytes = fs.readFileSync(file);
    // The first record's name now runs past the block.
    bytes[29] = 0xff;
    fs.writeFileSync(file, bytes);
    const stack = openStack(folder, watching, { autoCompaction });
    await append(stack, 'refs/heads/b');
    await stack.idle();
    expect(stack.current().names[0]).toBe(first);
    expect(stack.current().names).toHaveLength(2);
    expect(stack.stats.compactionsFailed).toBe(1);
    stack.close();
  });
});

it('an append to large tables is published before they are merged', async () => {
  const many = (letter: string) =>
    Array.from({ length: 4000 }, (_, i) => `refs/heads/${letter}${String(i).padStart(9, '0')}`);
  const stack = openStack(folder, watching, { autoCompaction });
  await append(stack, ...many('a'));
  const second = await append(stack, ...many('b'));
  expect(fs.readFileSync(join(folder, 'tables.list'), 'latin1')).toContain(second);
  await stack.idle();
  expect(stack.current().names).toHaveLength(1);
  expect(refsOf(stack.current())).toHaveLength(8000);
  stack.close();
});
