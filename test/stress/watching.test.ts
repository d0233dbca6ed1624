// Watching beside writers of several processes, Git's among them, which also merge tables: what the watcher is told
// is what the reflogs say in the end.

import { expect, it } from 'vitest';
import { openRefStore } from '../../src/index.ts';
import { describeWithGit } from '../support/git.ts';
import { Fleet } from './fleet.ts';
import { acknowledged } from './history.ts';

const THROUGH_GIT = 3;
const THROUGH_LIBRARY = 2;
const UPDATES = 1000;

describeWithGit('watching beside writers', () => {
  it('is told of every change once, in order', async () => {
    const count = (THROUGH_GIT + THROUGH_LIBRARY) * UPDATES;
    const fleet = new Fleet(count);
    using store = openRefStore(fleet.gitDir);
    const changes = store.watch({ prefix: 'refs/heads/', pollInterval: 0 });
    const writers = Array.from({ length: THROUGH_GIT + THROUGH_LIBRARY }, (_, i) =>
      fleet.start({ updates: UPDATES, throughGit: i < THROUGH_GIT }),
    );
    const told = new Map<string, string[]>();
    for (let i = 0; i < count; i++) {
      const { value } = await changes.next();
      const { name, oldOid = '0'.repeat(40), newOid, updateIndex } = value;
      told.set(name, [...(told.get(name) ?? []), `${updateIndex} ${oldOid} ${newOid}`]);
    }
    await changes.return!();
    for (const { ended } of writers) {
      expect(await ended).toEqual({ code: 0, signal: null, complaint: '' });
    }
    expect(acknowledged(fleet.attempts())).toBe(count);
    const logged = new Map<string, string[]>();
    for (const name of store.reflogNames()) {
      const entries = [...store.reflog(name, { order: 'oldest-first' })];
      logged.set(
        name,
        entries.map(({ updateIndex, oldOid, newOid }) => `${updateIndex} ${oldOid} ${newOid}`),
      );
    }
    expect(told).toEqual(logged);
  }, 300_000);
});
