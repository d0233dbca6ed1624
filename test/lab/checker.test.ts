// The history checker against histories that were doctored, each in one way, and sound ones.

import { describe, expect, it } from 'vitest';
import {
  type Attempt,
  checkHistory,
  type History,
  type LogStep,
  type Snapshot,
  type Violation,
} from '../../src/lab/index.ts';

const A = 'refs/heads/a';
const B = 'refs/heads/b';

/** `a: old → new` for each ref, between two times. */
function attempt(
  writer: string,
  [began, ended]: [number, number],
  writes: [ref: string, oldValue: string, newValue: string][],
  outcome: Attempt['outcome'] = 'acknowledged',
): Attempt {
  const parts = writes.map(([ref, oldValue, newValue]) => ({ ref, oldValue, newValue }));
  return { writer, began, ended, outcome, writes: parts };
}

function snapshot(
  [began, ended]: [number, number],
  values: Record<string, string>,
  reader = 'reader-1',
): Snapshot {
  return { reader, began, ended, values: new Map(Object.entries(values)) };
}

function history(
  attempts: Attempt[],
  final: Record<string, string>,
  snapshots: Snapshot[] = [],
  reflogs: Record<string, [string, string][]> = {},
): History {
  const steps = (log: [string, string][]): LogStep[] =>
    log.map(([oldValue, newValue]) => ({ oldValue, newValue }));
  return {
    attempts,
    snapshots,
    final: new Map(Object.entries(final)),
    reflogs: new Map(Object.entries(reflogs).map(([ref, log]) => [ref, steps(log)])),
  };
}

const created = attempt(
  'one',
  [0, 1],
  [
    [A, '', 'a1'],
    [B, '', 'b1'],
  ],
);
const moved = attempt(
  'two',
  [2, 3],
  [
    [A, 'a1', 'a2'],
    [B, 'b1', 'b2'],
  ],
);

const kinds = (found: readonly Violation[]) => found.map(({ kind }) => kind);

describe('a sound history', () => {
  it.each<[string, History]>([
    ['of writes in a row', history([created, moved], { [A]: 'a2', [B]: 'b2' })],
    [
      'with a writer that died and wrote',
      history([created, { ...moved, outcome: 'unknown' }], { [A]: 'a2', [B]: 'b2' }),
    ],
    [
      'with a writer that died and did not write',
      history([created, { ...moved, outcome: 'unknown' }], { [A]: 'a1', [B]: 'b1' }),
    ],
    [
      'with a writer that died and deleted what another had written before it died',
      history(
        [
          created,
          attempt('two', [2, 3], [[A, 'a1', 'a2']], 'unknown'),
          attempt('three', [4, 5], [[A, 'a2', '']], 'unknown'),
        ],
        { [B]: 'b1' },
      ),
    ],
    [
      'of a transaction that was refused and then made',
      history([created, { ...moved, outcome: 'refused' }, { ...moved, began: 4, ended: 5 }], {
        [A]: 'a2',
        [B]: 'b2',
      }),
    ],
    [
      'with reads on either side of a write, while it goes on',
      history([created, moved], { [A]: 'a2', [B]: 'b2' }, [
        snapshot([2.1, 2.2], { [A]: 'a1', [B]: 'b1' }),
        snapshot([2.3, 2.4], { [A]: 'a2', [B]: 'b2' }),
        snapshot([2.1, 2.9], { [A]: 'a1', [B]: 'b1' }, 'reader-2'),
      ]),
    ],
    [
      'of a ref that was deleted and made anew, with the reflog of its last life',
      history(
        [created, attempt('x', [2, 3], [[A, 'a1', '']]), attempt('y', [2.5, 4], [[A, '', 'a2']])],
        { [A]: 'a2', [B]: 'b1' },
        [snapshot([0, 0.1], {}), snapshot([2.5, 3.5], { [B]: 'b1' })],
        { [A]: [['', 'a2']], [B]: [['', 'b1']] },
      ),
    ],
  ])('%s', (_, sound) => expect(checkHistory(sound)).toEqual([]));
});

