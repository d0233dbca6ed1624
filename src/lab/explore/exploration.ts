// The explorer: all operations, one after the other, until each has been seen in so many states.

import { exploreCrashes } from './crash-exploration.ts';
import { exploreInterleavings, INTERLEAVING, playCase } from './interleavings.ts';
import { type Loss, simpler } from './loss.ts';
import { MUTATIONS } from './mutations.ts';
import { OPERATIONS } from './operations.ts';

/** What can be explored, by name: the crashes of each kind of operation, and interleavings of processes. */
export const SUBJECTS: readonly string[] = [...OPERATIONS.keys(), INTERLEAVING];

export interface ExplorationOptions {
  /** Those to explore, of `SUBJECTS`. Default: all. */
  operations?: readonly string[] | undefined;
  /** The same seed explores the same states. Default 1. */
  seed?: number | undefined;
  /** So many distinct states of each operation, and interleavings. Default 2000. */
  states?: number | undefined;
  /** What is left out, one of `MUTATIONS`, to see that it is found. */
  mutation?: string | undefined;
  /** How many processes are interleaved. Default 2. */
  processes?: 2 | 3 | undefined;
}

/** What was found of an operation so far. */
export interface OperationReport {
  readonly operation: string;
  /** Distinct states that were opened and judged; or interleavings. */
  readonly states: number;
  /** In how many of them a person has to remove a lock. */
  readonly byHand: number;
  /** In how many something is lost. */
  readonly losses: number;
  /** The loss that takes the fewest calls to show. */
  readonly simplest: Loss | undefined;
}

/** Explores, telling what was found of the operation at hand now and then, and at its end. */
export async function* explore({
  operations = SUBJECTS,
  seed = 1,
  states = 2000,
  mutation,
  processes = 2,
}: ExplorationOptions = {}): AsyncGenerator<OperationReport & { isComplete: boolean }> {
  for (const operation of operations) {
    const report = { operation, states: 0, byHand: 0, losses: 0, simplest: undefined };
    const found =
      operation === INTERLEAVING
        ? exploreOrders({ seed, states, mutation, processes }, report)
        : exploreOperation({ operation, seed, states, mutation }, report);
    for await (const each of found) yield { ...each, isComplete: false };
    yield { ...report, isComplete: true };
  }
}

/**
 * Looks at one case again, as the `case` of a loss names it; `undefined` if there is none of that name, what is wrong
 * otherwise, or `'sound'`.
 */
export async function replay(
  name: string,
  {
    seed = 1,
    mutation,
    processes = 2,
  }: Pick<ExplorationOptions, 'seed' | 'mutation' | 'processes'> = {},
): Promise<Loss | 'sound' | undefined> {
  if (name.startsWith(`${INTERLEAVING}/`)) {
    const played = await playCase(name, { seed, processes, mutation: mutationOf(mutation) });
    return played && (played.loss ?? 'sound');
  }
  const [operation = '', scenario] = name.split('/');
  if (!OPERATIONS.has(operation) || !/^\d+$/.test(scenario ?? '')) return undefined;
  const how = { operation, scenario: Number(scenario), seed, only: name };
  for await (const { loss } of exploreCrashes({ ...how, mutation: mutationOf(mutation) })) {
    return loss ?? 'sound';
  }
  return undefined;
}

/** How many states lie between two reports. */
const REPORT_INTERVAL = 250;
const ORDERS_INTERVAL = 10;

type MutableReport = { -readonly [Key in keyof OperationReport]: OperationReport[Key] };

async function* exploreOperation(
  how: { operation: string; seed: number; states: number; mutation: string | undefined },
  report: MutableReport,
): AsyncGenerator<OperationReport> {
  const { operation, seed, states } = how;
  const mutation = mutationOf(how.mutation);
  const seen = new Set<string>();
  for (let scenario = 0; ; scenario++) {
    for await (const { key, byHand, loss } of exploreCrashes({
      operation,
      scenario,
      seed,
      mutation,
    })) {
      if (loss !== undefined) {
        report.losses++;
        report.simplest = simpler(report.simplest, loss);
      }
      if (seen.has(key)) continue;
      seen.add(key);
      report.states++;
      if (byHand) report.byHand++;
      if (report.states % REPORT_INTERVAL === 0) yield report;
      if (report.states >= states) return;
    }
  }
}

async function* exploreOrders(
  how: { seed: number; states: number; mutation: string | undefined; processes: 2 | 3 },
  report: MutableReport,
): AsyncGenerator<OperationReport> {
  const { seed, processes } = how;
  const mutation = mutationOf(how.mutation);
  for (let scenario = 0; ; scenario++) {
    for await (const { loss } of exploreInterleavings({ scenario, seed, processes, mutation })) {
      if (loss !== undefined) {
        report.losses++;
        report.simplest = simpler(report.simplest, loss);
      }
      report.states++;
      if (report.states % ORDERS_INTERVAL === 0) yield report;
      if (report.states >= how.states) return;
    }
  }
}

function mutationOf(name: string | undefined) {
  return name === undefined ? undefined : MUTATIONS.get(name);
}
