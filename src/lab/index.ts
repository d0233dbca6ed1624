// `reftable/lab`: what finds out how refs fare when things go wrong.

export {
  type ExplorationOptions,
  explore,
  type OperationReport,
  replay,
  SUBJECTS,
} from './explore/exploration.ts';
export type { Loss } from './explore/loss.ts';
export { MUTATIONS } from './explore/mutations.ts';
export { checkHistory } from './stress/checker.ts';
export type { Attempt, History, LogStep, Snapshot, Violation } from './stress/history.ts';
