import fs from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { append, oid, openStack, refsOf, sampleTable } from './sample-tables.ts';
import { type Call, systemError, watchedFileSystem } from './watched-file-system.ts';

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

const namesOf = (list: readonly Call[]) => list.map(({ name }) => name);

describe('a commit', () => {
  it('appends a table with the next update index, which everybody then reads', async () => {
    const stack = openStack(folder);
    const first = await append(stack, 'refs/heads/a');
    const second = await append(stack, 'refs/heads/b');
    expect(first).toMatch(/^0x000000000001-0x000000000001-[0-9a-f]{8}\.ref$/);
    expect(second).toMatch(/^0x000000000002-0x000000000002-[0-9a-f]{8}\.ref$/);
    const other = openStack(folder);
    for (const reader of [stack, other]) {
      expect(reader.current().names).toEqual([first, second]);
      expect(refsOf(reader.current())).toEqual(['refs/heads/a=1', 'refs/heads/b=2']);
      reader.close();
    }
    expect(fs.readdirSync(folder).sort()).toEqual([first, second, 'tables.list']);
  });

  it('makes its calls in the order that a crash cannot hurt', async () => {
    const stack = openStack(folder, watching);
    await append(stack, 'refs/heads/a');
    calls = [];
    await append(stack, 'refs/heads/b');
    expect(namesOf(calls)).toEqual([
      ...['createEmpty', 'append', 'link', 'unlink', 'statOpen', 'stat'],
      ...['create', 'file.write', 'openDirectory', 'create', 'file.write'],
      // The table gets its name; then the list, the table and that name become durable, side by side.
      ...['rename', 'file.sync', 'file.sync', 'folder.sync', 'file.close', 'statOpen'],
      ...['stat', 'stat', 'rename', 'folder.sync', 'folder.close', 'closeLater'],
      ...['stat', 'unlink', 'close'],
      'stat', // The question that `append` asks at its end.
    ]);
    stack.close();
    expect(watching.descriptors).toEqual(new Set());
  });

  it('installs the new snapshot without reading the list or the other tables again', async () => {
    const stack = openStack(folder, watching);
    await append(stack, 'refs/heads/a');
    const [table] = stack.current().tables;
    const addition = await stack.beginAddition();
    const { reloads } = stack.stats;
    await addition.commit(sampleTable(addition.updateIndex, ['refs/heads/b']));
    expect(stack.current().tables[0]).toBe(table);
    expect(stack.stats.reloads).toBe(reloads);
    stack.close();
  });

  it('of a large table reads it back from its file', async () => {
    const names = Array.from(
      { length: 5000 },
      (_, i) => `refs/tags/${String(i).padStart(30, '0')}`,
    );
    const stack = openStack(folder, watching);
    await append(stack, ...names);
    expect(refsOf(stack.current())).toEqual(names.map((name) => `${name}=1`));
    stack.close();
    expect(watching.descriptors).toEqual(new Set());
  });

  it('of an empty table appends nothing', async () => {
    const stack = openStack(folder);
    await append(stack, 'refs/heads/a');
    const before = fs.readdirSync(folder);
    const addition = await stack.beginAddition();
    await addition.commit(sampleTable(addition.updateIndex, []));
    expect(fs.readdirSync(folder)).toEqual(before);
    expect(stack.current().names).toHaveLength(1);
    stack.close();
  });

  it('is refused for update indexes that are taken, and gives the lock back', async () => {
    const stack = openStack(folder);
    await append(stack, 'refs/heads/a');
    const addition = await stack.beginAddition();
    await expect(addition.commit(sampleTable(1, ['refs/heads/b']))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'expected update indexes from 2 on, found 1..1',
    });
    expect(refsOf(stack.current())).toEqual(['refs/heads/a=1']);
    await append(stack, 'refs/heads/b');
    stack.close();
  });

  it('is refused where update indexes run out', async () => {
    const stack = openStack(folder);
    const last = await stack.beginAddition();
    await last.commit(sampleTable(Number.MAX_SAFE_INTEGER, ['refs/heads/a']));
    await expect(stack.beginAddition()).rejects.toMatchObject({
      code: 'UNSUPPORTED_REPOSITORY',
      message: expect.stringContaining('found 9007199254740991'),
    });
    expect(fs.existsSync(join(folder, 'tables.list.lock'))).toBe(false);
    stack.close();
  });

  it('happens once', async () => {
    const stack = openStack(folder);
    const addition = await stack.beginAddition();
    const table = sampleTable(1, ['refs/heads/a']);
    await addition.commit(table);
    await expect(addition.commit(table)).rejects.toMatchObject({ code: 'CLOSED' });
    await addition.abort();
    expect(stack.current().names).toHaveLength(1);
    stack.close();
  });

  it('stands when the stack was closed meanwhile, and leaves no descriptor', async () => {
    const stack = openStack(folder, watching);
    await append(stack, 'refs/heads/a');
    const addition = await stack.beginAddition();
    stack.close();
    expect(refsOf(addition.snapshot)).toEqual(['refs/heads/a=1']);
    expect(() => stack.current()).toThrow(expect.objectContaining({ code: 'CLOSED' }));
    await addition.commit(sampleTable(addition.updateIndex, ['refs/heads/b']));
    expect(watching.descriptors).toEqual(new Set());
    expect(refsOf(openStack(folder).current())).toEqual(['refs/heads/a=1', 'refs/heads/b=2']);
  });
});

