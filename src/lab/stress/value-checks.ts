// Whether each ref ends with what was written to it last, and every value that was seen was written.

import type { Effects } from './effects.ts';
import {
  ABSENT,
  type Attempt,
  describeEvent,
  type History,
  shortValue,
  type Value,
  type Violation,
  type ViolationKind,
} from './history.ts';
import type { Timeline } from './timeline.ts';

/** What is wrong with the values that there are in the end. */
export function checkFinalValues(
  { final }: History,
  timelines: ReadonlyMap<string, Timeline>,
  effects: Effects,
): Violation[] {
  const violations: Violation[] = [];
  for (const [ref, value] of final) {
    const unfounded = checkOrigin(ref, value, effects, () => inTheEnd(ref, value));
    if (unfounded !== undefined) violations.push(unfounded);
  }
  for (const [ref, timeline] of timelines) {
    const value = final.get(ref) ?? ABSENT;
    for (const { attempt, write } of timeline.given) {
      const unfounded = checkOrigin(ref, write.oldValue, effects, () => describeEvent(attempt));
      if (unfounded !== undefined) violations.push(unfounded);
    }
    const isReplaced = timeline.effects.some(({ write }) => write.oldValue === value);
    for (const [i, { attempt, write }] of timeline.effects.entries()) {
      const following = timeline.effects[i + 1];
      if (write.newValue === value && following === undefined) continue;
      if (following?.write.oldValue === write.newValue) continue;
      const proof = [describeEvent(attempt), inTheEnd(ref, value)];
      violations.push({
        kind: kindOfLoss(attempt, value, isReplaced),
        ref,
        ...lossOf(write.newValue),
        proof,
      });
    }
  }
  return violations;

  function kindOfLoss(attempt: Attempt, value: Value, isReplaced: boolean): ViolationKind {
    const isPartial = attempt.writes.some(
      ({ ref, newValue }) => newValue !== ABSENT && isReached(ref, newValue),
    );
    if (attempt.writes.length > 1 && isPartial) return 'split transaction';
    const deletes = attempt.writes.some(({ newValue }) => newValue === ABSENT);
    return deletes && isReplaced && value !== ABSENT ? 'resurrected delete' : 'lost update';
  }

  /** Whether a value is there in the end, or was replaced by somebody who saw it. */
  function isReached(ref: string, value: Value): boolean {
    const followers = timelines.get(ref)?.effects ?? [];
    return final.get(ref) === value || followers.some(({ write }) => write.oldValue === value);
  }
}

function inTheEnd(ref: string, value: Value): string {
  return `in the end ${ref} is ${shortValue(value)}`;
}

function lossOf(value: Value): { message: string } {
  const what = value === ABSENT ? 'its deletion' : shortValue(value);
  return { message: `${what} has gone, and nobody replaced it` };
}

/** What is wrong with where a value comes from; `undefined` if nothing is. `seen`
 * gives the line that proves that it was there. */
export function checkOrigin(
  ref: string,
  value: Value,
  effects: Effects,
  seen: () => string,
): Violation | undefined {
  if (value === ABSENT) return undefined;
  const writer = effects.writerOf(ref, value);
  if (writer === undefined) {
    const message = `nobody wrote ${shortValue(value)}`;
    return { kind: 'value from nowhere', ref, message, proof: [seen()] };
  }
  if (effects.has(writer.attempt)) return undefined;
  const message = `${shortValue(value)} was refused, and is there`;
  return { kind: 'dirty read', ref, message, proof: [describeEvent(writer.attempt), seen()] };
}
