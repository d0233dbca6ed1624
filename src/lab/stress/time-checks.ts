// Whether writes and reads of a ref agree with the clock: what has ended before something else begins comes before it.
// With one order of writes this is all that linearizability asks for.

import {
  ABSENT,
  describeEvent,
  type Snapshot,
  shortValue,
  type Violation,
  type ViolationKind,
} from './history.ts';
import { BEFORE_ALL, type TimedEffect, type Timeline } from './timeline.ts';

/** A read and the place in the ref's timeline that it can only have seen. */
interface Sighting {
  snapshot: Snapshot;
  place: number;
}

export function checkTimes(timeline: Timeline, snapshots: readonly Snapshot[]): Violation[] {
  const { ref, effects } = timeline;
  const violations: Violation[] = [];
  const report = (kind: ViolationKind, message: string, proof: string[]) =>
    violations.push({ kind, ref, message, proof });

  let latestBegun: TimedEffect | undefined;
  for (const effect of effects) {
    if (latestBegun !== undefined && effect.latest < latestBegun.earliest) {
      const message = 'what was written later was replaced by what was written before';
      report(
        'order against time',
        message,
        [effect, latestBegun].map(({ attempt }) => describeEvent(attempt)),
      );
    }
    if (latestBegun === undefined || effect.earliest > latestBegun.earliest) latestBegun = effect;
  }

  const sightings: Sighting[] = [];
  for (const snapshot of snapshots) {
    const value = snapshot.values.get(ref) ?? ABSENT;
    const places = timeline.placesOf(value);
    if (places.length === 0) continue;
    const isTooEarly = (place: number) =>
      place !== BEFORE_ALL && effects[place]!.earliest > snapshot.ended;
    const isReplaced = (place: number) => (effects[place + 1]?.latest ?? Infinity) < snapshot.began;
    const possible = places.filter((place) => !isTooEarly(place) && !isReplaced(place));
    if (possible.length === 1) sightings.push({ snapshot, place: possible[0]! });
    if (possible.length > 0) continue;
    const [kind, event] = isTooEarly(places[0]!)
      ? (['read of the future', effects[places[0]!]!] as const)
      : (['read of the past', effects[places.at(-1)! + 1]!] as const);
    report(
      kind,
      `${shortValue(value)} was seen ${kind === 'read of the past' ? 'after it was replaced' : 'before it was written'}`,
      [describeEvent(event.attempt), describeEvent(snapshot, ref)],
    );
  }
  const backwards = firstBackwards(sightings);
  if (backwards !== undefined) {
    report(
      'read of the past',
      'the ref went back to a value that it had before',
      backwards.map(({ snapshot }) => describeEvent(snapshot, ref)),
    );
  }
  return violations;
}

/** The first read that sees something older than another that ended before it began. */
function firstBackwards(sightings: readonly Sighting[]): [Sighting, Sighting] | undefined {
  const byEnd = [...sightings].sort((a, b) => a.snapshot.ended - b.snapshot.ended);
  const byBegin = [...sightings].sort((a, b) => a.snapshot.began - b.snapshot.began);
  let newest: Sighting | undefined;
  let ended = 0;
  for (const sighting of byBegin) {
    for (; byEnd[ended]!.snapshot.ended < sighting.snapshot.began; ended++) {
      const other = byEnd[ended]!;
      if (newest === undefined || other.place > newest.place) newest = other;
    }
    if (newest !== undefined && sighting.place < newest.place) return [newest, sighting];
  }
  return undefined;
}
