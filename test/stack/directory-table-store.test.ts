import fs from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { DirectoryTableStore } from '../../src/stack/directory-table-store.ts';
import { MAX_LIST_SIZE, tableName } from '../../src/stack/tables-list.ts';
import { nodeFileSystem } from '../../src/storage/node-file-system.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  type Call,
  systemError,
  type WatchedFileSystem,
  watchedFileSystem,
} from './watched-file-system.ts';

const first = tableName(1, 1, 1);
const second = tableName(2, 2, 2);

let folder: string;
let calls: string[];
let watching: WatchedFileSystem;
let store: DirectoryTableStore;
let failing: (call: Call) => boolean;
beforeEach(() => {
  folder = temporaryFolder();
  calls = [];
  failing = () => false;
  watching = watchedFileSystem((call) => {
    calls.push(call.name);
    if (failing(call)) throw systemError('ENOSPC', call);
  });
  store = new DirectoryTableStore(watching, folder);
});

/** Publishes a table of this text, listed behind the others. */
async function put(into: DirectoryTableStore, name: string, text: string): Promise<void> {
  const lock = await into.lock(0);
  const list = into.readList();
  const staged = await into.stage(name, [[Buffer.from(text)]]);
  into.releaseList(await into.swapList(list, [...list.names, name], staged));
  into.releaseList(list);
  await lock.release();
}

function writeList(...names: string[]): void {
  const temporary = join(folder, 'new');
  fs.writeFileSync(temporary, names.map((name) => `${name}\n`).join(''));
  fs.renameSync(temporary, join(folder, 'tables.list'));
}

describe('the list and its identity', () => {
  it('is current, for one stat, until it is replaced', () => {
    writeList(first);
    const list = store.readList();
    expect(list.names).toEqual([first]);
    calls = [];
    expect(store.isCurrent(list)).toBe(true);
    expect(calls).toEqual(['stat']);
    writeList(first);
    expect(store.isCurrent(list)).toBe(false);
    store.releaseList(list);
  });

  it('is read with three calls, and costs no descriptor once released', () => {
    writeList(first, second);
    const list = store.readList();
    expect(calls).toEqual(['open', 'statOpen', 'read']);
    store.releaseList(list);
    store.releaseList(list);
    expect(watching.descriptors).toEqual(new Set());
    expect(store.isCurrent(list)).toBe(false);
  });

  it('is empty where there is no file, and notices when there is one', () => {
    const list = store.readList();
    expect(list.names).toEqual([]);
    expect(store.isCurrent(list)).toBe(true);
    writeList();
    expect(store.isCurrent(list)).toBe(false);
    store.releaseList(list);
  });

  it('notices that its file is gone', () => {
    writeList(first);
    const list = store.readList();
    fs.unlinkSync(join(folder, 'tables.list'));
    expect(store.isCurrent(list)).toBe(false);
    store.releaseList(list);
  });

  it('tells versions apart that have the same length and time', () => {
    writeList(first);
    const list = store.readList();
    // Often enough for a file system that hands out inode numbers again.
    for (let i = 0; i < 20; i++) {
      writeList(first);
      const { atime, mtime } = fs.fstatSync((list.identity as { descriptor: number }).descriptor);
      fs.utimesSync(join(folder, 'tables.list'), atime, mtime);
      expect(store.isCurrent(list)).toBe(false);
    }
    store.releaseList(list);
  });

  it('is never trusted where the system has no inode numbers', () => {
    writeList(first);
    const withoutInodes = new DirectoryTableStore(
      {
        ...nodeFileSystem,
        stat: (path) => ({ ...nodeFileSystem.stat(path)!, inode: 0n }),
        statOpen: (descriptor) => ({ ...nodeFileSystem.statOpen(descriptor), inode: 0n }),
      },
      folder,
    );
    const list = withoutInodes.readList();
    expect(withoutInodes.isCurrent(list)).toBe(false);
    withoutInodes.releaseList(list);
  });

  it.each([
    ['is damaged', () => writeList('../x.ref'), /tables\.list: line 1/, 'CORRUPT_LIST'],
    [
      'is absurdly large',
      () => {
        fs.writeFileSync(join(folder, 'tables.list'), '');
        fs.truncateSync(join(folder, 'tables.list'), MAX_LIST_SIZE + 1_000_000);
      },
      /at most 16777216 bytes/,
      'CORRUPT_LIST',
    ],
    ['is a folder', () => fs.mkdirSync(join(folder, 'tables.list')), /Is a directory/, 'IO'],
  ])('is refused, its file and its descriptor let go, when it %s', (_what, make, message, code) => {
    make();
    expect(() => store.readList()).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
    expect(watching.descriptors).toEqual(new Set());
  });
});

