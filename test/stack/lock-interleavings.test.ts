// Every lock is explored call by call: several processes take it, break it where its owner is dead, give it
// back, and are killed anywhere, in as many orders as there are seeds.

import assert from 'node:assert/strict';
import { describe, expect, it } from 'vitest';
import { breakDeadLock } from '../../src/stack/lock/breaking.ts';
import { LockFile } from '../../src/stack/lock/lock-file.ts';
import { removeLockLeftovers } from '../../src/stack/lock/lock-leftovers.ts';
import { parseOwner } from '../../src/stack/lock/owner.ts';
import { MemoryFiles, type ModelProcess, type Program, World } from './lock-model.ts';

const LOCK = '/tables.list.lock';
/**
 * The last two are orders in which a breaker that inherits a right must see that the right was given back: found
 * by leaving that check out.
 */
const SEEDS = [...Array(800).keys(), 2278, 3360];

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Exploration {
  hasLinks: boolean;
  knownBy: 'descriptor' | 'token';
}

/** Who believes to hold the lock, by process id, and how often a process had it. */
class Belief {
  readonly holders = new Map<number, string>();
  turns = 0;
}

/** Tries to take the lock `tries` times, breaking it where it may be; keeps it for two steps. */
function writer(
  belief: Belief,
  self: () => ModelProcess,
  tries: number,
  knownBy: 'descriptor' | 'token',
): Program {
  return (fs, machine, step) => {
    let token = '';
    const lock = new LockFile(fs, LOCK, {
      knownBy,
      machine: { ...machine, newToken: () => (token = machine.newToken()) },
    });
    for (let left = tries; left > 0 && !lock.exists; left--) {
      let refusal: unknown;
      lock.mkdir(LOCK, (error) => (refusal = error));
      if (!lock.exists) {
        assert(
          (refusal as { code: string }).code === 'EEXIST',
          'only a file in the way is a refusal',
        );
        breakDeadLock(fs, LOCK, machine);
      }
    }
    if (!lock.exists) return;
    step(() => belief.holders.set(self().pid, token));
    step(() => {});
    assert(lock.isOurs(), 'a lock stays with its living holder');
    step(() => {
      belief.holders.delete(self().pid);
      belief.turns++;
    });
    try {
      lock.rmdirSync();
    } catch {
      // The lock is left to those who see that this process has ended.
    }
  };
}

/** Plays one order of calls to its end; the world as it is then. */
function explore(seed: number, { hasLinks, knownBy }: Exploration) {
  const random = randomFrom(seed);
  const upTo = (count: number) => 1 + Math.floor(random() * count);
  const belief = new Belief();
  // A breaker that cannot remove the lock gives its right back.
  let failures = Math.floor(random() * 3);
  let isOver = false;
  const memory = new MemoryFiles({
    hasLinks,
    failsToUnlink: (path) => path === LOCK && !isOver && failures-- > 0,
  });
  const world = new World({
    memory,
    check() {
      assert(belief.holders.size <= 1, `seed ${seed}: one of the living holds the lock at most`);
      for (const token of belief.holders.values()) {
        const file = memory.files.get(LOCK);
        assert(
          file && parseOwner(file.bytes)?.token === token,
          `seed ${seed}: it is its holder’s file`,
        );
      }
    },
  });
  const start = (tries: number) => {
    const process: ModelProcess = world.start(writer(belief, () => process, tries, knownBy));
    return process;
  };
  /** Kills a process: what it believed counts no more. */
  const kill = (process: ModelProcess) => {
    process.state = 'killed';
    belief.holders.delete(process.pid);
  };

  const first = start(1);
  while (!belief.holders.has(first.pid)) first.advance(1);
  if (random() < 0.8) kill(first);
  for (let count = 1 + upTo(4); count > 0; count--) start(1 + upTo(3));
  const killing = random() * 0.1;
  const longest = upTo(10);
  for (;;) {
    const running = world.processes.filter(({ state }) => state === 'running');
    const next = running[Math.floor(random() * running.length)];
    if (next === undefined) break;
    if (random() < killing) kill(next);
    else next.advance(upTo(longest));
  }
  isOver = true;
  return { world, belief, start };
}

describe.each([
  { hasLinks: true, knownBy: 'descriptor' },
  { hasLinks: true, knownBy: 'token' },
  { hasLinks: false, knownBy: 'descriptor' },
] as const)('in any order of calls (links: $hasLinks, known by $knownBy)', (exploration) => {
  it('the lock has one living holder at most, whom nobody breaks', () => {
    let turns = 0;
    for (const seed of SEEDS) turns += explore(seed, exploration).belief.turns;
    // Else nothing was explored.
    expect(turns).toBeGreaterThan(SEEDS.length / 2);
  });
});

describe('when all others have ended, however they did', () => {
  it('the next one gets the lock, and cleaning leaves nothing', () => {
    for (const seed of SEEDS) {
      const { world, belief, start } = explore(seed, { hasLinks: true, knownBy: 'token' });
      const before = belief.turns;
      start(2).finish();
      expect(belief.turns).toBe(before + 1);
      const cleaner = world.start((fs) => removeLockLeftovers(fs, '', fs.list('')));
      cleaner.finish();
      expect([...world.memory.files.keys()]).toEqual([]);
    }
  });
});
