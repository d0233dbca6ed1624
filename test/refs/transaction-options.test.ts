// The options of a transaction: what is refused, and what is logged of a committer.

import { beforeEach, describe, expect, it } from 'vitest';
import type { Identity, RefStore, RefUpdate, TransactionOptions } from '../../src/index.ts';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ANN, emptyRepository, oid, open } from './empty-repository.ts';

const REF = 'refs/heads/a';

describe('options', () => {
  let store: RefStore;
  beforeEach(() => {
    store = open(emptyRepository());
    return () => store.close();
  });

  it.each([
    ['options: expected an object, found null', null],
    ['options: expected an object, found message', 'message'],
    ['committer: expected an identity, found null', { committer: null }],
    ['committer: expected an identity, found Ann', { committer: 'Ann' }],
    ['createReflog: expected a boolean, found yes', { createReflog: 'yes' }],
    ['message: expected a string, found null', { message: null }],
  ])('are refused: %s', async (message, options) => {
    const error = { code: 'INVALID_ARGUMENT', message };
    const update: RefUpdate = { type: 'create', ref: REF, newOid: oid('a') };
    for (const updates of [[update], []]) {
      const transaction = store.transaction(updates, options as unknown as TransactionOptions);
      await expect(transaction).rejects.toMatchObject(error);
    }
    expect(store.read(REF)).toBeUndefined();
    await store.transaction([update]);
  });
});

describeWithGit('the name and the address of a committer', () => {
  it.each([
    ['a<b\nc', '<q>@\n,x.'],
    [' ,:;"\\\'Zoë\t', 'e@x '],
    ['a, b', '<<e>>'],
    ['\u0001a\u0001b\u0001', '@'],
    ['x <', '> y'],
  ])('lose what Git takes away: %j, %j', async (name, email) => {
    const folder = temporaryFolder();
    const run = (args: string[], env = {}) => git.output(args, { cwd: folder, env }).trimEnd();
    run(['init', '-q', '--bare', '--ref-format=reftable']);
    const commit = run(['commit-tree', '-m', 'x', run(['hash-object', '-wt', 'tree', '--stdin'])]);
    const env = { GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
    run(['update-ref', '--create-reflog', 'refs/heads/git', commit], env);

    using store = open(folder);
    const committer: Identity = { ...ANN, name, email };
    const update: RefUpdate = { type: 'create', ref: 'refs/heads/ours', newOid: commit };
    await store.transaction([update], { committer, createReflog: true });
    const [theirs, ours] = ['git', 'ours'].map((end) => {
      const [entry] = store.reflog(`refs/heads/${end}`);
      return [entry!.committer.name, entry!.committer.email];
    });
    expect(ours).toEqual(theirs);
    expect(run(['log', '-g', '--format=%gn|%ge', 'refs/heads/ours'])).toBe(
      run(['log', '-g', '--format=%gn|%ge', 'refs/heads/git']),
    );
  });

  it('end at a NUL, as texts do to Git', async () => {
    using store = open(emptyRepository());
    const committer: Identity = { ...ANN, name: 'Ann\0 Other', email: 'a@x\0' };
    const update: RefUpdate = { type: 'create', ref: REF, newOid: oid('a') };
    await store.transaction([update], { committer, createReflog: true });
    expect([...store.reflog(REF)][0]!.committer).toEqual({ ...ANN, name: 'Ann', email: 'a@x' });
  });
});
