import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { thisMachine } from '../../src/stack/lock/machine.ts';
import { formatOwner, parseOwner } from '../../src/stack/lock/owner.ts';
import { TableLock } from '../../src/stack/lock/table-lock.ts';
import { nodeFileSystem } from '../../src/storage/node-file-system.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { systemError, watchedFileSystem } from './watched-file-system.ts';

let path: string;
beforeEach(() => {
  path = join(temporaryFolder(), '0x000000000001-0x000000000001-4c7b6ae1.ref.lock');
});

const acquire = () => TableLock.tryAcquire(nodeFileSystem, path);

describe('the lock of a table', () => {
  it('is a file that says whose it is, until it is given back', async () => {
    const lock = await acquire();
    expect(parseOwner(fs.readFileSync(path))?.pid).toBe(process.pid);
    await lock!.release();
    await lock!.release();
    expect(fs.readdirSync(dirname(path))).toEqual([]);
  });

  it('is had by one at a time, and nobody waits', async () => {
    const lock = await acquire();
    expect(await acquire()).toBeUndefined();
    await lock!.release();
    await (await acquire())!.release();
  });

  it('of Git is left alone', async () => {
    fs.writeFileSync(path, '');
    expect(await acquire()).toBeUndefined();
    expect(fs.readFileSync(path, 'utf8')).toBe('');
  });

  it.runIf(process.platform === 'linux')('of a dead owner is taken', async () => {
    const self = thisMachine.self();
    const dead = { ...self, identity: { ...self.identity!, started: 1 }, token: '0'.repeat(32) };
    fs.writeFileSync(path, formatOwner(dead));
    const lock = await acquire();
    expect(parseOwner(fs.readFileSync(path))?.token).not.toBe(dead.token);
    await lock!.release();
    expect(fs.readdirSync(dirname(path))).toEqual([]);
  });

  it('holds no descriptor', async () => {
    const watching = watchedFileSystem(() => {});
    const lock = await TableLock.tryAcquire(watching, path);
    expect(watching.descriptors.size).toBe(0);
    await lock!.release();
    expect(watching.descriptors.size).toBe(0);
  });

  it('that somebody removed and took anew is not ours to give back', async () => {
    const lock = await acquire();
    fs.unlinkSync(path);
    fs.writeFileSync(path, '');
    await lock!.release();
    expect(fs.existsSync(path)).toBe(true);
  });

  it('has the permissions that are asked for', async () => {
    const lock = await TableLock.tryAcquire(nodeFileSystem, path, 0o600);
    expect(fs.statSync(path).mode & 0o777).toBe(0o600);
    await lock!.release();
  });

  it.each([
    ['createEmpty', 'create'],
    ['append', 'create'],
  ])('fails with the reason of the system (%s)', async (failing, action) => {
    const full = watchedFileSystem((call) => {
      if (call.name === failing) throw systemError('ENOSPC', call);
    });
    await expect(TableLock.tryAcquire(full, path)).rejects.toMatchObject({
      code: 'IO',
      message: `Unable to ${action} '${path}': No space left on device`,
    });
    expect(fs.readdirSync(dirname(path))).toEqual([]);
  });

  it('says so when it cannot be given back', async () => {
    const stubborn = watchedFileSystem((call) => {
      if (call.name === 'unlink' && call.path === path) throw systemError('EPERM', call);
    });
    const lock = await TableLock.tryAcquire(stubborn, path);
    await expect(lock!.release()).rejects.toMatchObject({
      code: 'IO',
      message: `Unable to remove '${path}': Operation not permitted`,
    });
  });
});
