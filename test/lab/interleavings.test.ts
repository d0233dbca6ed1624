// Processes that write at the same time, stopped and killed anywhere: nothing is lost, and what is planted is found.

import { describe, expect, it } from 'vitest';
import { judgeHistory } from '../../src/lab/explore/history.ts';
import {
  type ExplorationOptions,
  explore,
  type OperationReport,
  replay,
} from '../../src/lab/index.ts';

const TIMEOUT = 5 * 60_000;

async function report(options: ExplorationOptions): Promise<OperationReport | undefined> {
  for await (const { isComplete, ...found } of explore({
    operations: ['interleaving'],
    ...options,
  })) {
    if (isComplete) return found;
  }
  return undefined;
}

describe('interleavings', () => {
  it.each([
    [2, 2000],
    [3, 1000],
  ] as const)('of %d processes lose nothing', { timeout: TIMEOUT }, async (processes, count) => {
    const found = await report({ processes, states: count });
    expect(found!.simplest).toBeUndefined();
    expect(found).toMatchObject({ states: count, losses: 0 });
  });

  it(
    'show what is lost where a dead lock is broken without the right to',
    async () => {
      const mutation = 'second-lock';
      let found: OperationReport | undefined;
      for await (const each of explore({ operations: ['interleaving'], states: 4000, mutation })) {
        found = each;
        if (each.losses > 0) break;
      }
      const loss = found!.simplest!;
      expect(loss.cause).toBe('2 processes');
      expect(loss.calls).toContain('process 1: unlink tables.list.lock');
      expect(loss.calls).toContain('process 2: unlink tables.list.lock');
      expect(await replay(loss.case, { mutation })).toEqual(loss);
      expect(await replay(loss.case)).not.toMatchObject({ fault: loss.fault });
    },
    TIMEOUT,
  );

  it('are named as they are looked at again', async () => {
    expect(await replay('interleaving/0/1:3,2:4')).toBe('sound');
    expect(await replay('interleaving/0/1:3!')).toBe('sound');
    for (const none of ['interleaving/0/1:9999', 'interleaving/0/3:1', 'interleaving/0/1;1']) {
      expect(await replay(none), none).toBeUndefined();
    }
  });
});

describe('a history', () => {
  const [zero, a, b] = ['0', 'a', 'b'].map((digit) => digit.repeat(40));
  const refs = (...lines: string[]) => ['HEAD ref: refs/heads/main', ...lines].join('\n');
  const log = (before: string, after: string) => `log refs/heads/main ${before} ${after} x`;
  const both = refs(
    `refs/heads/main ${b}`,
    ...[`refs/tags/${a} ${a}`, `refs/tags/${b} ${b}`, log(a!, b!), log(zero!, a!)],
  );

  it('is sound where each step is there, and follows the one before', () => {
    expect(judgeHistory(both, [[`asks ${a}`, `has ${a}`], [`asks ${b}`]])).toBeUndefined();
    expect(judgeHistory(refs(), [[`asks ${a}`]])).toBeUndefined();
  });

  it.each([
    [refs(), [`asks ${a}`, `has ${a}`], 'was acknowledged, and is not in the reflog'],
    [both, [`asks ${a}`], 'nobody asked for it'],
    [both.replace(log(a!, b!), log(zero!, b!)), [`asks ${a}`, `asks ${b}`], 'was set where'],
    [both.replace(`main ${b}`, `main ${a}`), [`asks ${a}`, `asks ${b}`], 'not where its log ends'],
    [both.replace(`refs/tags/${a}`, 'x'), [`asks ${a}`, `asks ${b}`], 'is there in part'],
    [both, ['fails: of itself'], 'fails: of itself'],
  ])('is not, %#', (found, events, fault) => {
    expect(judgeHistory(found, [events])).toContain(fault);
  });
});
