// Compaction: what it merges, that nothing is lost by it, and who may work beside it.

import fs from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Stack } from '../../src/stack/stack.ts';
import { nodeCompression } from '../../src/storage/node-compression.ts';
import { nodeFileSystem } from '../../src/storage/node-file-system.ts';
import { TableWriter } from '../../src/table/table-writer.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { append, oid, openStack, refsOf } from './sample-tables.ts';
import { type Call, systemError, watchedFileSystem } from './watched-file-system.ts';

let folder: string;
let onCall: (call: Call) => unknown;
const watching = watchedFileSystem((call) => onCall(call));
beforeEach(() => {
  folder = temporaryFolder();
  onCall = () => {};
});

const filesIn = (directory: string) => fs.readdirSync(directory).sort();

/** Commits a table with a tombstone for each name. */
async function appendTombstones(stack: Stack, ...names: string[]): Promise<void> {
  const addition = await stack.beginAddition({ timeout: -1 });
  const { updateIndex } = addition;
  const writer = new TableWriter({
    objectFormat: 'sha1',
    compression: nodeCompression,
    minUpdateIndex: updateIndex,
    maxUpdateIndex: updateIndex,
  });
  for (const name of names) writer.addRef({ name, updateIndex });
  await addition.commit(writer.finish());
}

/** A stack of tables with these refs, one a table. */
async function stackOf(names: readonly string[], fileSystem = nodeFileSystem): Promise<Stack> {
  const stack = openStack(folder, fileSystem);
  for (const name of names) await append(stack, name);
  return stack;
}

const lockTable = (name: string) => fs.writeFileSync(join(folder, `${name}.lock`), '');

describe('compacting the whole stack', () => {
  it('leaves one table with the same refs, and no other file', async () => {
    const stack = await stackOf(['refs/heads/a', 'refs/heads/b', 'refs/heads/a']);
    const before = refsOf(stack.current());
    await stack.compact('all');
    expect(refsOf(stack.current())).toEqual(before);
    const [name] = stack.current().names;
    expect(name).toMatch(/^0x000000000001-0x000000000003-[0-9a-f]{8}\.ref$/);
    expect(filesIn(folder)).toEqual([name, 'tables.list']);
    expect(stack.current().nextUpdateIndex).toBe(4);
    expect(stack.stats).toMatchObject({ compactions: 1, compactionsFailed: 0 });
    stack.close();
  });

  it('leaves a stack of one table, or none, alone', async () => {
    const stack = openStack(folder);
    await stack.compact('all');
    await append(stack, 'refs/heads/a');
    const files = filesIn(folder);
    await stack.compact('all');
    expect(filesIn(folder)).toEqual(files);
    expect(stack.stats.compactions).toBe(0);
    stack.close();
  });

  it('leaves no table where no record is left', async () => {
    const stack = await stackOf(['refs/heads/a']);
    await appendTombstones(stack, 'refs/heads/a');
    await stack.compact('all');
    expect(filesIn(folder)).toEqual(['tables.list']);
    expect(stack.current().names).toEqual([]);
    await append(stack, 'refs/heads/b');
    expect(refsOf(stack.current())).toEqual(['refs/heads/b=1']);
    stack.close();
  });

  it('reads on from a snapshot whose tables are gone', async () => {
    const stack = await stackOf(['refs/heads/a', 'refs/heads/b']);
    const snapshot = stack.current().retain();
    const refs = snapshot.merged.refs();
    expect(refs.next().value).toMatchObject({ name: 'refs/heads/a' });
    await append(stack, 'refs/heads/a');
    await stack.compact('all');
    expect(refs.next().value).toMatchObject({ name: 'refs/heads/b', oid: oid(2) });
    expect(refsOf(snapshot)).toEqual(['refs/heads/a=1', 'refs/heads/b=2']);
    snapshot.release();
    stack.close();
  });

  it('is refused while somebody compacts one of the tables, and changes nothing', async () => {
    const stack = await stackOf(['refs/heads/a', 'refs/heads/b', 'refs/heads/c']);
    lockTable(stack.current().names[1]!);
    const files = filesIn(folder);
    await expect(stack.compact('all')).rejects.toMatchObject({
      code: 'LOCKED',
      file: join(folder, `${stack.current().names[1]}.lock`),
    });
    expect(filesIn(folder)).toEqual(files);
    expect(stack.stats).toMatchObject({ compactions: 0, compactionsFailed: 1 });
    stack.close();
  });
});

