// The explorer: all operations, one after the other, until each has been seen in so many states.

import { exploreCrashes } from './crash-exploration.ts';
import { type Loss, simpler } from './loss.ts';
import { MUTATIONS } from './mutations.ts';
import { OPERATIONS } from './operations.ts';

export interface ExplorationOptions {
  /** Those to explore, of `OPERATIONS`. Default: all. */
  operations?: readonly string[] | undefined;
  /** The same seed explores the same states. Default 1. */
  seed?: number | undefined;
  /** So many distinct states of each operation. Default 2000. */
  states?: number | undefined;
  /** What is left out, one of `MUTATIONS`, to see that it is found. */
  mutation?: string | undefined;
}

/** What was found of an operation so far. */
export interface OperationReport {
  readonly operation: string;
  /** Distinct states that were opened and judged. */
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
  operations = [...OPERATIONS.keys()],
  seed = 1,
  states = 2000,
  mutation,
}: ExplorationOptions = {}): AsyncGenerator<OperationReport & { isComplete: boolean }> {
  for (const operation of operations) {
    const report = { operation, states: 0, byHand: 0, losses: 0, simplest: undefined };
    for await (const found of exploreOperation({ operation, seed, states, mutation }, report)) {
      yield { ...found, isComplete: false };
    }
    yield { ...report, isComplete: true };
  }
}

/**
 * Looks at one case again, as the `case` of a loss names it; `undefined` if there is none of that name, what is wrong
 * otherwise, or `'sound'`.
 */
export async function replay(
  name: string,
  { seed = 1, mutation }: Pick<ExplorationOptions, 'seed' | 'mutation'> = {},
): Promise<Loss | 'sound' | undefined> {
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

function mutationOf(name: string | undefined) {
  return name === undefined ? undefined : MUTATIONS.get(name);
}
