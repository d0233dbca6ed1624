// A store on files: what Git reads from what it writes, and the other way round; and what it makes of damage.

import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { openRefStore, type RefStore } from '../../src/index.ts';
import { describeWithGit, ENVIRONMENT, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describeWithGit('a store on files', () => {
  let folder: string;
  let gitDir: string;
  let store: RefStore;
  let a: string;
  let b: string;

  beforeEach(() => {
    folder = temporaryFolder();
    git.output(['init', '-q', '--ref-format=files', folder]);
    gitDir = join(folder, '.git');
    const run = (...args: string[]) => git.output(args, { cwd: folder }).trim();
    const tree = run('mktree');
    a = run('commit-tree', '-m', 'a', tree);
    b = run('commit-tree', '-m', 'b', '-p', a, tree);
    store = openRefStore(gitDir, { env: ENVIRONMENT });
  });

  const gits = (...args: string[]) => git.output(args, { cwd: folder });
  const names = () => Array.from(store.refs(), ({ name }) => name);

  it('writes what Git reads, with its reflogs', async () => {
    await store.transaction(
      [
        { type: 'create', ref: 'refs/heads/main', newOid: a },
        { type: 'create', ref: 'refs/tags/v1', newOid: b },
      ],
      { message: 'made' },
    );
    expect(gits('for-each-ref', '--format=%(refname) %(objectname)')).toBe(
      `refs/heads/main ${a}\nrefs/tags/v1 ${b}\n`,
    );
    expect(gits('log', '-g', '--format=%gd %H %gs', 'main')).toBe(`main@{0} ${a} made\n`);
    expect([...store.reflog('HEAD')].map(({ newOid, message }) => [newOid, message])).toEqual([
      [a, 'made'],
    ]);
  });

  it('reads what Git packs, and deletes from it', async () => {
    gits('update-ref', 'refs/heads/one', a);
    gits('update-ref', 'refs/heads/two', b);
    gits('pack-refs', '--all');
    expect(store.resolve('refs/heads/two')?.oid).toBe(b);
    await store.transaction([{ type: 'delete', ref: 'refs/heads/one', oldOid: a }]);
    expect(names()).toEqual(['refs/heads/two']);
    expect(gits('show-ref')).toBe(`${b} refs/heads/two\n`);
  });

  it('packs by pattern, and leaves no empty folders', async () => {
    for (const name of ['refs/heads/deep/down/one', 'refs/tags/v1']) {
      await store.transaction([{ type: 'create', ref: name, newOid: a }]);
    }
    await store.optimize({ include: ['refs/heads/*'] });
    expect(readdirSync(join(gitDir, 'refs/heads'))).toEqual([]);
    expect(readdirSync(join(gitDir, 'refs/tags'))).toEqual(['v1']);
    expect(names()).toEqual(['refs/heads/deep/down/one', 'refs/tags/v1']);
    expect(gits('rev-parse', 'deep/down/one').trim()).toBe(a);
  });

  it('renames a ref with its reflog, HEAD told', async () => {
    await store.transaction([{ type: 'create', ref: 'refs/heads/main', newOid: a }]);
    await store.renameRef('refs/heads/main', 'refs/heads/main/below', { message: 'moved' });
    expect(names()).toEqual(['refs/heads/main/below']);
    expect(gits('log', '-g', '--format=%H %gs', 'main/below')).toBe(`${a} moved\n${a} \n`);
    const [newest] = store.reflog('HEAD');
    expect(newest).toMatchObject({ oldOid: a, newOid: '0'.repeat(40), message: 'moved' });
    await expect(store.renameRef('refs/heads/gone', 'refs/heads/new')).rejects.toMatchObject({
      code: 'MISSING_REF',
    });
  });

  it('copies a ref with its reflog', async () => {
    await store.transaction([{ type: 'create', ref: 'refs/heads/main', newOid: a }]);
    await store.copyRef('refs/heads/main', 'refs/heads/copy', { message: 'copied' });
    expect(names()).toEqual(['refs/heads/copy', 'refs/heads/main']);
    expect([...store.reflog('refs/heads/copy')].map(({ message }) => message)).toEqual([
      'copied',
      '',
    ]);
    expect(store.hasReflog('refs/heads/main')).toBe(true);
  });

  it.each([
    ['empty', ''],
    ['cut off', '0123'],
    ['binary', '\0\x01\x02'],
  ])('says that a loose ref is damaged that is %s, and lists the others', (_, text) => {
    writeFileSync(join(gitDir, 'refs/heads/bad'), text);
    gits('update-ref', 'refs/heads/good', a);
    expect(() => store.read('refs/heads/bad')).toThrow(
      expect.objectContaining({ code: 'CORRUPT_REF', ref: 'refs/heads/bad' }),
    );
    expect(names()).toEqual(['refs/heads/good']);
  });

  it('takes a symbolic link to a ref for a symref, and passes one over that dangles', () => {
    gits('update-ref', 'refs/heads/main', a);
    symlinkSync('refs/heads/main', join(gitDir, 'refs/heads/link'));
    symlinkSync('nowhere', join(gitDir, 'refs/heads/dangling'));
    expect(store.read('refs/heads/link')?.target).toBe('refs/heads/main');
    expect(store.resolve('refs/heads/link')?.oid).toBe(a);
    expect(store.read('refs/heads/dangling')).toBeUndefined();
  });

  it('passes over a broken line of a reflog', async () => {
    await store.transaction([{ type: 'create', ref: 'refs/heads/main', newOid: a }]);
    const log = join(gitDir, 'logs/refs/heads/main');
    writeFileSync(log, `nonsense\n${readFileSync(log, 'utf8')}${a} ${b}`);
    expect([...store.reflog('refs/heads/main')].map(({ newOid }) => newOid)).toEqual([a]);
  });

  it('waits for a lock, and names the file then', async () => {
    writeFileSync(join(gitDir, 'refs/heads/main.lock'), '');
    const update = store.transaction([{ type: 'create', ref: 'refs/heads/main', newOid: a }]);
    await expect(update).rejects.toMatchObject({ code: 'LOCKED' });
    await expect(update).rejects.toThrow(`${gitDir}/refs/heads/main.lock': File exists.`);
    expect(readdirSync(join(gitDir, 'refs/heads'))).toEqual(['main.lock']);
  });

  it('puts a ref where an empty folder is, and not where there is something in it', async () => {
    mkdirSync(join(gitDir, 'refs/heads/empty/more'), { recursive: true });
    await store.transaction([{ type: 'create', ref: 'refs/heads/empty', newOid: a }]);
    expect(store.resolve('refs/heads/empty')?.oid).toBe(a);
    await expect(
      store.transaction([{ type: 'create', ref: 'refs/heads/empty/below', newOid: a }]),
    ).rejects.toMatchObject({ code: 'NAME_CONFLICT' });
  });

  it('holds what a snapshot has seen', async () => {
    gits('update-ref', 'refs/heads/main', a);
    gits('update-ref', 'refs/heads/packed', a);
    gits('pack-refs', '--all');
    gits('update-ref', 'refs/heads/loose', a);
    using snapshot = store.snapshot();
    const before = Array.from(snapshot.refs(), ({ name, oid }) => [name, oid]);
    gits('update-ref', 'refs/heads/main', b);
    gits('update-ref', '-d', 'refs/heads/packed');
    gits('pack-refs', '--all');
    expect(Array.from(snapshot.refs(), ({ name, oid }) => [name, oid])).toEqual(before);
    expect(store.resolve('refs/heads/main')?.oid).toBe(b);
  });

  it('makes transactions of one process in the order of the calls', async () => {
    const made = [a, b, a, b].map((newOid) =>
      store.transaction([{ type: 'update', ref: 'refs/heads/main', newOid }]),
    );
    await Promise.all(made);
    expect([...store.reflog('refs/heads/main')].map(({ newOid }) => newOid)).toEqual([b, a, b, a]);
  });

  it('keeps the locks of a prepared transaction until it is over', async () => {
    const prepared = await store.prepare([{ type: 'create', ref: 'refs/heads/main', newOid: a }]);
    expect(git.run(['update-ref', 'refs/heads/main', b], { cwd: folder }).code).toBe(128);
    await prepared.abort();
    expect(names()).toEqual([]);
    expect(git.run(['update-ref', 'refs/heads/main', b], { cwd: folder }).code).toBe(0);
  });

  it('tells a watcher of what Git changes', async () => {
    const changes = store.watch({ pollInterval: 5 });
    gits('update-ref', 'refs/heads/main', a);
    const { value } = await changes.next();
    expect(value).toMatchObject({ name: 'refs/heads/main', oldOid: undefined, newOid: a });
    await changes.return!();
  });
});