describe('a doctored history', () => {
  const rival = attempt('three', [2, 4], [[A, 'a1', 'a3']]);
  it.each<[string, Violation['kind'], number, History]>([
    [
      'two writers replaced the same value',
      'lost update',
      2,
      history([created, moved, rival], { [A]: 'a3', [B]: 'b2' }),
    ],
    [
      'an acknowledged write is not there',
      'lost update',
      2,
      history([created, attempt('two', [2, 3], [[A, 'a1', 'a2']])], { [A]: 'a1', [B]: 'b1' }),
    ],
    [
      'a refused value was seen',
      'dirty read',
      2,
      history([created, { ...moved, outcome: 'refused' }], { [A]: 'a1', [B]: 'b1' }, [
        snapshot([2, 3], { [A]: 'a2', [B]: 'b1' }),
      ]),
    ],
    [
      'a refused value stayed',
      'dirty read',
      2,
      history([created, attempt('two', [2, 3], [[A, 'a1', 'a2']], 'refused')], {
        [A]: 'a2',
        [B]: 'b1',
      }),
    ],
    [
      'a value that nobody wrote',
      'value from nowhere',
      1,
      history([created], { [A]: 'a1', [B]: 'b9' }),
    ],
    [
      'half of a transaction stayed',
      'split transaction',
      2,
      history([created, { ...moved, outcome: 'unknown' }], { [A]: 'a2', [B]: 'b1' }),
    ],
    [
      'half of a transaction was seen',
      'split transaction',
      2,
      history([created, moved], { [A]: 'a2', [B]: 'b2' }, [
        snapshot([2.5, 2.6], { [A]: 'a2', [B]: 'b1' }),
      ]),
    ],
    [
      'a deleted ref is back',
      'resurrected delete',
      2,
      history([created, attempt('two', [2, 3], [[A, 'a1', '']])], { [A]: 'a1', [B]: 'b1' }),
    ],
    [
      'a deleted ref was seen again',
      'read of the past',
      2,
      history([created, attempt('two', [2, 3], [[A, 'a1', '']])], { [B]: 'b1' }, [
        snapshot([4, 5], { [A]: 'a1', [B]: 'b1' }),
      ]),
    ],
    [
      'a value was seen after it was replaced',
      'read of the past',
      2,
      history([created, moved], { [A]: 'a2', [B]: 'b2' }, [
        snapshot([4, 5], { [A]: 'a1', [B]: 'b1' }),
      ]),
    ],
    [
      'a value was seen before it was written',
      'read of the future',
      2,
      history([created, moved], { [A]: 'a2', [B]: 'b2' }, [
        snapshot([1, 1.5], { [A]: 'a2', [B]: 'b2' }),
      ]),
    ],
    [
      'one reader went ahead, and then another went back',
      'read of the past',
      2,
      history([created, moved], { [A]: 'a2', [B]: 'b2' }, [
        snapshot([2.1, 2.2], { [A]: 'a2', [B]: 'b2' }),
        snapshot([2.3, 2.4], { [A]: 'a1', [B]: 'b1' }, 'reader-2'),
      ]),
    ],
    [
      'a write was replaced before it was asked for',
      'order against time',
      2,
      history(
        [created, attempt('x', [8, 9], [[A, 'a1', 'a2']]), attempt('y', [4, 5], [[A, 'a2', 'a3']])],
        {
          [A]: 'a3',
          [B]: 'b1',
        },
      ),
    ],
    [
      'two transactions each came before the other',
      'split transaction',
      2,
      history(
        [
          created,
          attempt(
            'x',
            [2, 5],
            [
              [A, 'a1', 'a2'],
              [B, 'b2', 'b3'],
            ],
          ),
          attempt(
            'y',
            [2, 5],
            [
              [A, 'a2', 'a3'],
              [B, 'b1', 'b2'],
            ],
          ),
        ],
        { [A]: 'a3', [B]: 'b3' },
      ),
    ],
    [
      'two readers saw two writes in either order',
      'transactions in a circle',
      4,
      history(
        [created, attempt('x', [2, 9], [[A, 'a1', 'a2']]), attempt('y', [2, 9], [[B, 'b1', 'b2']])],
        { [A]: 'a2', [B]: 'b2' },
        [
          snapshot([3, 4], { [A]: 'a2', [B]: 'b1' }),
          snapshot([3, 4], { [A]: 'a1', [B]: 'b2' }, 'reader-2'),
        ],
      ),
    ],
    [
      'a reflog lacks an entry',
      'broken reflog',
      3,
      history([created, moved], { [A]: 'a2', [B]: 'b2' }, [], { [A]: [['', 'a1']] }),
    ],
    [
      'a reflog has an entry twice',
      'broken reflog',
      2,
      history([created], { [A]: 'a1', [B]: 'b1' }, [], {
        [A]: [
          ['', 'a1'],
          ['', 'a1'],
        ],
      }),
    ],
    [
      'a reflog does not lead from value to value',
      'broken reflog',
      3,
      history([created, moved], { [A]: 'a2', [B]: 'b2' }, [], {
        [A]: [
          ['', 'a1'],
          ['', 'a2'],
        ],
      }),
    ],
  ])('%s', (_, kind, events, doctored) => {
    const found = checkHistory(doctored);
    expect(kinds(found)).toContain(kind);
    expect(found.find((each) => each.kind === kind)!.proof).toHaveLength(events);
  });
});
