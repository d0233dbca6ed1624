import fs from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { StackLock } from '../../src/stack/lock/stack-lock.ts';
import { nodeFileSystem } from '../../src/storage/node-file-system.ts';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { holdLock, holdLockWithGit } from './lock-holder.ts';
import { systemError, watchedFileSystem } from './watched-file-system.ts';

let target: string;
let lockFile: string;
beforeEach(() => {
  target = join(temporaryFolder(), 'tables.list');
  lockFile = `${target}.lock`;
});

const acquire = (timeout: number) => StackLock.acquire(nodeFileSystem, target, { timeout });

/** The calls that take a free lock. */
const TAKING = ['createEmpty', 'append', 'link', 'unlink', 'statOpen'];

/** Makes the lock file as Git does. */
function lockByHand(): void {
  fs.closeSync(fs.openSync(lockFile, 'wx'));
}

async function elapsed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const locked = (message: RegExp) => ({
  code: 'LOCKED',
  file: lockFile,
  message: expect.stringMatching(message),
});

describe('holding the lock', () => {
  it('is having made the lock file', async () => {
    const lock = await acquire(0);
    expect(lock.held).toBe(true);
    expect(fs.lstatSync(lockFile).isFile()).toBe(true);
    await lock.release();
    expect(lock.held).toBe(false);
    expect(fs.readdirSync(join(target, '..'))).toEqual([]);
  });

  it('costs few calls to take and to give back', async () => {
    const calls: string[] = [];
    const watching = watchedFileSystem(({ name }) => calls.push(name));
    const lock = await StackLock.acquire(watching, target, { timeout: -1 });
    await lock.release();
    expect(calls).toEqual([...TAKING, 'stat', 'unlink', 'close']);
  });

  it('that somebody removed and took anew is not ours to give back', async () => {
    const lock = await StackLock.acquire(nodeFileSystem, target, { timeout: 0 });
    fs.unlinkSync(lock.path);
    fs.writeFileSync(lock.path, 'of somebody else', { flag: 'wx' });
    expect(lock.held).toBe(false);
    await lock.release();
    expect(fs.readFileSync(lock.path, 'utf8')).toBe('of somebody else');
  });

  it('does not end with time, nor cost anything meanwhile', async () => {
    vi.useFakeTimers();
    try {
      const calls: string[] = [];
      const watching = watchedFileSystem(({ name }) => calls.push(name));
      const lock = await StackLock.acquire(watching, target, { timeout: 0 });
      await vi.advanceTimersByTimeAsync(100 * 24 * 3600 * 1000);
      expect(lock.held).toBe(true);
      await lock.release();
      expect(calls).toEqual([...TAKING, 'stat', 'stat', 'unlink', 'close']);
      expect(fs.existsSync(lockFile)).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });

  it('may be given back twice, which takes nobody else out', async () => {
    const lock = await acquire(0);
    await lock.release();
    lockByHand();
    await lock.release();
    expect(fs.existsSync(lockFile)).toBe(true);
  });

  it('ends well when somebody removed the file', async () => {
    const lock = await acquire(0);
    fs.unlinkSync(lockFile);
    await lock.release();
    await (await acquire(0)).release();
  });

  it('says so when the file cannot be removed, and lets the next one try', async () => {
    let failing = true;
    const stubborn = watchedFileSystem((call) => {
      if (failing && call.name === 'unlink') throw systemError('EPERM', call);
    });
    const lock = await StackLock.acquire(stubborn, target, { timeout: 0 });
    const next = acquire(1000);
    await expect(lock.release()).rejects.toMatchObject({
      code: 'IO',
      message: `Unable to remove '${lockFile}': Operation not permitted`,
    });
    failing = false;
    fs.unlinkSync(lockFile);
    await (await next).release();
  });
});

describe('a lock file that is there', () => {
  it('is refused at once for a timeout of 0', async () => {
    lockByHand();
    const calls: string[] = [];
    const watching = watchedFileSystem(({ name }) => calls.push(name));
    await expect(StackLock.acquire(watching, target, { timeout: 0 })).rejects.toMatchObject(
      locked(/^Unable to create '.*tables\.list\.lock': File exists\. Another process has been/),
    );
    expect(calls.filter((name) => name === 'createEmpty')).toHaveLength(1);
  });

  it('is waited for as long as the timeout, and hardly longer', async () => {
    lockByHand();
    const waited = await elapsed(() =>
      expect(acquire(100)).rejects.toMatchObject(locked(/exists/)),
    );
    expect(waited).toBeGreaterThanOrEqual(99);
    expect(waited).toBeLessThan(200);
  });

  it('is taken soon after it goes, however long that takes for a timeout of -1', async () => {
    for (const timeout of [5000, -1]) {
      lockByHand();
      let freed = 0;
      setTimeout(() => {
        fs.unlinkSync(lockFile);
        freed = performance.now();
      }, 150);
      const lock = await acquire(timeout);
      expect(freed).toBeGreaterThan(0);
      expect(performance.now() - freed).toBeLessThan(100);
      await lock.release();
    }
  });

  it('is never broken if it does not say whose it is, be it as old as the hills', async () => {
    lockByHand();
    fs.utimesSync(lockFile, 0, 0);
    await expect(acquire(50)).rejects.toMatchObject(locked(/writing here for \d{7,} min/));
    expect(fs.existsSync(lockFile)).toBe(true);
  });

  it('is described by its age and the process that Git noted beside it', async () => {
    lockByHand();
    fs.writeFileSync(join(target, '..', 'tables.list~pid.lock'), 'pid 14773\n');
    await expect(acquire(0)).rejects.toMatchObject(
      locked(/Process 14773 has been writing here for \d\.\d s, or crashed and left the file/),
    );
  });

  it('is described when it is a folder', async () => {
    fs.mkdirSync(lockFile);
    await expect(acquire(0)).rejects.toMatchObject(locked(/It is a folder/));
    expect(fs.statSync(lockFile).isDirectory()).toBe(true);
  });
});

it('does not wait for what no waiting mends', async () => {
  const missing = join(temporaryFolder(), 'missing', 'tables.list');
  await expect(StackLock.acquire(nodeFileSystem, missing, { timeout: -1 })).rejects.toMatchObject({
    code: 'IO',
    message: `Unable to create '${missing}.lock': No such file or directory`,
    cause: { code: 'ENOENT' },
  });
  const forbidden = watchedFileSystem((call) => {
    if (call.name === 'createEmpty') throw systemError('EACCES', call);
  });
  await expect(StackLock.acquire(forbidden, target, { timeout: -1 })).rejects.toMatchObject({
    code: 'IO',
    message: `Unable to create '${lockFile}': Permission denied`,
    cause: { code: 'EACCES' },
  });
  await (await acquire(0)).release();
});

describe('within the process', () => {
  it('those who wait take turns in the order of their coming, one at a time', async () => {
    const order: number[] = [];
    let holders = 0;
    await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const lock = await acquire(-1);
        expect(++holders).toBe(1);
        order.push(i);
        await new Promise((resume) => setImmediate(resume));
        holders--;
        await lock.release();
      }),
    );
    expect(order).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  it('only the head of the queue touches the file', async () => {
    let tries = 0;
    const watching = watchedFileSystem(({ name }) => {
      if (name === 'createEmpty') tries++;
    });
    const held = await StackLock.acquire(watching, target, { timeout: 0 });
    const waiting = [1000, -1].map((timeout) => StackLock.acquire(watching, target, { timeout }));
    for (let i = 0; i < 10; i++) await new Promise((resume) => setImmediate(resume));
    expect(tries).toBe(1);
    await held.release();
    for (const next of waiting) await (await next).release();
    expect(tries).toBe(3);
  });

  it('the wait in the queue counts', async () => {
    const held = await acquire(0);
    const waited = await elapsed(() =>
      expect(acquire(60)).rejects.toMatchObject(locked(/Another transaction of this process/)),
    );
    expect(waited).toBeGreaterThanOrEqual(59);
    expect(waited).toBeLessThan(160);
    await expect(acquire(0)).rejects.toMatchObject(locked(/File exists/));
    await held.release();
  });

  it('one that gives up does not hold up those behind it', async () => {
    const held = await acquire(0);
    const impatient = expect(acquire(20)).rejects.toMatchObject(locked(/exists/));
    const patient = acquire(-1);
    await impatient;
    await held.release();
    await (await patient).release();
  });

  it('two stacks do not wait for each other', async () => {
    const lock = await acquire(0);
    const other = join(temporaryFolder(), 'tables.list');
    await (await StackLock.acquire(nodeFileSystem, other, { timeout: 0 })).release();
    await lock.release();
  });
});

