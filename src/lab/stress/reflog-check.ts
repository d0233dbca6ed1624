// Whether a reflog tells what happened to its ref since that was last created: each write once, in order.

import { ABSENT, describeEvent, type LogStep, shortValue, type Violation } from './history.ts';
import type { TimedEffect, Timeline } from './timeline.ts';

/** What is wrong with a reflog, oldest step first; `undefined` if nothing is. */
export function checkReflog(timeline: Timeline, steps: readonly LogStep[]): Violation | undefined {
  const life = lastLife(timeline.effects);
  for (let i = 0; i < Math.max(life.length, steps.length); i++) {
    const effect = life[i];
    const step = steps[i];
    const expected = effect?.write;
    if (expected?.oldValue === step?.oldValue && expected?.newValue === step?.newValue) continue;
    return {
      kind: 'broken reflog',
      ref: timeline.ref,
      message: expected === undefined ? 'an entry has no write' : 'a write is not in its place',
      proof: [
        ...(i > 0 ? [describeStep(i - 1, steps[i - 1]!)] : []),
        ...(step === undefined ? [`the reflog ends after ${i} entries`] : [describeStep(i, step)]),
        ...(effect === undefined ? [] : [describeEvent(effect.attempt)]),
      ],
    };
  }
  return undefined;
}

function describeStep(i: number, { oldValue, newValue }: LogStep): string {
  return `entry ${i + 1} of the reflog: ${shortValue(oldValue)} → ${shortValue(newValue)}`;
}

/** Deleting a ref removes its reflog. */
function lastLife(effects: readonly TimedEffect[]): readonly TimedEffect[] {
  const deletion = effects.findLastIndex(({ write }) => write.newValue === ABSENT);
  return effects.slice(deletion + 1);
}
