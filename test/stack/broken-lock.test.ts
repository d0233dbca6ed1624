// Locks whose owner is gone, or may be: whom they stop and whom not, with real processes.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { breakDeadLock, breakFile } from '../../src/stack/lock/breaking.ts';
import { inspectLock } from '../../src/stack/lock/inspection.ts';
import { removeLockLeftovers } from '../../src/stack/lock/lock-leftovers.ts';
import { thisMachine } from '../../src/stack/lock/machine.ts';
import { formatOwner, type LockOwner, parseOwner } from '../../src/stack/lock/owner.ts';
import { StackLock } from '../../src/stack/lock/stack-lock.ts';
import { nodeFileSystem } from '../../src/storage/node-file-system.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Child, holdLock, wantLock } from './lock-holder.ts';
import { systemError, watchedFileSystem } from './watched-file-system.ts';

/** Nobody at all, as far as most systems are concerned. */
const OTHER_USER = 65534;

let target: string;
let lockFile: string;
beforeEach(() => {
  target = join(temporaryFolder(), 'tables.list');
  lockFile = `${target}.lock`;
});

const acquire = (timeout: number) => StackLock.acquire(nodeFileSystem, target, { timeout });
const files = () => fs.readdirSync(dirname(target));

const locked = (message: RegExp) => ({
  code: 'LOCKED',
  file: lockFile,
  message: expect.stringMatching(message),
});

/** An owner that is this very thread, but for what is told otherwise. */
function ownerLike({
  identity,
  ...others
}: Partial<Omit<LockOwner, 'identity'>> & { identity?: object } = {}): LockOwner {
  const self = thisMachine.self();
  const token = thisMachine.newToken();
  return { ...self, token, ...others, identity: { ...self.identity!, ...identity } };
}

/** A thread that had our number before us. */
const DEAD = { identity: { started: 1 } };

async function killed(child: Child): Promise<void> {
  child.process.kill('SIGKILL');
  expect(await child.end()).toBe('SIGKILL');
}

