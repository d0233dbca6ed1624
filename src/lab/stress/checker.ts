// Decides whether a history is linearizable for each ref, and atomic for each transaction.

import { checkCircles } from './circle-check.ts';
import { Effects } from './effects.ts';
import { describeEvent, type History, type Violation } from './history.ts';
import { checkReflog } from './reflog-check.ts';
import { checkTimes } from './time-checks.ts';
import { Timeline } from './timeline.ts';
import { checkFinalValues, checkOrigin } from './value-checks.ts';

/**
 * What cannot have happened to a sound repository, what takes the fewest events to prove first; nothing if there is an
 * order of all transactions and snapshots that explains what was seen. A transaction whose writer died may have taken
 * effect or not; it counts only if something of it was seen.
 */
export function checkHistory(history: History): Violation[] {
  const effects = new Effects(history);
  const timelines = new Map<string, Timeline>();
  for (const [ref, own] of effects.byRef()) timelines.set(ref, new Timeline(ref, own));
  const violations: Violation[] = [];
  for (const timeline of timelines.values()) {
    violations.push(...timeline.violations, ...checkTimes(timeline, history.snapshots));
    const steps = history.reflogs.get(timeline.ref);
    const broken = steps && checkReflog(timeline, steps);
    if (broken !== undefined) violations.push(broken);
  }
  violations.push(...checkFinalValues(history, timelines, effects));
  violations.push(...unfoundedReads(history, effects));
  violations.push(...checkCircles(timelines, history.snapshots));
  return violations.sort((a, b) => a.proof.length - b.proof.length);
}

/** Each value that was seen and not written, once. */
function unfoundedReads({ snapshots }: History, effects: Effects): Violation[] {
  const violations = new Map<string, Violation>();
  for (const snapshot of snapshots) {
    for (const [ref, value] of snapshot.values) {
      const key = `${ref} ${value}`;
      if (violations.has(key)) continue;
      const unfounded = checkOrigin(ref, value, effects, () => describeEvent(snapshot, ref));
      if (unfounded !== undefined) violations.set(key, unfounded);
    }
  }
  return [...violations.values()];
}
