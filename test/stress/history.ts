// What writers noted in their journals, against what the refs and reflogs say in the end.

import { readFileSync } from 'node:fs';
import { openRefStore } from '../../src/index.ts';
import { git } from '../support/git.ts';

interface Attempt {
  ref: string;
  oldOid: string;
  newOid: string;
  outcome: 'done' | 'refused' | 'unknown';
}

const ZERO = '0'.repeat(40);

/** `writer.ts` draws a journal. */
export function readJournal(file: string): Attempt[] {
  const attempts: Attempt[] = [];
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [word, ref, oldOid, newOid] = line.split(' ');
    if (word === 'try') {
      attempts.push({ ref: ref!, oldOid: oldOid!, newOid: newOid!, outcome: 'unknown' });
    } else if (word === 'done' || word === 'refused') {
      attempts.at(-1)!.outcome = word;
    }
  }
  return attempts;
}

/** How many updates the journals say were acknowledged. */
export function acknowledged(attempts: readonly Attempt[]): number {
  return attempts.filter(({ outcome }) => outcome === 'done').length;
}

/**
 * What is wrong with the history, a line each: an update that was acknowledged and is not there, or is there
 * twice, or that nobody made; a reflog that does not lead from value to value.
 */
export function violations(gitDir: string, attempts: readonly Attempt[]): string[] {
  const found: string[] = [];
  using store = openRefStore(gitDir);
  const byRef = groupedBy(attempts, ({ ref }) => ref);
  for (const [ref, tries] of byRef) {
    const log = [...store.reflog(ref, { order: 'oldest-first' })];
    const value = store.read(ref)?.oid ?? ZERO;
    const deletions = tries.filter(({ newOid }) => newOid === ZERO);
    if (deletions.length > 0) {
      const isDeleted = deletions.some(({ outcome }) => outcome === 'done');
      if (isDeleted && (value !== ZERO || store.hasReflog(ref))) found.push(`${ref}: not deleted`);
      continue;
    }
    let last = ZERO;
    for (const { oldOid, newOid } of log) {
      if (oldOid !== last) found.push(`${ref}: from ${last} the reflog goes on with ${oldOid}`);
      last = newOid;
    }
    if (last !== value) found.push(`${ref}: is ${value}, its reflog ends with ${last}`);
    const logged = groupedBy(log, ({ newOid }) => newOid);
    for (const { oldOid, newOid, outcome } of tries) {
      const entries = (logged.get(newOid) ?? []).filter((entry) => entry.oldOid === oldOid);
      if (outcome === 'done' && entries.length !== 1) {
        found.push(`${ref}: ${newOid} was acknowledged and is there ${entries.length} times`);
      }
      // Whoever is refused because the lock is held tries the very same again, and may succeed then.
      const isRepeated = tries.some(
        (each) => each.newOid === newOid && each.oldOid === oldOid && each.outcome !== 'refused',
      );
      if (outcome === 'refused' && entries.length > 0 && !isRepeated) {
        found.push(`${ref}: ${newOid} was refused`);
      }
    }
    const tried = new Set(tries.map(({ newOid }) => newOid));
    for (const newOid of logged.keys()) {
      if (!tried.has(newOid)) found.push(`${ref}: nobody set it to ${newOid}`);
    }
  }
  return found;
}

/** What Git finds wrong, or reads otherwise than the library, a line each. */
export function disagreements(gitDir: string): string[] {
  const found: string[] = [];
  const at = { cwd: gitDir };
  const verified = git.run(['refs', 'verify'], at);
  if (verified.code !== 0 || verified.stderr !== '') found.push(`refs verify: ${verified.stderr}`);
  using store = openRefStore(gitDir);
  const ours = Array.from(store.refs(), ({ name, oid, target }) => `${oid ?? target} ${name}\n`);
  if (git.output(['for-each-ref', '--format=%(objectname) %(refname)'], at) !== ours.join('')) {
    found.push('Git reads other refs');
  }
  for (const name of store.reflogNames()) {
    const entries = Array.from(store.reflog(name), ({ newOid }) => `${newOid}\n`).join('');
    if (git.output(['reflog', 'show', '--format=%H', name, '--'], at) !== entries) {
      found.push(`Git reads another reflog of ${name}`);
    }
  }
  return found;
}

function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
