// Writers that are killed or stopped at random moments, while others, Git among them, go on.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openRefStore } from '../../src/index.ts';
import { describeWithGit } from '../support/git.ts';
import { type Ending, Fleet } from './fleet.ts';
import { acknowledged, disagreements, violations } from './history.ts';

/** How long writers are killed; the gate asks for a minute. */
const SECONDS = Number(process.env.REFTABLE_STRESS_SECONDS ?? 15);

/** What a writer can do before it is killed. */
const UPDATES = 150;

/** Longer than any live writer keeps the others waiting here, ms. */
const LOCK_TIMEOUT = 10_000;

const KILLED = { code: null, signal: 'SIGKILL', complaint: '' };
const FINISHED = { code: 0, signal: null, complaint: '' };

describeWithGit('writers that die', () => {
  it(
    'lose nothing that was acknowledged, and keep nobody waiting',
    async () => {
      const fleet = new Fleet(SECONDS * 8 * UPDATES + 20_000);
      const until = performance.now() + SECONDS * 1000;
      const endings: Promise<Ending>[] = [];
      const start = () => {
        const writer = fleet.start({ updates: UPDATES, deletes: true, lockTimeout: LOCK_TIMEOUT });
        endings.push(writer.ended);
        return writer;
      };
      const theirs = [1, 2].map(() => fleet.start({ updates: 20 * SECONDS, throughGit: true }));
      const ours = [start(), start(), start()];
      while (performance.now() < until) {
        await after(Math.random() * 300);
        const victim = Math.floor(Math.random() * ours.length);
        ours[victim]!.process.kill('SIGKILL');
        await ours[victim]!.ended;
        ours[victim] = start();
      }
      // The last ones work to their end, and find their way past what the dead left.
      for (const { ended } of [...ours, ...theirs]) expect(await ended).toEqual(FINISHED);
      const ended = await Promise.all(endings);
      const killed = ended.filter(({ signal }) => signal === 'SIGKILL');
      expect(killed.length).toBeGreaterThan(2 * SECONDS);
      for (const each of ended) expect([KILLED, FINISHED]).toContainEqual(each);

      const attempts = fleet.attempts();
      expect(acknowledged(attempts)).toBeGreaterThan(20 * SECONDS);
      expect(violations(fleet.gitDir, attempts)).toEqual([]);
      expect(disagreements(fleet.gitDir)).toEqual([]);
    },
    (SECONDS + 60) * 1000,
  );

  it('but are only stopped keep their lock', async () => {
    const fleet = new Fleet(UPDATES);
    const writer = fleet.start({ updates: UPDATES });
    const lock = join(fleet.gitDir, 'reftable/tables.list.lock');
    const { pid } = writer.process;
    const isHeld = () => existsSync(lock) && readFileSync(lock, 'utf8').includes(`${pid}`);
    while (!isHeld()) {
      writer.process.kill('SIGCONT');
      await after(Math.random() * 3);
      writer.process.kill('SIGSTOP');
      await after(1);
    }
    const held = readFileSync(lock, 'utf8');
    using store = openRefStore(fleet.gitDir, { lockTimeout: 30_000 });
    const update = { type: 'symref-create', ref: 'refs/heads/s', newTarget: 'HEAD' } as const;
    await expect(store.transaction([update])).rejects.toMatchObject({
      code: 'LOCKED',
      message: expect.stringContaining(`${pid}`),
    });
    expect(readFileSync(lock, 'utf8')).toBe(held);
    writer.process.kill('SIGCONT');
    await store.transaction([update]);
    expect(await writer.ended).toEqual(FINISHED);
    expect(violations(fleet.gitDir, fleet.attempts())).toEqual([]);
    expect(readdirSync(join(fleet.gitDir, 'reftable'))).not.toContain('tables.list.lock');
  });
});
