// `dump` and `stack`: what people and programs see of tables.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { initRepository } from '../../src/repository/init.ts';
import { fixture } from '../support/fixtures.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildCommandLine, reftable } from './command-line.ts';

beforeAll(buildCommandLine);

function output(...args: string[]): string {
  const { code, stdout, stderr } = reftable(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

describe('dump', () => {
  it('shows header, footer and every record of a table', () => {
    const [oldest, , newest] = fixture('reflogs').tables;
    expect(output('dump', oldest!)).toBe(
      `0x000000000001-0x000000000004-50796cc0.ref  414 bytes
  header  version 1, sha1, blocks of 4,096, update indexes 1 to 4
  footer  at 346: log at 97

ref block at 0, 97 bytes, 2 records, 2 restart points
  28  *  HEAD             @1  -> refs/heads/main
  51  *  refs/heads/main  @4  663c6ffee081c9129a3b69a058b1aa0a1b2544b4

log block at 97, 249 bytes, 682 inflated, 6 records, 2 restart points
    4  *  HEAD             @4  da1a822a6d..663c6ffee0  2023-11-14 14:41:20 -0800  Cy Committer <cy@example.com>  commit: third
  109     HEAD             @3  71e0fd97de..da1a822a6d  2023-11-15 04:10:20 +0530  Cy Committer <cy@example.com>  commit: zweite Änderung — ü✓
  223     HEAD             @2  0000000000..71e0fd97de  2023-11-14 22:39:20 +0000  Cy Committer <cy@example.com>  commit (initial): first commit
  333  *  refs/heads/main  @4  da1a822a6d..663c6ffee0  2023-11-14 14:41:20 -0800  Cy Committer <cy@example.com>  commit: third
  450     refs/heads/main  @3  71e0fd97de..da1a822a6d  2023-11-15 04:10:20 +0530  Cy Committer <cy@example.com>  commit: zweite Änderung — ü✓
  564     refs/heads/main  @2  0000000000..71e0fd97de  2023-11-14 22:39:20 +0000  Cy Committer <cy@example.com>  commit (initial): first commit

* restart point: the key is stored whole
`,
    );
    expect(output('dump', newest!)).toContain('\n  145     refs/heads/main  @3  deleted\n');
  });

  it('shows a line a block with --blocks', () => {
    const lines = output('dump', '--blocks', fixture('many-refs').tables[0]!).split('\n');
    const blocks = lines.slice(5).map((line) => line.split(/ {2,}/).slice(0, 2));
    expect(blocks[0]).toEqual(['ref', '0']);
    expect(blocks.filter(([type]) => type === 'ref')).toHaveLength(19);
    expect(blocks).toContainEqual(['ref index', '77,824']);
    expect(blocks).toContainEqual(['object', '81,920']);
    expect(blocks).toContainEqual(['log index', '95,949']);
  });

  it('gives programs everything', () => {
    const { tables } = fixture('peeled-and-symbolic');
    const { header, footer, blocks } = JSON.parse(output('dump', '--json', tables[0]!));
    expect(header).toMatchObject({ version: 1, objectFormat: 'sha1', maxUpdateIndex: 9 });
    expect(footer).toMatchObject({ offset: 517, logOffset: 356, refIndexOffset: 0 });
    expect(blocks[0]).toMatchObject({ type: 'ref', offset: 0, length: 356, restarts: [28, 51] });
    expect(blocks[0].records[0]).toMatchObject({ name: 'HEAD', target: 'refs/heads/main' });
    expect(blocks[0].records[6]).toMatchObject({
      name: 'refs/tags/v1',
      position: 215,
      oid: 'd86fa84ae92e93b7278adc9f1969c35500539031',
      peeled: '471cb92dbfdfdf0eee17bedaa4249755a96e6741',
    });
    expect(blocks[1].records[2].entry).toMatchObject({ time: 1700001080, timezone: 0 });
  });

  it('knows which keys an index holds', () => {
    const { blocks } = JSON.parse(output('dump', '--json', fixture('many-refs').tables[0]!));
    const indexes = blocks.filter(({ type }: { type: string }) => type === 'index');
    const lastKeys = indexes.map((index: { records: { lastKey: string }[] }) => {
      return index.records.at(-1)!.lastKey;
    });
    expect(lastKeys).toEqual(['refs/heads/topic/003000', 'refs/heads/topic/003000 3']);
  });

  it('says of a damaged table where it is damaged', () => {
    const file = join(temporaryFolder(), 'damaged.ref');
    const bytes = readFileSync(fixture('minimal').tables[0]!);
    bytes[4] = 9;
    writeFileSync(file, bytes);
    expect(reftable(['dump', file])).toMatchObject({
      code: 128,
      stdout: '',
      stderr: `fatal: ${file}: at byte 4: expected version 1 or 2, found 9\n`,
    });
  });

  it('says that there is no such file', () => {
    expect(reftable(['dump', 'nothing.ref'])).toMatchObject({
      code: 128,
      stderr: "fatal: cannot open 'nothing.ref': No such file or directory\n",
    });
  });
});

describe('stack', () => {
  it('draws tables as bars', () => {
    const { stackFolder } = fixture('many-refs');
    expect(output('stack', stackFolder)).toBe(
      `${stackFolder}  2 tables, 118 kB

  updates     size                                    × next   refs    log  table
      1–3  97.3 kB  ████████████████████████████████     4.7  3,002  3,002  0x000000000001-0x000000000003-d42027e3.ref
        4  20.6 kB  ██████▊                                     500      0  0x000000000004-0x000000000004-13978f64.ref

Geometric: every table is at least 2 times the size of the next, newer one.
`,
    );
  });

  it('marks tables that are too small, and counts records that delete', () => {
    const drawn = output('stack', fixture('tombstones').stackFolder);
    expect(drawn).toMatch(/^ +4 +156 B +█+▌ +! 1\.0 +0 −1 +0 −1 +0x000000000004-/m);
    expect(drawn).toMatch(/^Due for compaction: 4 tables are not at least 2 times /m);
  });

  it('finds the repository around a folder, and its geometric factor', async () => {
    const folder = temporaryFolder();
    const { gitDir } = await initRepository(folder, { env: { GIT_CONFIG_NOSYSTEM: '1' } });
    const settings = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'reftable.geometricFactor' };
    const env = { ...settings, GIT_CONFIG_VALUE_0: '3', GIT_DIR: '/nonexistent' };
    const { stdout } = reftable(['stack', '--json', folder], { env });
    expect(JSON.parse(stdout)).toMatchObject({
      location: join(gitDir, 'reftable'),
      geometricFactor: 3,
      tables: [{ refs: 1, ratioToNext: null }],
    });
  });
});
