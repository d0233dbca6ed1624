// A stack that somebody damages while a store has it open, and a disk that fails: what reading, transactions and
// `optimize` then do, that they leave nothing behind, and that all works again once it is mended.

import fs from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { RefStore, RefUpdate } from '../../src/index.ts';
import { gitReflogPolicy } from '../../src/reflog/policy.ts';
import { ReftableStore } from '../../src/refs/reftable-store.ts';
import { WorktreeStacks } from '../../src/refs/worktrees/worktree-stacks.ts';
import { DirectoryTableStore } from '../../src/stack/directory-table-store.ts';
import { Stack } from '../../src/stack/stack.ts';
import { nodeCompression } from '../../src/storage/node-compression.ts';
import { type Call, systemError, watchedFileSystem } from '../stack/watched-file-system.ts';
import { ANN, emptyRepository, oid, open } from './empty-repository.ts';

/** Nobody at all, as far as most systems are concerned. */
const OTHER_USER = 65534;

const create = (end: string): RefUpdate => ({
  type: 'create',
  ref: `refs/heads/${end}`,
  newOid: oid('a'),
});

const namesIn = (store: RefStore) => Array.from(store.refs(), ({ name }) => name.slice(11));

let gitDir: string;
let folder: string;
let list: string;
let lock: string;
beforeEach(() => {
  gitDir = emptyRepository();
  folder = join(gitDir, 'reftable');
  list = join(folder, 'tables.list');
  lock = `${list}.lock`;
});

const files = () => fs.readdirSync(folder).sort();
const tables = () => fs.readFileSync(list, 'latin1').split('\n').slice(0, -1);

/** A store with a table for each of the branches `a`, `b` and `c`. */
async function openStack(): Promise<RefStore> {
  const store = open(gitDir, { autoCompaction: false });
  onTestFinished(() => store.close());
  for (const end of ['a', 'b', 'c']) await store.transaction([create(end)]);
  return store;
}

/** Each of these fails so, and changes no file. */
async function expectRefused(
  actions: readonly (() => unknown)[],
  error: Record<string, unknown>,
): Promise<void> {
  const before = files();
  for (const action of actions) {
    await expect((async () => action())(), action.toString()).rejects.toMatchObject(error);
    expect(files()).toEqual(before);
  }
}

/** All works again: what was there is read and changed, and packed into one table. */
async function expectWell(store: RefStore, ...names: string[]): Promise<void> {
  expect(namesIn(store)).toEqual(names);
  await store.transaction([create('new')]);
  await store.optimize();
  expect(namesIn(store)).toEqual([...names, 'new']);
  expect(files()).toEqual([...tables(), 'tables.list']);
  expect(tables()).toHaveLength(1);
  using other = open(gitDir);
  expect(namesIn(other)).toEqual([...names, 'new']);
}

/** Permissions hold for everybody but root, so that root becomes somebody else, who gets the repository. */
async function asOrdinaryUser(action: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return action();
  for (const path of [gitDir, folder, ...files().map((name) => join(folder, name))]) {
    fs.chownSync(path, OTHER_USER, OTHER_USER);
  }
  process.seteuid!(OTHER_USER);
  try {
    await action();
  } finally {
    process.seteuid!(0);
  }
}

describe('tables.list', () => {
  it('replaced by another is the stack from then on', async () => {
    const store = await openStack();
    const [oldest] = tables();
    fs.writeFileSync(list, `${oldest}\n`);
    expect(namesIn(store)).toEqual(['a']);
    await store.transaction([create('b')]);
    await expectWell(store, 'a', 'b');
  });

  it('replaced while a snapshot is read leaves the snapshot as it was', async () => {
    const store = await openStack();
    using snapshot = store.snapshot();
    fs.writeFileSync(list, '');
    expect(Array.from(snapshot.refs())).toHaveLength(3);
    expect(namesIn(store)).toEqual([]);
  });

  it('emptied is a stack without tables, to which one can write', async () => {
    const store = await openStack();
    fs.writeFileSync(list, '');
    await store.optimize();
    expect(namesIn(store)).toEqual([]);
    await store.transaction([create('a')]);
    expect(tables()).toHaveLength(1);
    expect(namesIn(store)).toEqual(['a']);
  });

  it('emptied and filled again is the stack that it was', async () => {
    const store = await openStack();
    const before = fs.readFileSync(list);
    fs.writeFileSync(list, '');
    await store.optimize();
    fs.writeFileSync(list, before);
    await expectWell(store, 'a', 'b', 'c');
  });

  it('deleted is a stack without tables, and made anew by who writes', async () => {
    const store = await openStack();
    fs.unlinkSync(list);
    expect(namesIn(store)).toEqual([]);
    await store.optimize();
    expect(fs.existsSync(list)).toBe(false);
    await store.transaction([create('a')]);
    expect(tables()).toHaveLength(1);
    expect(namesIn(store)).toEqual(['a']);
  });

  it('that names no tables but something else is refused', async () => {
    const store = await openStack();
    const before = fs.readFileSync(list);
    fs.writeFileSync(list, `${before}../config\n`);
    await expectRefused(everything(store), { code: 'CORRUPT_LIST', file: list });
    expect(fs.readFileSync(list, 'latin1')).toBe(`${before}../config\n`);
    fs.writeFileSync(list, before);
    await expectWell(store, 'a', 'b', 'c');
  });

  it('made a folder is refused', async () => {
    const store = await openStack();
    const before = fs.readFileSync(list);
    fs.unlinkSync(list);
    fs.mkdirSync(list);
    await expectRefused(everything(store), { code: 'IO', file: list, cause: { code: 'EISDIR' } });
    fs.rmdirSync(list);
    fs.writeFileSync(list, before);
    await expectWell(store, 'a', 'b', 'c');
  });

  it.runIf(process.geteuid)('that may not be read is refused', async () => {
    const store = await openStack();
    await asOrdinaryUser(async () => {
      fs.chmodSync(list, 0);
      const error = { code: 'IO', file: list, cause: { code: 'EACCES' } };
      using other = open(gitDir);
      await expectRefused(everything(other), error);
      // Another version of it: what the store knows of the last one does not help.
      fs.writeFileSync(`${list}.new`, '', { mode: 0 });
      fs.renameSync(`${list}.new`, list);
      await expectRefused(everything(store), error);
    });
  });
});