describe('between processes', () => {
  it('the lock excludes another of ours, which waits for it', async () => {
    const child = await holdLock(target);
    await expect(acquire(0)).rejects.toMatchObject(locked(/exists/));
    const next = acquire(-1);
    await child.ask('release', 'done release');
    const lock = await next;
    expect(lock.held).toBe(true);
    await lock.release();
  });

  it.each([
    ['process.exit', 'exit', undefined, 3],
    ['an uncaught exception', 'throw', undefined, 1],
    ['SIGTERM', undefined, 'SIGTERM', 'SIGTERM'],
    ['SIGINT', undefined, 'SIGINT', 'SIGINT'],
    ['SIGHUP', undefined, 'SIGHUP', 'SIGHUP'],
  ] as const)('the file goes with its process on %s', async (_what, line, signal, end) => {
    const child = await holdLock(target);
    expect(fs.existsSync(lockFile)).toBe(true);
    if (signal) child.process.kill(signal);
    expect(await child.end(line)).toBe(end);
    expect(fs.readdirSync(join(target, '..'))).toEqual([]);
  });

  it('the file goes when its process ends of itself', async () => {
    const child = await holdLock(target);
    child.process.stdin!.end();
    expect(await child.end()).toBe(0);
    expect(fs.existsSync(lockFile)).toBe(false);
  });
});

