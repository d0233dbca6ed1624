// The steps of a transaction in the order of their names, for what is done once along all of them.

import { compareText } from '../format/text.ts';
import type { RefView } from './ref-view.ts';
import type { Step } from './step.ts';

/** The steps in byte order of their names; they mostly come so, and are then returned as they are. */
export function sortedByName(steps: readonly Step[]): readonly Step[] {
  for (let i = 1; i < steps.length; i++) {
    if (compareText(steps[i - 1]!.ref, steps[i]!.ref) > 0) {
      return [...steps].sort((a, b) => compareText(a.ref, b.ref));
    }
  }
  return steps;
}

/** The position of the first of the sorted `steps`, from position `from` on, whose name is at least `name`. */
export function positionOf(steps: readonly Step[], name: string, from = 0): number {
  // Galloping: the answer is mostly near where the last one was, or at the end.
  let low = from;
  let high = steps.length;
  for (let stride = 1; low + stride < high; stride *= 2) {
    if (compareText(steps[low + stride]!.ref, name) >= 0) {
      high = low + stride + 1;
      break;
    }
    low += stride;
  }
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareText(steps[middle]!.ref, name) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Finds what exists of the names of the sorted `steps`, by merging them with the refs in `view`: all names
 * up to the next ref are absent without a look-up each. Also notes which names may have others below them.
 */
export function lookUpExisting(steps: readonly Step[], view: RefView): void {
  for (let i = 0; i < steps.length; ) {
    const next = view.firstFrom(steps[i]!.ref);
    const end = next === undefined ? steps.length : positionOf(steps, next, i);
    // What lies below a name follows it at once, so the name that follows tells whether there can be any.
    for (let at = i; at < end; at++) {
      const step = steps[at]!;
      const following = at + 1 < end ? steps[at + 1]!.ref : (next ?? '');
      step.crowded = following.length > step.ref.length && following.startsWith(step.ref);
    }
    i = end;
    if (i < steps.length && steps[i]!.ref === next) {
      steps[i]!.existing = view.ref(next);
      i++;
    }
  }
}
