// What a tool needs to find or make a repository is public, works with what it gives, and refuses arguments of
// another shape.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { discoverGitDir, initRepository, openRefStore } from '../../src/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const env = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };

describe('the public faces', () => {
  it('make a repository, find it from a folder in it, and open it', async () => {
    const folder = temporaryFolder();
    const made = await initRepository(folder, { initialBranch: 'trunk', env });
    mkdirSync(join(folder, 'a/b'), { recursive: true });
    const { gitDir, commonDir, workTree } = discoverGitDir(join(folder, 'a/b'), { env });
    expect({ gitDir, commonDir, workTree }).toEqual({
      gitDir: made.gitDir,
      commonDir: made.gitDir,
      workTree: folder,
    });
    using store = openRefStore(gitDir, { env });
    expect(store.read('HEAD')).toMatchObject({ target: 'refs/heads/trunk' });
  });

  it.each([
    [undefined, {}, 'start: expected a path, found undefined'],
    ['', {}, 'start: expected a path, found an empty string'],
    ['.', { env: 3 }, /^options\.env: /],
    ['.', { folder: '.' }, /^options: /],
  ])('refuse to look with %j %j', (start, options, message) => {
    const look = () => discoverGitDir(start as string, options as object);
    expect(look).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    expect(look).toThrow(message);
  });

  it.each([
    [7, {}, 'directory: expected a path, found number'],
    ['x', { bare: 1 }, /^options\.bare: /],
    ['x', { objectFormat: 'md5' }, /^options\.objectFormat: /],
    ['x', { gitDir: '' }, /^options\.gitDir: /],
    ['x', { shared: false }, /^options\.shared: /],
  ])('refuse to make with %j %j', async (directory, options, message) => {
    const make = () => initRepository(directory as string, options as object);
    await expect(make()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(make()).rejects.toThrow(message);
  });
});
