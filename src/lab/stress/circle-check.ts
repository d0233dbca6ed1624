// Whether there is one order of all transactions and snapshots in which each is a single step. Each ref gives an
// order of those that it saw; where these contradict each other, they form a circle.

import { ABSENT, type Attempt, describeEvent, type Snapshot, type Violation } from './history.ts';
import { BEFORE_ALL, type Timeline } from './timeline.ts';

type Step = Attempt | Snapshot;

/** How many circles to show: where there is one, there are many. */
const MAX_CIRCLES = 3;

export function checkCircles(
  timelines: ReadonlyMap<string, Timeline>,
  snapshots: readonly Snapshot[],
): Violation[] {
  const followers = stepsBehind(timelines, snapshots);
  const violations: Violation[] = [];
  for (const component of circularSteps(followers)) {
    if (violations.length === MAX_CIRCLES) break;
    const circle = shortestCircle(component, followers);
    const isSplit = circle.length === 2;
    const ref = refsOf(circle)[0] ?? '';
    violations.push({
      kind: isSplit ? 'split transaction' : 'transactions in a circle',
      ref,
      message: isSplit
        ? 'a part of a transaction was seen without the rest'
        : 'each of these comes before the next, and the last before the first',
      proof: circle.map((step) => describeStep(step, refsOf(circle))),
    });
  }
  return violations;
}

function refsOf(circle: readonly Step[]): string[] {
  return circle.flatMap((step) => ('writes' in step ? step.writes.map(({ ref }) => ref) : []));
}

function describeStep(step: Step, refs: readonly string[]): string {
  if ('writes' in step) return describeEvent(step);
  const seen = [...new Set(refs)].map((ref) => describeEvent(step, ref).split(' sees ')[1]);
  return `${describeEvent(step)} ${seen.join(', ')}`;
}

/** What must come after each step, at the next place of some ref. */
function stepsBehind(
  timelines: ReadonlyMap<string, Timeline>,
  snapshots: readonly Snapshot[],
): Map<Step, Step[]> {
  const followers = new Map<Step, Step[]>();
  const order = (before: Step | undefined, after: Step | undefined) => {
    if (before === undefined || after === undefined || before === after) return;
    const behind = followers.get(before);
    if (behind === undefined) followers.set(before, [after]);
    else behind.push(after);
  };
  for (const [ref, timeline] of timelines) {
    const { effects } = timeline;
    for (let i = 1; i < effects.length; i++) order(effects[i - 1]!.attempt, effects[i]!.attempt);
    for (const snapshot of snapshots) {
      const places = timeline.placesOf(snapshot.values.get(ref) ?? ABSENT);
      // Of a ref that was deleted several times it is not known which of them was seen.
      if (places.length !== 1) continue;
      const [place] = places;
      if (place !== BEFORE_ALL) order(effects[place!]!.attempt, snapshot);
      order(snapshot, effects[place! + 1]?.attempt);
    }
  }
  return followers;
}

/** Sets of steps each of which comes before all others of its set (Tarjan's algorithm, without recursion). */
function circularSteps(followers: ReadonlyMap<Step, readonly Step[]>): Step[][] {
  const number = new Map<Step, number>();
  const lowest = new Map<Step, number>();
  const open = new Set<Step>();
  const path: Step[] = [];
  const found: Step[][] = [];
  for (const root of followers.keys()) {
    if (number.has(root)) continue;
    const visits: { step: Step; next: number }[] = [];
    const enter = (step: Step) => {
      lowest.set(step, number.size);
      number.set(step, number.size);
      open.add(step);
      path.push(step);
      visits.push({ step, next: 0 });
    };
    const lower = (step: Step, to: number) => lowest.set(step, Math.min(lowest.get(step)!, to));
    enter(root);
    for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
      const { step } = visit;
      const follower = followers.get(step)?.[visit.next++];
      if (follower !== undefined) {
        if (!number.has(follower)) enter(follower);
        else if (open.has(follower)) lower(step, number.get(follower)!);
        continue;
      }
      visits.pop();
      const parent = visits.at(-1);
      if (parent !== undefined) lower(parent.step, lowest.get(step)!);
      if (lowest.get(step) !== number.get(step)) continue;
      const component = path.splice(path.lastIndexOf(step));
      for (const each of component) open.delete(each);
      if (component.length > 1) found.push(component);
    }
  }
  return found;
}

/** How many starts to look from for the shortest: a large set has short circles almost everywhere. */
const MAX_STARTS = 200;

function shortestCircle(component: readonly Step[], followers: ReadonlyMap<Step, Step[]>): Step[] {
  const inside = new Set(component);
  let shortest: Step[] = [...component];
  for (const start of component.slice(0, MAX_STARTS)) {
    const circle = circleFrom(start, inside, followers);
    if (circle.length < shortest.length) shortest = circle;
    if (shortest.length === 2) break;
  }
  return shortest;
}

/** Breadth first, from a step back to it. */
function circleFrom(
  start: Step,
  inside: ReadonlySet<Step>,
  followers: ReadonlyMap<Step, Step[]>,
): Step[] {
  const before = new Map<Step, Step>();
  const queue: Step[] = [start];
  for (const step of queue) {
    for (const follower of followers.get(step) ?? []) {
      if (follower === start) {
        const circle: Step[] = [];
        for (let at = step; at !== start; at = before.get(at)!) circle.unshift(at);
        return [start, ...circle];
      }
      if (!inside.has(follower) || before.has(follower)) continue;
      before.set(follower, step);
      queue.push(follower);
    }
  }
  return [...inside];
}