/** Whatever needs the list. */
function everything(store: RefStore): (() => unknown)[] {
  return [
    () => store.read('refs/heads/a'),
    () => [...store.refs()],
    () => store.snapshot(),
    () => store.transaction([create('new')]),
    () => store.optimize(),
    () => store.optimize({ auto: true }),
  ];
}

describe('a table that is deleted by hand', () => {
  it('is missed by who opens the stack, until it is back', async () => {
    await openStack();
    const path = join(folder, tables()[1]!);
    const bytes = fs.readFileSync(path);
    fs.unlinkSync(path);
    using other = open(gitDir);
    await expectRefused(everything(other), { code: 'MISSING_TABLE', file: path });
    fs.writeFileSync(path, bytes);
    await expectWell(other, 'a', 'b', 'c');
  });

  it('is not missed by who has it open, and comes back as part of the table that `optimize` writes', async () => {
    const store = await openStack();
    expect(namesIn(store)).toEqual(['a', 'b', 'c']);
    fs.unlinkSync(join(folder, tables()[1]!));
    expect(namesIn(store)).toEqual(['a', 'b', 'c']);
    await store.transaction([create('d')]);
    {
      using other = open(gitDir);
      expect(() => namesIn(other)).toThrow(tables()[1]);
    }
    await expectWell(store, 'a', 'b', 'c', 'd');
  });
});

describe('what stands in the way of writers', () => {
  it('a lock file that is a folder: it is told, and who reads goes on', async () => {
    const store = await openStack();
    fs.mkdirSync(lock);
    await expectRefused([() => store.transaction([create('new')]), () => store.optimize()], {
      code: 'LOCKED',
      file: lock,
      message: expect.stringContaining('It is a folder'),
    });
    expect(namesIn(store)).toEqual(['a', 'b', 'c']);
    fs.rmdirSync(lock);
    await expectWell(store, 'a', 'b', 'c');
  });

  it('the lock of a table that is a folder: only `optimize` needs it', async () => {
    const store = await openStack();
    const path = join(folder, `${tables()[1]}.lock`);
    fs.mkdirSync(path);
    await expectRefused([() => store.optimize()], { code: 'LOCKED', file: path });
    await store.transaction([create('d')]);
    fs.rmdirSync(path);
    await expectWell(store, 'a', 'b', 'c', 'd');
  });

  it.runIf(process.geteuid)('a folder that is read-only: who reads goes on', async () => {
    const store = await openStack();
    await asOrdinaryUser(async () => {
      fs.chmodSync(folder, 0o500);
      const actions = [() => store.transaction([create('new')]), () => store.optimize()];
      await expectRefused(actions, { code: 'IO', file: lock, cause: { code: 'EACCES' } });
      using other = open(gitDir);
      for (const each of [store, other]) expect(namesIn(each)).toEqual(['a', 'b', 'c']);
      fs.chmodSync(folder, 0o700);
      await expectWell(store, 'a', 'b', 'c');
    });
  });

  it('no folder at all: it is told, and the next one finds it again', async () => {
    const store = await openStack();
    fs.renameSync(folder, `${folder}.away`);
    for (const action of [() => store.transaction([create('new')]), () => store.optimize()]) {
      await expect(action()).rejects.toMatchObject({ code: 'IO', file: lock });
    }
    fs.renameSync(`${folder}.away`, folder);
    await expectWell(store, 'a', 'b', 'c');
  });
});