describe('compacting what is out of proportion', () => {
  it('follows each append, so that a stack has few tables', async () => {
    const stack = openStack(folder, nodeFileSystem, { autoCompaction: true });
    for (let i = 0; i < 100; i++) {
      await append(stack, `refs/heads/${String(i).padStart(3, '0')}`);
      await stack.idle();
      expect(stack.current().names.length).toBeLessThanOrEqual(Math.log2(i + 1) + 2);
    }
    expect(refsOf(stack.current())).toHaveLength(100);
    expect(filesIn(folder)).toHaveLength(stack.current().names.length + 1);
    stack.close();
  });

  it('keeps the tombstones of refs in older tables', async () => {
    const names = Array.from({ length: 200 }, (_, i) => `refs/heads/${i + 100}`);
    const stack = openStack(folder);
    await append(stack, ...names);
    await appendTombstones(stack, 'refs/heads/150');
    await append(stack, 'refs/heads/zzz');
    await stack.compact('geometric');
    expect(stack.current().names).toHaveLength(2);
    const refs = refsOf(stack.current());
    expect(refs).toHaveLength(200);
    expect(refs).not.toContain('refs/heads/150=1');
    stack.close();
  });

  it('goes on with the newer tables where somebody compacts the older ones', async () => {
    const stack = await stackOf(['refs/heads/a', 'refs/heads/b', 'refs/heads/c', 'refs/heads/d']);
    const [oldest, second] = stack.current().names;
    lockTable(second!);
    await stack.compact('geometric');
    expect(stack.current().names.slice(0, 2)).toEqual([oldest, second]);
    expect(stack.current().names).toHaveLength(3);
    expect(refsOf(stack.current())).toHaveLength(4);
    expect(filesIn(folder).filter((name) => name.endsWith('.lock'))).toEqual([`${second}.lock`]);
    stack.close();
  });

  it('never fails the append that it follows', async () => {
    const stack = openStack(folder, watching, { autoCompaction: true });
    await append(stack, 'refs/heads/a');
    lockTable(stack.current().names[0]!);
    await append(stack, 'refs/heads/b');
    await stack.idle();
    expect(stack.stats).toMatchObject({ compactions: 0, compactionsFailed: 1 });
    expect(refsOf(stack.current())).toEqual(['refs/heads/a=1', 'refs/heads/b=2']);
    fs.unlinkSync(join(folder, `${stack.current().names[0]}.lock`));
    await append(stack, 'refs/heads/c');
    await stack.idle();
    expect(stack.current().names).toHaveLength(1);
    stack.close();
  });

  it('is carried to its end when the stack is closed meanwhile', async () => {
    const stack = openStack(folder, watching, { autoCompaction: true });
    await append(stack, 'refs/heads/a');
    await append(stack, 'refs/heads/b');
    stack.close();
    await stack.idle();
    expect(watching.descriptors).toEqual(new Set());
    const reader = openStack(folder);
    expect(reader.current().names).toHaveLength(1);
    expect(filesIn(folder)).toHaveLength(2);
    reader.close();
  });
});

describe('beside a compaction', () => {
  /** Lets `meanwhile` run to its end when the merged table is about to be written. */
  function whileMerging(meanwhile: () => Promise<void>): void {
    onCall = ({ name, path }) => {
      if (name !== 'create' || !path?.includes('.temp.')) return;
      onCall = () => {};
      return meanwhile();
    };
  }

  it('others append, and their tables stay behind the merged one', async () => {
    const stack = await stackOf(['refs/heads/a', 'refs/heads/b'], watching);
    const other = openStack(folder);
    let appended: string | undefined;
    whileMerging(async () => {
      appended = await append(other, 'refs/heads/a');
    });
    await stack.compact('all');
    expect(stack.current().names.at(-1)).toBe(appended);
    expect(stack.current().names).toHaveLength(2);
    expect(refsOf(stack.current())).toEqual(['refs/heads/a=3', 'refs/heads/b=2']);
    for (const each of [stack, other]) each.close();
  });

  it('others do not compact the same tables', async () => {
    const stack = await stackOf(['refs/heads/a', 'refs/heads/b'], watching);
    const other = openStack(folder);
    whileMerging(async () => {
      await expect(other.compact('all')).rejects.toMatchObject({ code: 'LOCKED' });
    });
    await stack.compact('all');
    expect(other.stats.compactionsFailed).toBe(1);
    expect(refsOf(stack.current())).toEqual(['refs/heads/a=1', 'refs/heads/b=2']);
    for (const each of [stack, other]) each.close();
  });

  it('tables that are replaced in spite of their locks stay replaced', async () => {
    const stack = await stackOf(['refs/heads/a', 'refs/heads/b'], watching);
    const other = openStack(folder);
    whileMerging(async () => {
      for (const name of filesIn(folder)) {
        if (name.endsWith('.ref.lock')) fs.unlinkSync(join(folder, name));
      }
      await other.compact('all');
      await append(other, 'refs/heads/a');
    });
    await expect(stack.compact('all')).rejects.toMatchObject({ code: 'LOCKED' });
    expect(refsOf(stack.current())).toEqual(['refs/heads/a=3', 'refs/heads/b=2']);
    expect(filesIn(folder)).toEqual([...other.current().names, 'tables.list'].sort());
    for (const each of [stack, other]) each.close();
  });
});

describe('a compaction that fails', () => {
  it('at any call leaves the stack as it was, and neither lock nor file behind', async () => {
    const calls: Call[] = [];
    const make = async () => {
      folder = temporaryFolder();
      onCall = () => {};
      return stackOf(['refs/heads/a', 'refs/heads/b', 'refs/heads/c'], watching);
    };
    const counted = await make();
    onCall = (call) => calls.push(call);
    await counted.compact('all');
    counted.close();
    // What comes behind the folder's sync is done when the compaction stands.
    const order = calls.slice(0, calls.findLastIndex(({ name }) => name === 'folder.sync') + 1);
    expect(order.length).toBeGreaterThan(20);
    for (const [index, { name }] of order.entries()) {
      const stack = await make();
      const files = filesIn(folder);
      const before = stack.current().names;
      let call = 0;
      onCall = (made) => {
        if (call++ === index) throw systemError('ENOSPC', made);
      };
      const outcome = await stack.compact('all').catch((error: unknown) => error);
      onCall = () => {};
      const what = `call ${index}, ${name}`;
      expect(refsOf(stack.current()), what).toEqual([
        'refs/heads/a=1',
        'refs/heads/b=2',
        'refs/heads/c=3',
      ]);
      if (outcome !== undefined) {
        expect(outcome, what).toMatchObject({ code: 'IO', cause: { code: 'ENOSPC' } });
        expect(stack.current().names, what).toEqual(before);
        expect(filesIn(folder), what).toEqual(files);
      }
      await stack.compact('all');
      expect(stack.current().names, what).toHaveLength(1);
      stack.close();
      expect(watching.descriptors, what).toEqual(new Set());
    }
  });
});