describeWithGit('with Git', () => {
  let repository: string;
  let oid: string;
  beforeEach(() => {
    repository = temporaryFolder();
    git.output(['init', '-q', '--ref-format=reftable', repository]);
    git.output(['commit', '-q', '--allow-empty', '-m', 'first'], { cwd: repository });
    oid = git.output(['rev-parse', 'HEAD'], { cwd: repository }).trim();
    target = join(repository, '.git/reftable/tables.list');
    lockFile = `${target}.lock`;
  });

  it('our lock keeps Git out until it is given back', async () => {
    const lock = await acquire(0);
    const update = ['update-ref', 'refs/heads/topic', oid];
    const refused = git.run(update, { cwd: repository });
    expect(refused.code).toBe(128);
    expect(refused.stderr).toMatch(/cannot lock references/);
    await lock.release();
    git.output(update, { cwd: repository });
  });

  it("Git's lock keeps us waiting until it is given back", async () => {
    git.output(['config', 'core.lockfilePid', 'true'], { cwd: repository });
    const holder = await holdLockWithGit(repository, oid);
    const refusal = await acquire(0).catch((error) => error);
    expect(refusal).toMatchObject(locked(/File exists/));
    // An older Git does not note it.
    if (fs.existsSync(join(target, '..', 'tables.list~pid.lock'))) {
      expect(refusal.message).toMatch(`Process ${holder.process.pid} has been writing here`);
    }
    const next = acquire(-1);
    await holder.ask('commit', 'commit: ok');
    const lock = await next;
    await lock.release();
    expect(git.output(['rev-parse', 'refs/heads/by-git'], { cwd: repository }).trim()).toBe(oid);
  });
});

it('that cannot be removed when it is given back is removed when it is wanted again', async () => {
  let isStuck = true;
  const failing = watchedFileSystem((call) => {
    if (isStuck && call.name === 'unlink' && call.path === lockFile) throw systemError('EIO', call);
  });
  const lock = await StackLock.acquire(failing, target, { timeout: 0 });
  await expect(lock.release()).rejects.toMatchObject({ code: 'IO' });
  expect(fs.existsSync(lockFile)).toBe(true);
  isStuck = false;
  const next = await StackLock.acquire(failing, target, { timeout: 0 });
  await next.release();
  expect(fs.existsSync(lockFile)).toBe(false);
});
