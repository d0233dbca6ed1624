// Two or three processes that write to one repository at the same time: which of them makes its calls when is explored
// depth first. Two times one is stopped in the middle, before any call that others may notice, and may be killed there;
// then each in turn goes on for as long as it can.

import { describeChange } from '../../storage/crash-states.ts';
import { type Change, MemoryFileSystem } from '../../storage/memory-file-system.ts';
import { randomFrom, seedOf } from '../random.ts';
import { CrashChecker } from './crash-check.ts';
import { judgeHistory } from './history.ts';
import type { Loss } from './loss.ts';
import type { Mutation } from './mutations.ts';
import { addDeadLock } from './operations.ts';
import { Session } from './session.ts';
import { SimulatedMachine, type SimulatedProcess } from './simulated-machine.ts';
import { inFolder, STACK_FOLDER } from './simulated-repository.ts';
import { SteppedProcess } from './stepped-process.ts';
import { programOf } from './writer-program.ts';

/** What explored interleavings are called in cases and reports. */
export const INTERLEAVING = 'interleaving';

/** A process goes on for some of its calls; then another has its turn. */
interface Turn {
  readonly process: number;
  /** Calls that others may notice. */
  readonly calls: number;
  /** Whether it never goes on after that. */
  readonly isKilled: boolean;
}

export interface InterleavingScenario {
  /** Which of the ways in which it may begin. */
  scenario: number;
  seed: number;
  processes: 2 | 3;
  mutation?: Mutation | undefined;
}

/** How one interleaving came out. */
export interface InterleavingVerdict {
  readonly case: string;
  readonly loss: Loss | undefined;
}

/** How often a process is stopped in the middle, in one interleaving. */
const MOST_TURNS = 2;

/** How often all processes may wait for each other, before that counts as waiting for ever. */
const MOST_ROUNDS = 20;

/** Explores the interleavings of one beginning. */
export async function* exploreInterleavings(
  scenario: InterleavingScenario,
): AsyncGenerator<InterleavingVerdict> {
  yield* exploreFrom(scenario, []);
}

/** Plays the interleaving that a case names; `undefined` if it is no name of one. */
export async function playCase(
  name: string,
  scenario: Omit<InterleavingScenario, 'scenario'>,
): Promise<InterleavingVerdict | undefined> {
  const match = /^interleaving\/(\d+)\/((?:\d:\d+!?)(?:,\d:\d+!?)*)?$/.exec(name);
  if (match === null) return undefined;
  const turns = (match[2] ?? '').split(',').filter((text) => text !== '');
  const played = await play(
    { ...scenario, scenario: Number(match[1]) },
    turns.map((text) => {
      const [process, calls] = text.replace('!', '').split(':');
      return {
        process: Number(process) - 1,
        calls: Number(calls),
        isKilled: text.endsWith('!'),
      };
    }),
  );
  return played?.verdict;
}

async function* exploreFrom(
  scenario: InterleavingScenario,
  turns: readonly Turn[],
): AsyncGenerator<InterleavingVerdict> {
  const { seed, processes } = scenario;
  const random = randomFrom(seedOf(seed, scenario.scenario, nameOf(scenario, turns)));
  if (turns.length === MOST_TURNS) return;
  for (let process = 0; process < processes; process++) {
    if (process === turns.at(-1)?.process || turns.some((each) => isEndOf(each, process))) continue;
    for (let calls = 1; ; calls++) {
      const next = [...turns, { process, calls, isKilled: random() < 0.1 }];
      const played = await play(scenario, next);
      if (played === undefined) break;
      yield played.verdict;
      yield* exploreFrom(scenario, next);
    }
  }
}

function isEndOf({ process, isKilled }: Turn, asked: number): boolean {
  return isKilled && process === asked;
}

