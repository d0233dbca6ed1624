// A process that changes refs as fast as it can and keeps a journal of what it tried and what it was told, so
// that a test can tell afterwards whether anything was lost. It writes through the library, or through Git.
//
//   try REF OLD NEW      about to set REF from OLD to NEW
//   done                 acknowledged
//   refused              certainly not done
//
// A process that was killed leaves a journal that ends with `try`: that one may have happened, or not.

import { spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { openRefStore } from '../../src/index.ts';

/** What a writer is told to do. */
export interface WriterOrders {
  gitDir: string;
  journal: string;
  /** The Git to write with; the library where there is none. */
  git?: string | undefined;
  /** Refs that all writers set: `refs/heads/shared-0` and so on. */
  sharedRefs: number;
  /** Object ids that nobody else writes, one for each update. */
  oids: string[];
  /** Whether now and then a ref of the writer's own is created and deleted. */
  deletes: boolean;
  name: string;
  /** How long to wait for the lock, ms. */
  lockTimeout: number;
}

/** What happened to one update. */
type Verdict = 'done' | 'refused';

type Writer = (ref: string, newOid: string, oldOid: string) => Promise<Verdict>;

export async function carryOut(orders: WriterOrders): Promise<void> {
  const { gitDir, journal, sharedRefs, oids, name, lockTimeout } = orders;
  using store = openRefStore(gitDir, { lockTimeout, fsync: false });
  const zero = '0'.repeat(40);
  const note = (line: string) => appendFileSync(journal, `${line}\n`);

  const throughLibrary: Writer = async (ref, newOid, oldOid) => {
    try {
      await store.transaction([{ type: 'update', ref, newOid, oldOid }], { message: name });
      return 'done';
    } catch (error) {
      if ((error as { code?: string }).code === 'EXPECTED_OLD_VALUE') return 'refused';
      throw error;
    }
  };
  const throughGit: Writer = async (ref, newOid, oldOid) => {
    const args = ['update-ref', '-m', name, ref, newOid, oldOid];
    const { status, stderr } = spawnSync(orders.git!, args, { cwd: gitDir, encoding: 'utf8' });
    if (status === 0) return 'done';
    // Somebody was faster, or holds the lock for longer than Git waits for it.
    if (/cannot lock ref/.test(stderr)) return 'refused';
    throw new Error(stderr);
  };
  const write = orders.git === undefined ? throughLibrary : throughGit;

  const attempt = async (ref: string, newOid: string, oldOid: string): Promise<Verdict> => {
    note(`try ${ref} ${oldOid} ${newOid}`);
    const verdict = await write(ref, newOid, oldOid);
    note(verdict);
    return verdict;
  };

  for (const [i, oid] of oids.entries()) {
    for (let verdict: Verdict = 'refused'; verdict === 'refused'; ) {
      const ref = `refs/heads/shared-${Math.floor(Math.random() * sharedRefs)}`;
      verdict = await attempt(ref, oid, store.read(ref)?.oid ?? zero);
    }
    if (orders.deletes && i % 4 === 0) {
      const own = `refs/heads/own/${name}-${i}`;
      while ((await attempt(own, oid, zero)) === 'refused');
      while ((await attempt(own, zero, oid)) === 'refused');
    }
  }
}