describe('while the lock is held', () => {
  it('the stack is read once, and then asked without a system call', async () => {
    const stack = openStack(folder, watching);
    await append(stack, 'refs/heads/a');
    const elsewhere = openStack(folder);
    await append(elsewhere, 'refs/heads/b');
    const addition = await stack.beginAddition();
    expect(addition.updateIndex).toBe(3);
    expect(refsOf(addition.snapshot)).toEqual(['refs/heads/a=1', 'refs/heads/b=2']);
    calls = [];
    const skipped = stack.stats.reloadsSkipped;
    for (let i = 0; i < 1000; i++) expect(stack.current()).toBe(addition.snapshot);
    expect(calls).toEqual([]);
    expect(stack.stats.reloadsSkipped).toBe(skipped + 1000);
    await addition.abort();
    expect(stack.current()).toBe(addition.snapshot);
    expect(namesOf(calls)).toEqual(['stat', 'unlink', 'close', 'stat']);
    for (const each of [stack, elsewhere]) each.close();
  });

  it('others wait, in turn, and each sees what came before', async () => {
    const stacks = Array.from({ length: 4 }, () => openStack(folder));
    const count = 20;
    await Promise.all(
      Array.from({ length: count }, (_, i) => append(stacks[i % 4]!, `refs/heads/${i + 10}`)),
    );
    const expected = Array.from({ length: count }, (_, i) => `refs/heads/${i + 10}=${i + 1}`);
    for (const stack of stacks) {
      expect(refsOf(stack.current())).toEqual(expected);
      expect(stack.stats.locks).toBe(count / 4);
      stack.close();
    }
  });

  it('who cannot wait is told so, and the time spent waiting is counted', async () => {
    const stack = openStack(folder);
    const addition = await stack.beginAddition();
    await expect(stack.beginAddition({ timeout: 0 })).rejects.toMatchObject({ code: 'LOCKED' });
    const next = stack.beginAddition({ timeout: -1 });
    setTimeout(() => void addition.abort(), 30);
    await (await next).abort();
    expect(stack.stats.lockWait).toBeGreaterThanOrEqual(25);
    stack.close();
  });
});