describe('a disk that is full', () => {
  let onCall: (call: Call) => void;
  const watching = watchedFileSystem((call) => onCall(call));
  beforeEach(() => {
    onCall = () => {};
  });

  async function openWatched(): Promise<RefStore> {
    gitDir = emptyRepository();
    folder = join(gitDir, 'reftable');
    list = join(folder, 'tables.list');
    const common = { objectFormat: 'sha1', compression: nodeCompression } as const;
    const stack = new Stack(new DirectoryTableStore(watching, folder), common);
    const store = new ReftableStore(new WorktreeStacks(stack), {
      ...common,
      policy: gitReflogPolicy({ mode: 'normal', bare: true }),
      committer: () => ANN,
      lockTimeout: 100,
      blockSize: undefined,
      restartInterval: undefined,
      indexObjects: true,
    });
    await store.transaction([create('a')]);
    await store.transaction([create('b')]);
    await store.transaction([create('c')]);
    await store.idle();
    return store;
  }

  /** Does `work` again and again, while one call after the other of those that it makes fails. */
  async function atAnyCall(
    work: (store: RefStore) => Promise<unknown>,
    check: (store: RefStore, outcome: unknown, before: string[]) => void,
  ): Promise<void> {
    let failing = 0;
    let made: number;
    do {
      const store = await openWatched();
      const before = files();
      let what = '';
      made = 0;
      onCall = (call) => {
        // Nobody waits for that one, or hears of it.
        if (call.name === 'closeLater' || made++ !== failing) return;
        what = `call ${failing}, ${call.name} ${call.path ?? ''}`;
        throw systemError('ENOSPC', call);
      };
      const outcome = await work(store).catch((error: unknown) => error);
      await store.idle();
      onCall = () => {};
      try {
        check(store, outcome, before);
        await expectWell(store, ...namesIn(store));
      } catch (error) {
        throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
      }
      store.close();
      expect(watching.descriptors, what).toEqual(new Set());
    } while (made > failing++);
    expect(failing).toBeGreaterThan(20);
  }

  const full = { code: 'IO', cause: { code: 'ENOSPC' } };

  it('at any call of a group of transactions: all of them are made, or none', async () => {
    const work = (store: RefStore) =>
      Promise.allSettled(['d', 'e', 'f'].map((end) => store.transaction([create(end)])));
    const made = { status: 'fulfilled' };
    const refused = { status: 'rejected', reason: full };
    await atAnyCall(work, (store, outcome, before) => {
      const names = namesIn(store);
      if (names.length > 3) {
        expect(outcome).toMatchObject([made, made, made]);
        expect(names).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
      } else {
        expect(outcome).toMatchObject([refused, refused, refused]);
        expect(names).toEqual(['a', 'b', 'c']);
        expect(files()).toEqual(before);
      }
    });
  });

  it('at any call of `optimize`: the refs are the same', async () => {
    await atAnyCall(
      async (store) => {
        await store.transaction([create('d')]);
        await store.optimize();
      },
      (store, outcome) => {
        if (outcome !== undefined) expect(outcome).toMatchObject(full);
        expect(['a b c', 'a b c d']).toContain(namesIn(store).join(' '));
        expect(files().filter((name) => name.includes('.temp.'))).toEqual([]);
      },
    );
  });
});

describe('a block of logs that is damaged', () => {
  const names = ['a', 'b', 'c', 'd', 'e'].map((end) => `refs/heads/${end}`);
  /** Where the blocks of logs begin: a type, three bytes of length, a zlib stream. */
  const logBlocks = (bytes: Buffer) =>
    [...bytes.keys()].filter(
      (at) => bytes[at] === 0x67 && bytes.subarray(at + 4, at + 6).toString('hex') === '78da',
    );

  it.each([0, 2, 4])(
    'hides no other log than those that may be in it: block %i of five',
    async (damaged) => {
      const settings = '[core]\nlogAllRefUpdates = true\n[reftable]\nblockSize = 256\n';
      fs.appendFileSync(join(gitDir, 'config'), settings);
      const store = open(gitDir);
      const updates = ['a', 'b', 'c', 'd', 'e'].map(create);
      await store.transaction(updates, { message: 'x'.repeat(120) });
      store.close();
      const file = join(folder, tables().at(-1)!);
      const bytes = fs.readFileSync(file);
      const blocks = logBlocks(bytes);
      expect(blocks).toHaveLength(names.length);
      bytes.fill(0xff, blocks[damaged]! + 6, blocks[damaged]! + 20);
      fs.chmodSync(file, 0o644);
      fs.writeFileSync(file, bytes);

      const again = open(gitDir);
      onTestFinished(() => again.close());
      const entries = (name: string) => {
        try {
          return [...again.reflog(name)].length;
        } catch (error) {
          return (error as { code: string }).code;
        }
      };
      // Nobody can tell whether the log before goes on there.
      const mayBeThere = (at: number) => at === damaged || at === damaged - 1;
      expect(names.map(entries)).toEqual(
        names.map((_, at) => (mayBeThere(at) ? 'CORRUPT_TABLE' : 1)),
      );
      expect(Array.from(again.refs(), ({ name }) => name)).toEqual(names);
    },
  );
});
