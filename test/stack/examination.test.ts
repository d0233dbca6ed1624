// The examination of tables and stacks: nothing that is sound is called damaged, and what is damaged is found.

import fs from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ObjectFormat } from '../../src/format/index.ts';
import { examineStack } from '../../src/stack/examination/examination.ts';
import { planList } from '../../src/stack/examination/list-rebuilding.ts';
import { examineTable, type TableReading } from '../../src/stack/examination/table-examination.ts';
import { nodeCompression } from '../../src/storage/node-compression.ts';
import { nodeFileSystem } from '../../src/storage/node-file-system.ts';
import { bufferSource } from '../../src/table/index.ts';
import { fixtures } from '../support/fixtures.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { fixCrc, footer, large, patch, patchFooter, patchHeader, small } from '../table/damage.ts';
import { indexRecords, manyLogs, manyRefs, openTable, writeTable } from '../table/tables.ts';
import { append, openStack } from './sample-tables.ts';

function examine(bytes: Buffer, objectFormat?: ObjectFormat): TableReading {
  return examineTable(bufferSource('test.ref', bytes), nodeCompression, objectFormat);
}

const faultOf = (bytes: Buffer) => examine(bytes).fault?.message;

describe('a sound table', () => {
  it.for(fixtures())('of Git: $name', ({ tables, objectFormat }) => {
    for (const table of tables) {
      expect(examine(fs.readFileSync(table), objectFormat).fault).toBeUndefined();
    }
  });

  it.for([
    ['with all sections and their indexes', { refs: manyRefs(900), logs: manyLogs(900) }, {}],
    ['of refs alone', { refs: manyRefs(900) }, { indexObjects: false }],
    ['of logs alone', { logs: manyLogs(900) }, {}],
    ['that is not aligned', { refs: manyRefs(900), logs: manyLogs(9) }, { unpadded: true }],
    ['without a record', {}, {}],
  ] as const)('%s', ([, records, options]) => {
    const { refs = [], logs = [] } = records as { refs?: []; logs?: [] };
    const reading = examine(writeTable({ refs, logs }, { blockSize: 256, ...options }));
    expect(reading).toMatchObject({ fault: undefined, refs: refs.length, logs: logs.length });
  });
});

describe('a damaged table', () => {
  const [entry] = indexRecords(openTable(large), footer.refIndexOffset);

  it.for([
    ['a key before the one that it follows', patch(small, 81, [5, 0x09, 0x5a]), 84, 'a key above'],
    ['a restart point amid a record', patch(small, 105, [0, 0, 57]), -1, 'a restart point from 28'],
    [
      'a ref after the last update index',
      patchHeader(small, 16, [0, 0, 0, 0, 0, 0, 0, 0]),
      36,
      'an update index of at most 0',
    ],
    [
      'update indexes that run backwards',
      patchHeader(small, 8, [0, 0, 0, 0, 0, 0, 9, 0]),
      16,
      'a last update index',
    ],
    [
      'an index entry that leads elsewhere',
      patch(large, entry!.at + 1, [large[entry!.at + 1]! ^ 1]),
      entry!.at,
      'the block at byte',
    ],
    ['a footer without the object section', patchFooter(large, 'objects', 0), -1, 'the offset'],
    ['a footer without the index of refs', patchFooter(large, 'refIndex', 0), -1, 'the offset'],
    ['a footer without the log', patchFooter(large, 'logs', 0), -1, 'the offset'],
    [
      'a footer with a log index that is not there',
      patchFooter(large, 'logIndex', 99),
      -1,
      'the offset 0, found 99',
    ],
  ] as const)('%s', ([, bytes, offset, expected]) => {
    const at = offset < 0 ? '\\d+' : offset;
    expect(faultOf(bytes)).toMatch(new RegExp(`^test\\.ref: at byte ${at}: expected ${expected}`));
  });

  it('of another object format', () => {
    expect(examine(small, 'sha256').fault?.message).toBe(
      "test.ref: at byte 4: expected object ids of the repository's format, sha256, found sha1",
    );
  });

  it('is found by any byte of the object section or of an index that is not as it was', () => {
    const table = openTable(large);
    let tried = 0;
    for (const block of table.blocks()) {
      const type = String.fromCharCode(block.type);
      if (type !== 'o' && type !== 'i') continue;
      for (let at = block.offset; at < block.offset + block.storedLength; at += 7, tried++) {
        const found = faultOf(patch(large, at, [large[at]! ^ 0x55]));
        expect(found, `byte ${at} of ${block.offset}`).toBeDefined();
      }
    }
    expect(tried).toBeGreaterThan(1000);
  });

  it('never makes the examination fail, whatever its bytes are', () => {
    for (let i = 0; i < 2000; i++) {
      const at = (i * 7919) % large.length;
      const bytes = fixCrc(patch(large, at, [(large[at]! + 1 + i) & 0xff]));
      expect(() => examine(bytes)).not.toThrow();
      expect(() => examine(bytes.subarray(0, at))).not.toThrow();
    }
  });

  it('is counted as far as it can be read', () => {
    const [first, second] = openTable(large).blocks();
    const { refs, logs, fault } = examine(patch(large, second!.offset + 4, [9]));
    expect(fault).toBeDefined();
    expect(logs).toBe(2);
    const refsInABlock = examine(large).refs / 80;
    expect(first!.offset).toBe(0);
    expect(refs).toBeLessThan(900);
    expect(refs).toBeGreaterThan(900 - 4 * refsInABlock);
  });
});