/** Plays an interleaving to its end; `undefined` if a process ends, or waits, before its turn does. */
async function play(
  scenario: InterleavingScenario,
  turns: readonly Turn[],
): Promise<{ verdict: InterleavingVerdict } | undefined> {
  const { memory, machine, start } = await begin(scenario);
  const processes = start.map(({ process, stepped }) => ({ process, stepped }));
  // Who made a change, or was killed, change by change.
  const calls: { index: number; change: Change | 'is killed' }[] = [];
  const advance = async (index: number, count: number) => {
    const before = memory.journal.length;
    const made = await processes[index]!.stepped.advance(count);
    for (const change of memory.journal.slice(before)) calls.push({ index, change });
    return made;
  };
  for (const { process, calls: count, isKilled } of turns) {
    const next = processes[process];
    if (next === undefined || next.stepped.state !== 'ready') return undefined;
    const made = await advance(process, count);
    if (made < count || next.stepped.state !== 'ready') return undefined;
    if (!isKilled) continue;
    next.stepped.state = 'killed';
    machine.kill(next.process);
    calls.push({ index: process, change: 'is killed' });
  }
  const last = turns.at(-1)?.process ?? -1;
  const order = processes.map((_, index) => (last + 1 + index) % processes.length);
  let rounds = 0;
  const isUnderWay = () =>
    processes.some(({ stepped: { state } }) => state === 'ready' || state === 'waiting');
  while (isUnderWay() && rounds++ < MOST_ROUNDS) {
    for (const index of order) {
      const { state } = processes[index]!.stepped;
      if (state === 'ready' || state === 'waiting') await advance(index, Infinity);
    }
  }
  const histories = processes.map(({ stepped }) => stepped.events);
  const fault = isUnderWay()
    ? 'a writer waits for ever'
    : await judge(memory, machine.start(), histories);
  const name = nameOf(scenario, turns);
  const loss = fault && {
    case: name,
    cause: `${processes.length} processes`,
    calls: calls.map(({ index, change }) => {
      const what = change === 'is killed' ? change : inFolder(describeChange(change));
      return `process ${index + 1}: ${what}`;
    }),
    lost: [],
    fault: inFolder(fault),
  };
  return { verdict: { case: name, loss: loss || undefined } };
}

async function begin({ scenario, seed, processes, mutation }: InterleavingScenario) {
  const memory = new MemoryFileSystem();
  memory.makeFolder(STACK_FOLDER);
  const machine = new SimulatedMachine('first');
  const random = randomFrom(seedOf(seed, INTERLEAVING, scenario));
  const session = new Session(memory, memory, machine, random);
  await session.begin();
  for (let count = session.number(0, 3); count > 0; count--) {
    const ref = `refs/tags/before-${count}`;
    await session.store.transaction([{ type: 'create', ref, newOid: session.oid() }]);
  }
  session.store.close();
  if (random() < 0.5) addDeadLock(session, 'tables.list.lock');
  const fs = mutation?.fileSystem(memory) ?? memory;
  const start = Array.from({ length: processes }, (_, index) => {
    const process: SimulatedProcess = machine.start();
    const kind = index === 0 ? 0 : random();
    const program = programOf(index + 1, kind, seedOf(seed, scenario, index));
    return { process, stepped: new SteppedProcess(fs, process, program) };
  });
  return { memory, machine, start };
}

async function judge(
  memory: MemoryFileSystem,
  heir: SimulatedProcess,
  histories: readonly (readonly string[])[],
): Promise<string | undefined> {
  const files = new Map([...memory.files()].map(([path, { bytes }]) => [path, bytes]));
  const { refs, fault } = await new CrashChecker().check(files, heir, { canProveDeath: true });
  return fault ?? judgeHistory(refs!, histories);
}

/** `interleaving/3/1:7,2:12!`: the first process makes seven calls, then the second twelve, and is killed. */
function nameOf({ scenario }: InterleavingScenario, turns: readonly Turn[]): string {
  const texts = turns.map(
    ({ process, calls, isKilled }) => `${process + 1}:${calls}${isKilled ? '!' : ''}`,
  );
  return `${INTERLEAVING}/${scenario}/${texts.join(',')}`;
}
