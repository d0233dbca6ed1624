// What crashes leave, explored: nothing is lost, and what is planted is found.

import { describe, expect, it } from 'vitest';
import type { ExplorationOptions } from '../../src/lab/index.ts';
import { explore, MUTATIONS, type OperationReport, replay, SUBJECTS } from '../../src/lab/index.ts';

/** Apart from interleavings. */
const OPERATIONS = SUBJECTS.filter((name) => name !== 'interleaving');

/** Whose losses a single writer shows. */
const FAULTS = [...MUTATIONS.keys()].filter((name) => name !== 'second-lock');

/** So many distinct states: together more than 100,000, and more where they are cheap. */
const STATES: Readonly<Record<string, number>> = {
  append: 5000,
  'grouped-append': 5000,
  'automatic-compaction': 20_000,
  'full-compaction': 22_000,
  clean: 26_000,
  'reflog-expiry': 8000,
  'dead-lock': 16_000,
};
const MINUTES = 60_000;

async function reports(options: ExplorationOptions): Promise<OperationReport[]> {
  const all: OperationReport[] = [];
  for await (const { isComplete, ...report } of explore(options)) if (isComplete) all.push(report);
  return all;
}

describe('a crash', () => {
  it.each(OPERATIONS)('of %s loses nothing', { timeout: 5 * MINUTES }, async (name) => {
    const states = STATES[name] ?? 10_000;
    const [report] = await reports({ operations: [name], states });
    expect(report!.simplest).toBeUndefined();
    expect(report).toMatchObject({ operation: name, states, losses: 0 });
  });

  it('is the same for the same seed, and another for another', async () => {
    const options = { operations: ['append'], states: 300, mutation: 'list-fsync' };
    const [first, again, other] = [
      await reports({ ...options, seed: 7 }),
      await reports({ ...options, seed: 7 }),
      await reports({ ...options, seed: 8 }),
    ];
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  });
});

describe('left out', () => {
  const cases = FAULTS.flatMap((fault) => OPERATIONS.map((name) => [fault, name]));
  it.each(cases)('%s: the loss is found in %s', async (mutation, name) => {
    let losses = 0;
    for await (const report of explore({ operations: [name!], states: 5000, mutation })) {
      losses = report.losses;
      if (losses > 0) break;
    }
    expect(losses).toBeGreaterThan(0);
  });

  it('and the loss is shown in the fewest calls, and again by its case', async () => {
    const mutation = 'folder-fsync';
    const [report] = await reports({ operations: ['append'], states: 1000, mutation });
    const loss = report!.simplest!;
    expect(loss.cause).toBe('power failure');
    expect(loss.calls.at(-1)).toMatch(/^rename tables\.list\.temp\.\w{6} → tables\.list$/);
    expect(loss.lost).toContainEqual(expect.stringMatching(/^rename .* → 0x.*\.ref$/));
    expect(loss.fault).toContain('the table is named in tables.list but is not there');
    expect(await replay(loss.case, { mutation })).toEqual(loss);
    expect(await replay('append/0/1/1', { mutation })).toBe('sound');
    expect(await replay('append/0/999/1')).toBeUndefined();
    expect(await replay('nothing/0/1/1')).toBeUndefined();
  });
});