describe('a list from the tables that are there', () => {
  const table = (name: string, min: number, max: number, fault?: TableReading['fault']) => ({
    name,
    reading: {
      ...examine(writeTable({}, { minUpdateIndex: min, maxUpdateIndex: max })),
      fault,
    },
  });

  it('is told where they fit together in one way', () => {
    const tables = [table('c', 6, 6), table('a', 1, 4), table('b', 5, 5)];
    expect(planList(tables, ['a', 'c'])).toEqual({ names: ['a', 'b', 'c'] });
  });

  it.for([
    ['a gap', [table('a', 1, 4), table('b', 6, 6)], [], /no table has update index 5/],
    ['no beginning', [table('b', 3, 6)], [], /no table has update indexes 1 to 2/],
    ['an overlap', [table('a', 1, 4), table('b', 4, 6)], [], /b has update indexes/],
    ['two of one range', [table('a', 1, 4), table('b', 1, 4)], [], /has update indexes/],
    ['a damaged one', [table('a', 1, 4, examine(small, 'sha256').fault)], [], /a is damaged/],
    ['one that the list names and is not there', [table('a', 1, 4)], ['a', 'z'], /names z/],
    ['another order in the list', [table('a', 1, 1), table('b', 2, 2)], ['b', 'a'], /order/],
  ] as const)('is not told of tables with %s', ([, tables, remembered, whyNot]) => {
    expect(planList(tables, remembered)).toEqual({ whyNot: expect.stringMatching(whyNot) });
  });
});

describe('a stack', () => {
  const settings = { compression: nodeCompression };
  const examineFolder = (folder: string) => examineStack(nodeFileSystem, folder, settings);

  it('is described table by table', async () => {
    const folder = temporaryFolder();
    const stack = openStack(folder);
    const names = [await append(stack, 'refs/a', 'refs/b'), await append(stack, 'refs/c')];
    stack.close();
    const { tables, findings, list } = await examineFolder(folder);
    expect(tables.map(({ name, reading }) => [name, reading?.refs])).toEqual([
      [names[0], 2],
      [names[1], 1],
    ]);
    expect(list.state).toBe('good');
    expect(findings).toEqual([]);
  });

  it('is not damaged by what passes while it is looked at', async () => {
    const folder = temporaryFolder();
    const stack = openStack(folder);
    await append(stack, 'refs/a');
    stack.close();
    // A writer that is between two steps, and done with both before the second look.
    const passing = ['tables.list.lock', 'tables.list.temp.000000', 'x.ref'];
    for (const name of passing) fs.writeFileSync(join(folder, name), '');
    let looks = 0;
    const watched = {
      ...nodeFileSystem,
      list: (directory: string) => {
        if (++looks === 2) for (const name of passing) fs.unlinkSync(join(folder, name));
        return nodeFileSystem.list(directory);
      },
    };
    const { findings } = await examineStack(watched, folder, settings);
    expect(looks).toBe(2);
    expect(findings).toEqual([]);
  });

  it('reads the list again where a table has vanished', async () => {
    const folder = temporaryFolder();
    const stack = openStack(folder);
    for (const name of ['refs/a', 'refs/b']) await append(stack, name);
    const [first] = stack.current().names;
    const watched = {
      ...nodeFileSystem,
      open: (path: string) => {
        if (basename(path) === first && fs.existsSync(path)) {
          const list = join(folder, 'tables.list');
          fs.writeFileSync(`${list}.new`, `${stack.current().names[1]}\n`);
          fs.renameSync(`${list}.new`, list);
          fs.unlinkSync(path);
        }
        return nodeFileSystem.open(path);
      },
    };
    const { findings, tables } = await examineStack(watched, folder, settings);
    stack.close();
    expect(findings).toEqual([]);
    expect(tables).toHaveLength(1);
  });

  it('cannot be examined where its folder cannot be read', async () => {
    const missing = join(temporaryFolder(), 'missing');
    await expect(examineFolder(missing)).rejects.toMatchObject({ code: 'IO' });
  });
});