describe('a commit that fails', () => {
  /** What a commit on a stack of one table calls, the question after it left out. */
  async function commitCalls(): Promise<string[]> {
    const stack = openStack(folder, watching);
    await append(stack, 'refs/heads/a');
    stack.current();
    calls = [];
    const addition = await stack.beginAddition();
    await addition.commit(sampleTable(addition.updateIndex, ['refs/heads/b']));
    stack.close();
    return namesOf(calls);
  }

  it('at any call leaves the stack as it was, and neither lock nor file behind', async () => {
    const order = await commitCalls();
    // Closing the old list and removing the lock come when the commit stands.
    const before = order.slice(0, order.lastIndexOf('folder.sync') + 1);
    expect(before.length).toBeGreaterThan(12);
    for (const [index, name] of before.entries()) {
      folder = temporaryFolder();
      calls = [];
      const stack = openStack(folder, watching);
      await append(stack, 'refs/heads/a');
      const snapshot = stack.current();
      const files = fs.readdirSync(folder).sort();
      let call = 0;
      onCall = (made) => {
        if (call++ === index) throw systemError('ENOSPC', made);
      };
      const commit = async () => {
        const addition = await stack.beginAddition();
        await addition.commit(sampleTable(addition.updateIndex, ['refs/heads/b']));
      };
      if (name === 'link' || name === 'unlink') {
        // The lock can be had without its record being made under another name first.
        await commit();
        expect(refsOf(stack.current())).toEqual(['refs/heads/a=1', 'refs/heads/b=2']);
        stack.close();
        continue;
      }
      await expect(commit(), `call ${index}, ${name}`).rejects.toMatchObject({
        code: 'IO',
        message: expect.stringContaining('No space left on device'),
        cause: { code: 'ENOSPC', syscall: name },
      });
      onCall = () => {};
      expect(fs.readdirSync(folder).sort(), `call ${index}, ${name}`).toEqual(files);
      expect(stack.current().names).toEqual(snapshot.names);
      await append(stack, 'refs/heads/c');
      expect(refsOf(stack.current())).toEqual(['refs/heads/a=1', 'refs/heads/c=2']);
      stack.close();
      expect(watching.descriptors, `call ${index}, ${name}`).toEqual(new Set());
    }
  });

  it('for good, because the disk is full, still leaves the stack as it was', async () => {
    const stack = openStack(folder, watching);
    await append(stack, 'refs/heads/a');
    const files = fs.readdirSync(folder).sort();
    for (const name of ['create', 'file.write', 'file.sync', 'rename']) {
      onCall = (call) => {
        if (call.name === name) throw systemError('ENOSPC', call);
      };
      await expect(append(stack, 'refs/heads/b')).rejects.toMatchObject({ code: 'IO' });
      expect(fs.readdirSync(folder).sort()).toEqual(files);
    }
    stack.close();
  });

  it('never removes a table that the list names', async () => {
    const stack = openStack(folder, watching);
    await append(stack, 'refs/heads/a');
    // The new list cannot be made durable, and the old one cannot be put back.
    let broken = false;
    let syncs = 0;
    onCall = (call) => {
      if (call.name === 'folder.sync') broken = ++syncs === 2;
      if (broken && /sync|create|rename/.test(call.name)) throw systemError('EIO', call);
    };
    await expect(append(stack, 'refs/heads/b')).rejects.toMatchObject({ code: 'IO' });
    onCall = () => {};
    expect(refsOf(stack.current())).toEqual(['refs/heads/a=1', 'refs/heads/b=2']);
    stack.close();
  });

  it('only in giving the lock back stands all the same', async () => {
    const stack = openStack(folder, watching);
    const addition = await stack.beginAddition();
    onCall = (call) => {
      if (call.name === 'unlink') throw systemError('EPERM', call);
    };
    await addition.commit(sampleTable(1, ['refs/heads/a']));
    onCall = () => {};
    expect(refsOf(stack.current())).toEqual(['refs/heads/a=1']);
    stack.close();
  });

  it('because the stack cannot be read gives the lock back', async () => {
    fs.writeFileSync(join(folder, 'tables.list'), 'missing.ref\n');
    const stack = openStack(folder);
    await expect(stack.beginAddition()).rejects.toMatchObject({ code: 'MISSING_TABLE' });
    expect(fs.readdirSync(folder)).toEqual(['tables.list']);
    stack.close();
  });
});

describeWithGit('with Git', () => {
  it('what is appended is read, verified and continued by Git', async () => {
    const repository = temporaryFolder();
    const at = { cwd: repository };
    git.output(['init', '-q', '--ref-format=reftable', repository]);
    git.output(['commit', '-q', '--allow-empty', '-m', 'first'], at);
    const head = git.output(['rev-parse', 'HEAD'], at).trim();
    const stack = openStack(join(repository, '.git/reftable'));
    const before = refsOf(stack.current()).length;
    const names = ['refs/heads/ours-1', 'refs/heads/ours-2'];
    for (const name of names) {
      const addition = await stack.beginAddition();
      const table = sampleTable(addition.updateIndex, [name], 'sha1', head);
      await addition.commit(table);
    }
    git.output(['refs', 'verify'], at);
    for (const name of names) expect(git.output(['rev-parse', name], at).trim()).toBe(head);
    git.output(['branch', 'theirs'], at);
    git.output(['pack-refs'], at);
    expect(Array.from(stack.current().merged.refs(), ({ name }) => name)).toEqual(
      expect.arrayContaining([...names, 'refs/heads/theirs']),
    );
    expect(refsOf(stack.current())).toHaveLength(before + 3);
    await append(stack, 'refs/heads/ours-3');
    expect(stack.current().merged.readRef('refs/heads/ours-3')?.oid).toBe(
      oid(stack.current().nextUpdateIndex - 1),
    );
    stack.close();
  });
});
