// The crashes of one operation: after each change that it makes to the file system, what a killed process and a power
// failure may leave is opened and judged.

import { CrashingDisk, type CrashState, describeChange } from '../../storage/crash-states.ts';
import {
  type Change,
  MemoryFileSystem,
  type StoredFile,
} from '../../storage/memory-file-system.ts';
import { randomFrom, seedOf } from '../random.ts';
import { CrashChecker, type CrashFindings } from './crash-check.ts';
import type { Loss } from './loss.ts';
import type { Mutation } from './mutations.ts';
import { OPERATIONS } from './operations.ts';
import { Session } from './session.ts';
import { SimulatedMachine } from './simulated-machine.ts';
import { inFolder, STACK_FOLDER } from './simulated-repository.ts';

/** What ends an operation in the middle. */
type Crash = 'killed process' | 'power failure';

/** What was found, state by state. */
export interface CrashVerdict {
  /** The same for the same files with the same contents. */
  readonly key: string;
  /** Where it is: after so many changes, the so-manieth state. */
  readonly case: string;
  /** Whether a person had to remove a lock. */
  readonly byHand: boolean;
  readonly loss: Loss | undefined;
}

export interface CrashScenario {
  operation: string;
  /** Which of the ways in which the operation may go. */
  scenario: number;
  seed: number;
  mutation?: Mutation | undefined;
  /** The one state to look at, by its case; without, all. */
  only?: string | undefined;
}

/** At most so many states after each change. */
const STATES_PER_CHANGE = 64;

/** An operation that was carried out once. */
interface Recording {
  readonly session: Session;
  readonly before: ReadonlyMap<string, StoredFile>;
  readonly changes: readonly Change[];
}

/** Explores one way in which an operation may go. */
export async function* exploreCrashes(scenario: CrashScenario): AsyncGenerator<CrashVerdict> {
  const { session, before, changes } = await record(scenario);
  const machine = session.machine;
  machine.kill(session.process);
  const heirs = {
    'killed process': machine.start(),
    'power failure': new SimulatedMachine('after the power failure').start(),
  };
  const disk = new CrashingDisk(before);
  const checker = new CrashChecker();
  const known = new Map<string, CrashFindings>();
  for (let count = 0; count <= changes.length; count++) {
    if (count > 0) disk.apply(changes[count - 1]!);
    const acceptable = new Set(session.acceptable(count));
    for (const { state, crash, number } of statesAfter(disk, count, scenario)) {
      const name = `${scenario.operation}/${scenario.scenario}/${count}/${number}`;
      if (scenario.only !== undefined && scenario.only !== name) continue;
      const key = `${crash} ${state.key}`;
      const findings =
        known.get(key) ??
        (await checker.check(state.files, heirs[crash], {
          canProveDeath: crash === 'killed process',
        }));
      known.set(key, findings);
      const fault = findings.fault ?? faultIn(findings.refs!, acceptable);
      const loss = fault && {
        case: name,
        cause: crash,
        calls: changes.slice(0, count).map((change) => inFolder(describeChange(change))),
        lost: state.lost().map(inFolder),
        fault: inFolder(fault),
      };
      yield { key: state.key, case: name, byHand: findings.byHand, loss: loss || undefined };
    }
  }
}

async function record({ operation, scenario, seed, mutation }: CrashScenario): Promise<Recording> {
  const memory = new MemoryFileSystem();
  memory.makeFolder(STACK_FOLDER);
  const fs = mutation?.fileSystem(memory) ?? memory;
  const random = randomFrom(seedOf(seed, operation, scenario));
  const session = new Session(memory, fs, new SimulatedMachine('first'), random);
  const { prepare, run } = OPERATIONS.get(operation)!;
  await session.begin();
  await prepare(session);
  await session.store.idle();
  memory.journal.length = 0;
  session.startRecording();
  const before = memory.files();
  await run(session);
  await session.store.idle();
  session.store.close();
  return { session, before, changes: [...memory.journal] };
}

function* statesAfter(
  disk: CrashingDisk,
  count: number,
  { operation, scenario, seed }: CrashScenario,
): Generator<{ state: CrashState; crash: Crash; number: number }> {
  yield { state: disk.current(), crash: 'killed process', number: 0 };
  const random = randomFrom(seedOf(seed, operation, scenario, count));
  let number = 0;
  for (const state of disk.states(STATES_PER_CHANGE, random)) {
    yield { state, crash: 'power failure', number: ++number };
  }
}

function faultIn(refs: string, acceptable: ReadonlySet<string>): string | undefined {
  if (acceptable.has(refs)) return undefined;
  return `it holds what nobody asked for, or lacks what was acknowledged:\n${refs}`;
}