describe.runIf(process.platform === 'linux')('a lock whose owner is dead', () => {
  it('stops nobody: who was killed', async () => {
    await killed(await holdLock(target));
    expect(inspectLock(nodeFileSystem, lockFile)).toMatchObject({ verdict: 'dead' });
    // One try, no waiting.
    const lock = await acquire(0);
    await lock.release();
    expect(files()).toEqual([]);
  });

  it('stops nobody who waits while its owner is killed', async () => {
    const holder = await holdLock(target);
    const next = acquire(60_000);
    const started = performance.now();
    await killed(holder);
    await (await next).release();
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it('stops nobody: whose process id is another’s now', async () => {
    fs.writeFileSync(lockFile, formatOwner(ownerLike(DEAD)));
    await (await acquire(0)).release();
  });

  it('stops nobody: a thread that was ended in a process that lives on', async () => {
    const holder = await holdLock(target, { where: 'thread' });
    await expect(acquire(20)).rejects.toMatchObject(locked(/is alive/));
    await holder.ask('terminate', 'done terminate');
    await (await acquire(0)).release();
    expect(holder.process.exitCode).toBe(null);
  });

  it('is broken once, and all who wait for it take their turns', async () => {
    await killed(await holdLock(target));
    const waiting = Array.from({ length: 20 }, () => wantLock(target));
    const held: number[] = [];
    await Promise.all(
      waiting.map(async (child, i) => {
        await child.heard('held');
        // The lock is this child's, and nobody takes it while it is asked.
        expect(parseOwner(fs.readFileSync(lockFile))?.pid).toBe(child.process.pid);
        await child.ask('still held?', 'true', 'done still held?');
        expect(parseOwner(fs.readFileSync(lockFile))?.pid).toBe(child.process.pid);
        held.push(i);
        await child.ask('release', 'done release');
      }),
    );
    expect(held.sort((a, b) => a - b)).toEqual(waiting.map((_child, i) => i));
    expect(files()).toEqual([]);
  });

  it('is broken by who inherits the right from breakers that died, too', async () => {
    const [owner, first, second] = [ownerLike(DEAD), ownerLike(DEAD), ownerLike(DEAD)];
    fs.writeFileSync(lockFile, formatOwner(owner));
    fs.writeFileSync(breakFile(lockFile, owner.token), formatOwner(first));
    fs.writeFileSync(breakFile(lockFile, first.token), formatOwner(second));
    await (await acquire(0)).release();
    expect(files()).toEqual([]);
  });

  it('stays while a breaker is at it that may be alive, and where breakers form a circle', async () => {
    const owner = ownerLike(DEAD);
    fs.writeFileSync(lockFile, formatOwner(owner));
    for (const breaker of [formatOwner(ownerLike()), formatOwner(owner), '']) {
      fs.writeFileSync(breakFile(lockFile, owner.token), breaker);
      await expect(acquire(20)).rejects.toMatchObject(locked(/died and left the file/));
    }
    expect(files()).toHaveLength(2);
  });

  it('that cannot be removed is named, and no right to break it is left behind', async () => {
    fs.writeFileSync(lockFile, formatOwner(ownerLike(DEAD)));
    const stubborn = watchedFileSystem((call) => {
      if (call.name === 'unlink' && call.path === lockFile) throw systemError('EPERM', call);
    });
    await expect(StackLock.acquire(stubborn, target, { timeout: 20 })).rejects.toMatchObject(
      locked(/Process \d+ of host .* died and left the file .* ago, but it cannot be removed/),
    );
    expect(files()).toEqual(['tables.list.lock']);
  });
});

describe('a lock whose owner may live', () => {
  const doubtful = 'or crashed and left the file';
  it.each([
    ['on another host', ownerLike({ ...DEAD, host: 'elsewhere.example' }), /not of this host/],
    ['before a restart', ownerLike({ identity: { started: 1, boot: 'other' } }), /and boot/],
    ['in another container', ownerLike({ identity: { started: 1, namespaces: 'x' } }), /container/],
    ['where nothing is known', { ...ownerLike(DEAD), identity: undefined }, /cannot be told/],
    ['and is this very thread', ownerLike(), /has been writing here for .* and is alive\.$/],
  ])('is never broken: %s', async (_where, owner, message) => {
    fs.writeFileSync(lockFile, formatOwner(owner));
    fs.utimesSync(lockFile, 0, 0);
    const refusal = await acquire(30).catch((error) => error);
    expect(refusal).toMatchObject(locked(message));
    expect(refusal.message).toMatch(`Process ${owner.pid} of host ${owner.host} has been writing`);
    expect(breakDeadLock(nodeFileSystem, lockFile)).toBe(false);
    expect(fs.readFileSync(lockFile)).toEqual(Buffer.from(formatOwner(owner)));
    expect(refusal.message.includes(doubtful)).toBe(!/alive\.$/.test(refusal.message));
  });

  it.each([
    ['an empty file', ''],
    ['a list of tables', '0x000000000001-0x000000000001-4c7b6ae1.ref\n'],
    ['half a record', Buffer.from(formatOwner(ownerLike(DEAD))).subarray(0, -1)],
  ])('is never broken: %s', async (_what, content) => {
    fs.writeFileSync(lockFile, content);
    await expect(acquire(30)).rejects.toMatchObject(locked(/Another process has been writing/));
    expect(inspectLock(nodeFileSystem, lockFile)).toMatchObject({ verdict: 'unknown' });
    expect(files()).toEqual(['tables.list.lock']);
  });

  it.runIf(process.platform === 'linux')('is not broken while its process is stopped', async () => {
    const holder = await holdLock(target);
    holder.process.kill('SIGSTOP');
    await expect(acquire(200)).rejects.toMatchObject(locked(/and is alive/));
    holder.process.kill('SIGCONT');
    await holder.ask('still held?', 'true', 'done still held?');
    const next = acquire(-1);
    await holder.ask('release', 'done release');
    await (await next).release();
  });

  it('of another user that cannot be read is told from one that can', async () => {
    fs.writeFileSync(lockFile, formatOwner(ownerLike(DEAD)), { mode: 0o000 });
    if (process.getuid?.() !== 0) {
      await expect(acquire(20)).rejects.toMatchObject(locked(/Another process has been writing/));
      return;
    }
    // Root reads everything.
    fs.chmodSync(dirname(target), 0o777);
    const child = wantLock(target, { timeout: 20, uid: OTHER_USER });
    expect(await child.hear()).toMatch(/^LOCKED: .*File exists\. Another process has been writing/);
    expect(files()).toEqual(['tables.list.lock']);
  });

  it('in a folder of another user is an error at once', async () => {
    if (process.getuid?.() !== 0) return;
    fs.chmodSync(dirname(target), 0o755);
    const child = wantLock(target, { uid: OTHER_USER });
    expect(await child.hear()).toBe(`IO: Unable to create '${lockFile}': Permission denied`);
  });

  it.runIf(process.platform === 'linux')(
    'may be a named pipe, which nobody waits for',
    async () => {
      spawnSync('mkfifo', [lockFile]);
      await expect(acquire(20)).rejects.toMatchObject(locked(/Another process has been writing/));
    },
  );

  it('may be a link to nowhere', async () => {
    fs.symlinkSync('nowhere', lockFile);
    await expect(acquire(20)).rejects.toMatchObject(locked(/File exists/));
  });
});

describe('the owner’s record', () => {
  it('is there from the first moment of the lock', async () => {
    const seen: unknown[] = [];
    const watching = watchedFileSystem(({ name }) => {
      if (fs.existsSync(lockFile)) seen.push([name, parseOwner(fs.readFileSync(lockFile))?.pid]);
    });
    const lock = await StackLock.acquire(watching, target, { timeout: 0 });
    expect(seen).toEqual([
      ['unlink', process.pid],
      ['statOpen', process.pid],
    ]);
    await lock.release();
  });

  it.each(['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'])(
    'comes just after the file where there are no hard links (%s)',
    async (code) => {
      const linkless = watchedFileSystem((call) => {
        if (call.name === 'link') throw systemError(code, call);
      });
      const lock = await StackLock.acquire(linkless, target, { timeout: 0 });
      expect(files()).toEqual(['tables.list.lock']);
      expect(parseOwner(fs.readFileSync(lockFile))?.pid).toBe(process.pid);
      expect(lock.held).toBe(true);
      await expect(holdLock(target, { timeout: 0 })).rejects.toThrow(/LOCKED/);
      await lock.release();
      expect(files()).toEqual([]);
    },
  );

  it('is written again where a cleaner was quicker', async () => {
    let cleanings = 2;
    const cleaned = watchedFileSystem((call) => {
      if (call.name === 'link' && cleanings-- > 0) fs.unlinkSync(call.path!);
    });
    const lock = await StackLock.acquire(cleaned, target, { timeout: 0 });
    expect(parseOwner(fs.readFileSync(lockFile))?.pid).toBe(process.pid);
    await lock.release();
    expect(files()).toEqual([]);
  });

  it.each(['createEmpty', 'append', 'statOpen'])(
    'that cannot be made leaves nothing (%s)',
    async (failing) => {
      const full = watchedFileSystem((call) => {
        if (call.name === failing) throw systemError('ENOSPC', call);
      });
      await expect(StackLock.acquire(full, target, { timeout: -1 })).rejects.toMatchObject({
        code: 'IO',
        message: `Unable to create '${lockFile}': No space left on device`,
      });
      expect(files()).toEqual([]);
      expect(full.descriptors.size).toBe(0);
    },
  );
});

describe('cleaning', () => {
  it('removes what is left of locks, and nothing that is in use', () => {
    const folder = dirname(target);
    const [owner, breaker, heir, gone] = [
      ownerLike(DEAD),
      ownerLike(DEAD),
      ownerLike(),
      ownerLike(),
    ];
    fs.writeFileSync(lockFile, formatOwner(owner));
    fs.writeFileSync(breakFile(lockFile, owner.token), formatOwner(breaker));
    fs.writeFileSync(breakFile(lockFile, breaker.token), formatOwner(heir));
    fs.writeFileSync(join(folder, 'notes.lock.txt'), '');
    const unreadable = join(folder, 'b.ref.lock');
    fs.mkdirSync(unreadable);
    fs.writeFileSync(breakFile(unreadable, owner.token), formatOwner(heir));
    const kept = files();
    fs.writeFileSync(breakFile(lockFile, gone.token), formatOwner(heir));
    fs.writeFileSync(breakFile(join(folder, 'a.ref.lock'), owner.token), formatOwner(heir));
    fs.writeFileSync(`${lockFile}.temp.0a1b2c`, '');
    fs.writeFileSync(`${breakFile(lockFile, owner.token)}.temp.0a1b2c`, '');
    removeLockLeftovers(nodeFileSystem, folder, files());
    expect(files()).toEqual(kept);
  });
});
