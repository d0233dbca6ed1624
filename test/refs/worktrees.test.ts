// A store in a linked worktree: transactions that write to several stacks are locked, grouped, prepared and refused
// as any other, and each reader sees every stack as it is.

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { openRefStore, type RefStore } from '../../src/index.ts';
import { describeWithGit, ENVIRONMENT, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const BRANCH = 'refs/heads/linked';
const OWN = 'refs/worktree/own';

describeWithGit('a store in a linked worktree', () => {
  let main: string;
  let linkedDir: string;
  let first: string;
  let second: string;
  let linked: RefStore;
  let shared: RefStore;

  const open = (gitDir: string, lockTimeout = 100) =>
    openRefStore(gitDir, { env: ENVIRONMENT, fsync: false, lockTimeout });
  const lockOf = (gitDir: string) => join(gitDir, 'reftable/tables.list.lock');
  const listOf = (gitDir: string) => readFileSync(join(gitDir, 'reftable/tables.list'), 'utf8');
  const messages = (store: RefStore, name: string) =>
    [...store.reflog(name)].map(({ message }) => message);

  beforeEach(() => {
    const folder = temporaryFolder();
    main = join(folder, 'main/.git');
    const run = (...args: string[]) => git.output(args, { cwd: join(folder, 'main') }).trimEnd();
    git.output(['init', '-q', '--ref-format=reftable', join(folder, 'main')]);
    run('commit', '-q', '--allow-empty', '-m', 'first');
    first = run('rev-parse', 'HEAD');
    second = run('commit-tree', '-m', 'second', run('write-tree'));
    run('worktree', 'add', '-q', '-b', 'linked', '../linked');
    run('worktree', 'add', '-q', '--detach', '../other');
    linkedDir = join(main, 'worktrees/linked');
    linked = open(linkedDir);
    shared = open(main);
    return () => {
      linked.close();
      shared.close();
    };
  });

  it('commits those that wait together, each logged where it belongs', async () => {
    const move = (ref: string, newOid: string, oldOid: string) =>
      linked.transaction([{ type: 'update', ref, newOid, oldOid }], { message: `${ref} moves` });
    const results = await Promise.allSettled([
      move('HEAD', second, first),
      move(BRANCH, first, second),
      move('HEAD', second, second),
      linked.transaction([{ type: 'create', ref: OWN, newOid: first }]),
      linked.transaction([{ type: 'create', ref: 'refs/tags/t', newOid: first }]),
      move('HEAD', second, first),
    ]);
    const statuses = results.map(({ status }) => status === 'fulfilled');
    expect(statuses).toEqual([true, true, false, true, true, true]);
    const moved = ['HEAD moves', `${BRANCH} moves`, 'HEAD moves'];
    expect(messages(linked, 'HEAD').slice(0, 3)).toEqual(moved);
    expect(messages(linked, BRANCH).slice(0, 3)).toEqual(moved);
    expect(shared.resolve('worktrees/linked/HEAD')).toMatchObject({ name: BRANCH, oid: second });
    expect(messages(shared, 'HEAD')).not.toContain('HEAD moves');
    expect(shared.read(OWN)).toBeUndefined();
    expect(shared.read(`worktrees/linked/${OWN}`)?.name).toBe(`worktrees/linked/${OWN}`);
  });

  it('holds all locks of a prepared transaction, and no other', async () => {
    const prepared = await linked.prepare([{ type: 'update', ref: 'HEAD', newOid: second }]);
    expect([main, linkedDir].map((each) => existsSync(lockOf(each)))).toEqual([true, true]);
    expect(existsSync(lockOf(join(main, 'worktrees/other')))).toBe(false);
    await prepared.abort();
    expect([main, linkedDir].map((each) => existsSync(lockOf(each)))).toEqual([false, false]);
    const own = await linked.prepare([{ type: 'create', ref: OWN, newOid: first }]);
    expect(existsSync(lockOf(main))).toBe(false);
    await own.commit();
    expect(linked.read(OWN)?.oid).toBe(first);
  });

  it('leaves no lock and no table where one of the locks is not to be had', async () => {
    writeFileSync(lockOf(main), '');
    const [before, logged] = [listOf(main), messages(linked, 'HEAD')];
    const refused = { code: 'LOCKED', file: lockOf(main) };
    const both = linked.transaction([{ type: 'update', ref: 'HEAD', newOid: second }]);
    // It wants another lock, and is not refused for the one that is not free.
    const own = linked.transaction([{ type: 'create', ref: OWN, newOid: first }]);
    await expect(both).rejects.toMatchObject(refused);
    expect(existsSync(lockOf(linkedDir))).toBe(false);
    expect(listOf(main)).toBe(before);
    await own;
    rmSync(lockOf(main));
    expect(messages(linked, 'HEAD')).toEqual(logged);
  });

  it('never waits in a circle, from whichever stack a transaction begins', async () => {
    using again = open(linkedDir, 10_000);
    using here = open(linkedDir, 10_000);
    const rounds = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? second : first));
    for (const newOid of rounds) {
      await Promise.all([
        here.transaction([{ type: 'update', ref: 'HEAD', newOid }]),
        again.transaction([
          { type: 'update', ref: BRANCH, newOid },
          { type: 'update', ref: 'refs/tags/t', newOid },
        ]),
      ]);
    }
    expect(linked.resolve('HEAD')?.oid).toBe(first);
    expect(linked.resolve('refs/tags/t')?.oid).toBe(first);
  });

  it('takes the lock of a stack that only a symref leads to', async () => {
    const ref = 'refs/heads/to-other';
    const target = 'worktrees/other/refs/worktree/x';
    await shared.transaction([{ type: 'symref-create', ref, newTarget: target }]);
    const before = listOf(main);
    await shared.transaction([{ type: 'create', ref, newOid: second, deref: true }]);
    expect(shared.resolve(ref)).toMatchObject({ name: target, oid: second });
    using other = open(join(main, 'worktrees/other'));
    expect(other.read('refs/worktree/x')?.oid).toBe(second);
    await shared.transaction([{ type: 'update', ref, newOid: first, oldOid: second }]);
    expect(other.read('refs/worktree/x')?.oid).toBe(first);
    expect(linked.resolve(ref)?.oid).toBe(first);
    // The symref is logged, as in Git.
    expect(listOf(main)).not.toBe(before);
  });

  it('keeps a snapshot of all stacks as they were', async () => {
    await linked.transaction([{ type: 'create', ref: OWN, newOid: first }]);
    using snapshot = linked.snapshot();
    const names = () => [...snapshot.refs({ includeRoot: true })].map(({ name }) => name);
    const before = names();
    expect(before).toContain(OWN);
    await linked.transaction([
      { type: 'delete', ref: OWN },
      { type: 'create', ref: 'refs/heads/new', newOid: first },
    ]);
    await linked.optimize();
    await shared.optimize();
    expect(names()).toEqual(before);
    expect(snapshot.read(OWN)?.oid).toBe(first);
    expect(linked.read(OWN)).toBeUndefined();
    snapshot.close();
    expect(() => snapshot.read(OWN)).toThrow(expect.objectContaining({ code: 'CLOSED' }));
  });

  it('edits the reflogs of its own refs, of shared ones and of other worktrees', async () => {
    const entry = { oldOid: first, newOid: second };
    await linked.writeReflogEntry('HEAD', { ...entry, message: 'own' });
    await linked.writeReflogEntry('refs/heads/main', { ...entry, message: 'of all' });
    await linked.writeReflogEntry('worktrees/other/HEAD', { ...entry, message: 'the other' });
    expect(messages(linked, 'HEAD')[0]).toBe('own');
    expect(messages(shared, 'refs/heads/main')[0]).toBe('of all');
    using other = open(join(main, 'worktrees/other'));
    expect(messages(other, 'HEAD')[0]).toBe('the other');
    await shared.deleteReflog('worktrees/other/HEAD');
    expect(other.hasReflog('HEAD')).toBe(false);
    expect(linked.hasReflog('HEAD')).toBe(true);
    await expect(linked.createReflog('worktrees/nobody/HEAD')).rejects.toMatchObject({
      code: 'IO',
    });
  });

  it('sees a worktree that was added after it was opened', () => {
    expect(shared.read('worktrees/late/HEAD')).toBeUndefined();
    git.output(['worktree', 'add', '-q', '-b', 'late', '../late'], { cwd: join(main, '..') });
    expect(shared.read('worktrees/late/HEAD')?.target).toBe('refs/heads/late');
    expect(linked.resolve('worktrees/late/HEAD')?.oid).toBe(first);
    expect(linked.read('worktrees/../HEAD')).toBeUndefined();
  });

  it('watches its own refs and the shared ones, and not what others have for themselves', async () => {
    const changes = linked.watch({ includeRoot: true });
    await shared.transaction([{ type: 'symref-update', ref: 'HEAD', newTarget: 'refs/heads/x' }]);
    await shared.transaction([{ type: 'update', ref: BRANCH, newOid: second }]);
    expect((await changes.next()).value).toMatchObject({ name: BRANCH, newOid: second });
    await linked.transaction([{ type: 'create', ref: OWN, newOid: first }]);
    expect((await changes.next()).value).toMatchObject({ name: OWN, newOid: first });
    await linked.transaction([{ type: 'symref-update', ref: 'HEAD', newTarget: 'refs/heads/x' }]);
    const head = { name: 'HEAD', oldTarget: BRANCH, newTarget: 'refs/heads/x' };
    expect((await changes.next()).value).toMatchObject(head);
    await changes.return!();
  });
});