describe('a table', () => {
  it('is complete and on the disk, name and all, before a list names it', async () => {
    const pieces = [[Buffer.from('ab'), Buffer.from('c')], [], [Buffer.from('d')]];
    const lock = await store.lock(0);
    const before = store.readList();
    calls = [];
    const staged = await store.stage(first, pieces);
    expect(store.tables()).toEqual([]);
    await staged.finish();
    expect(calls).toEqual([
      'create',
      'file.write',
      'file.write',
      'list',
      'file.sync',
      'file.close',
    ]);
    calls = [];
    store.releaseList(await store.swapList(before, [first], staged));
    expect(calls.filter((name) => /sync|rename/.test(name))).toEqual([
      ...['rename', 'file.sync', 'folder.sync', 'rename', 'folder.sync'],
    ]);
    await lock.release();
    expect(store.tables()).toEqual([first]);
    expect(fs.readdirSync(folder).sort()).toEqual([first, 'tables.list']);
    expect(fs.readFileSync(join(folder, first), 'utf8')).toBe('abcd');
  });

  it('that is not wanted any more is removed', async () => {
    const staged = await store.stage(first, [[Buffer.from('abc')]]);
    staged.discard();
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it('that cannot be made to the end leaves nothing behind', async () => {
    function* pieces() {
      yield [Buffer.from('abc')];
      throw new Error('damaged');
    }
    await expect(store.stage(first, pieces())).rejects.toThrow('damaged');
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it.each(['create', 'file.write', 'file.sync', 'file.close'])(
    'leaves nothing behind when %s fails',
    async (name) => {
      failing = (call) => call.name === name;
      const write = async () => {
        const staged = await store.stage(first, [[Buffer.from('abc')]]);
        await staged.finish().finally(() => staged.discard());
      };
      await expect(write()).rejects.toMatchObject({
        code: 'IO',
        file: join(folder, first),
        message: `Unable to write '${join(folder, first)}': No space left on device`,
        cause: { code: 'ENOSPC' },
      });
      expect(fs.readdirSync(folder)).toEqual([]);
    },
  );

  it('is read whole when it is small, and by pieces when it is not', () => {
    const small = Buffer.from('small');
    const large = Buffer.alloc(1_000_000, 'large');
    fs.writeFileSync(join(folder, first), small);
    fs.writeFileSync(join(folder, second), large);
    const sources = [store.open(first), store.open(second)] as const;
    expect(calls).toEqual(['open', 'statOpen', 'read', 'close', 'open', 'statOpen']);
    expect(sources.map(({ name, size }) => [name, size])).toEqual([
      [join(folder, first), small.length],
      [join(folder, second), large.length],
    ]);
    expect(Buffer.from(sources[0].read(1, 3)).toString()).toBe('mal');
    expect(Buffer.from(sources[1].read(500_000, 5)).toString()).toBe('large');
    for (const source of sources) source.close();
    expect(() => sources[1].read(0, 1)).toThrow(expect.objectContaining({ code: 'CLOSED' }));
  });

  it('that is cut off while it is open is damaged, not endless', () => {
    fs.writeFileSync(join(folder, first), Buffer.alloc(100_000));
    const source = store.open(first);
    fs.truncateSync(join(folder, first), 70_000);
    expect(() => source.read(60_000, 20_000)).toThrow(
      expect.objectContaining({
        code: 'CORRUPT_TABLE',
        offset: 70_000,
        expected: '10000 more bytes',
      }),
    );
    source.close();
  });

  it('that is missing is named, with what to do', () => {
    expect(() => store.open(first)).toThrow(
      expect.objectContaining({
        code: 'MISSING_TABLE',
        file: join(folder, first),
        message: expect.stringMatching(/named in tables\.list.*restore the file/),
      }),
    );
  });

  it('is removed once, and may be gone already', () => {
    fs.writeFileSync(join(folder, first), '');
    store.remove(first);
    store.remove(first);
    expect(fs.readdirSync(folder)).toEqual([]);
  });
});

describe('replacing the list', () => {
  it('writes, syncs and renames it, syncs the folder once, and knows the new one', async () => {
    writeList(first);
    const lock = await store.lock(0);
    const before = store.readList();
    calls = [];
    const after = await store.swapList(before, [first, second]);
    const writes = calls.filter((name) => !['open', 'statOpen', 'stat'].includes(name));
    expect(writes).toEqual([
      'openDirectory',
      'create',
      'file.write',
      'file.sync',
      'rename',
      'folder.sync',
      'folder.close',
    ]);
    expect(store.isCurrent(after)).toBe(true);
    expect(store.isCurrent(before)).toBe(false);
    expect(fs.readFileSync(join(folder, 'tables.list'), 'utf8')).toBe(`${first}\n${second}\n`);
    store.releaseList(before);
    store.releaseList(after);
    await lock.release();
    expect(fs.readdirSync(folder)).toEqual(['tables.list']);
  });

  it('does not happen without the lock', async () => {
    writeList(first);
    const list = store.readList();
    await expect(store.swapList(list, [second])).rejects.toMatchObject({ code: 'LOCKED' });
    const lock = await store.lock(0);
    await lock.release();
    await expect(store.swapList(list, [second])).rejects.toMatchObject({ code: 'LOCKED' });
    expect(fs.readFileSync(join(folder, 'tables.list'), 'utf8')).toBe(`${first}\n`);
    expect(fs.readdirSync(folder)).toEqual(['tables.list']);
    store.releaseList(list);
  });

  it('does not undo the work of a writer who was let in by a lock removed by hand', async () => {
    writeList(first);
    const lock = await store.lock(0);
    const list = store.readList();
    fs.unlinkSync(join(folder, 'tables.list.lock'));
    writeList(first, second);
    await expect(store.swapList(list, [first])).rejects.toMatchObject({ code: 'LOCKED' });
    expect(fs.readFileSync(join(folder, 'tables.list'), 'utf8')).toBe(`${first}\n${second}\n`);
    store.releaseList(list);
    await lock.release();
  });

  it.each([[[first]], [[]]])(
    'is taken back when the folder cannot be synced: %j',
    async (names) => {
      if (names.length > 0) writeList(...names);
      const lock = await store.lock(0);
      const list = store.readList();
      failing = (call) => call.name === 'folder.sync';
      await expect(store.swapList(list, [...names, second])).rejects.toMatchObject({ code: 'IO' });
      const now = store.readList();
      expect(now.names).toEqual(names);
      store.releaseList(now);
      store.releaseList(list);
      await lock.release();
      expect(watching.descriptors).toEqual(new Set());
      expect(fs.readdirSync(folder)).toEqual(names.length > 0 ? ['tables.list'] : []);
    },
  );
});

describe('options', () => {
  it('fsync: false syncs nothing', async () => {
    const fast = new DirectoryTableStore(
      watchedFileSystem(({ name }) => calls.push(name)),
      folder,
      { fsync: false },
    );
    await put(fast, first, 'x');
    expect(calls.filter((name) => /sync/i.test(name))).toEqual([]);
    expect(fs.readFileSync(join(folder, 'tables.list'), 'utf8')).toBe(`${first}\n`);
  });

  it('fileMode holds for every file, whatever the umask', async () => {
    const umask = process.umask(0o077);
    try {
      const shared = new DirectoryTableStore(nodeFileSystem, folder, { fileMode: 0o664 });
      await put(shared, first, 'x');
      const lock = await shared.lock(0);
      const modes = fs.readdirSync(folder).map((name) => fs.statSync(join(folder, name)).mode);
      expect(modes.map((mode) => mode & 0o777)).toEqual([0o664, 0o664, 0o664]);
      await lock.release();
    } finally {
      process.umask(umask);
    }
  });
});
