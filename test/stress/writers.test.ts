// Processes that write to one stack at once, Git's among them: nothing is lost, nothing is there twice, and
// Git reads what we read.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openRefStore } from '../../src/index.ts';
import { describeWithGit } from '../support/git.ts';
import { Fleet, type WriterOptions } from './fleet.ts';
import { acknowledged, disagreements, violations } from './history.ts';

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

/** Lets the writers work to their end, and checks what they leave. */
async function check(writers: readonly WriterOptions[]): Promise<void> {
  const fleet = new Fleet(writers.reduce((sum, { updates }) => sum + updates, 0));
  const started = writers.map((options) => fleet.start(options));
  for (const { ended } of started) {
    expect(await ended).toEqual({ code: 0, signal: null, complaint: '' });
  }
  const attempts = fleet.attempts();
  expect(acknowledged(attempts)).toBeGreaterThanOrEqual(
    writers.reduce((sum, { updates }) => sum + updates, 0),
  );
  expect(violations(fleet.gitDir, attempts)).toEqual([]);
  expect(disagreements(fleet.gitDir)).toEqual([]);
  const stack = readdirSync(join(fleet.gitDir, 'reftable'));
  expect(stack.filter((name) => !/^tables\.list$|\.ref$/.test(name))).toEqual([]);
  expect(stack.length).toBeLessThan(20);
  using store = openRefStore(fleet.gitDir);
  const left = Array.from(store.refs({ prefix: 'refs/heads/own/' }), ({ name }) => name);
  expect(left).toEqual([]);
}

describeWithGit('writers at once', () => {
  it('eight of ours', () => check(times(8, { updates: 100 })));

  it('four of ours and four of Git', () =>
    check([...times(4, { updates: 100 }), ...times(4, { updates: 40, throughGit: true })]));

  it('eight that also delete, two of them Git', () =>
    check([
      ...times(6, { updates: 60, deletes: true }),
      ...times(2, { updates: 30, deletes: true, throughGit: true }),
    ]));
});
