// The one order of a ref's writes. Values lead from each write to the next; where the ref was deleted in between, the
// clock says which of its lives came first.

import type { Effect } from './effects.ts';
import { ABSENT, describeEvent, shortValue, type Value, type Violation } from './history.ts';

/** Where in a timeline the ref was not there yet. */
export const BEFORE_ALL = -1;

/** A write in its place, and the times between which it must have taken effect. */
export interface TimedEffect extends Effect {
  earliest: number;
  latest: number;
}

export class Timeline {
  readonly ref: string;
  /** All that took effect, in no order. */
  readonly given: readonly Effect[];
  /** Those that follow on each other from a creation, in their order. */
  readonly effects: readonly TimedEffect[];
  readonly violations: Violation[] = [];
  readonly #places = new Map<Value, number>();
  /** After which writes the ref was not there. */
  readonly #gaps: number[] = [BEFORE_ALL];

  constructor(ref: string, effects: readonly Effect[]) {
    this.ref = ref;
    this.given = effects;
    this.effects = this.#lives(effects.map(timed)).flat();
    for (const [place, { write }] of this.effects.entries()) {
      if (write.newValue === ABSENT) this.#gaps.push(place);
      else this.#places.set(write.newValue, place);
    }
  }

  /** After which write the ref had a value: one place, or several for a ref that was not there. */
  placesOf(value: Value): readonly number[] {
    if (value === ABSENT) return this.#gaps;
    const place = this.#places.get(value);
    return place === undefined ? [] : [place];
  }

  /** From each creation to the deletion, in the order that the clock allows. */
  #lives(effects: readonly TimedEffect[]): TimedEffect[][] {
    const next = new Map<Value, TimedEffect>();
    const first: TimedEffect[] = [];
    for (const effect of [...effects].sort((a, b) => a.latest - b.latest)) {
      const { oldValue } = effect.write;
      if (oldValue === ABSENT) {
        first.push(effect);
        continue;
      }
      const other = next.get(oldValue);
      if (other === undefined) next.set(oldValue, effect);
      else this.#report([other, effect], `${shortValue(oldValue)} was replaced twice`);
    }
    const lives = first.map((effect) => {
      const life = [effect];
      for (let last = effect; ; life.push(last)) {
        const following = next.get(last.write.newValue);
        if (following === undefined || last.write.newValue === ABSENT) return life;
        next.delete(last.write.newValue);
        last = following;
      }
    });
    return lives.sort((a, b) => middle(a) - middle(b));
  }

  #report(effects: readonly Effect[], message: string): void {
    this.violations.push({
      kind: 'lost update',
      ref: this.ref,
      message,
      proof: effects.map(({ attempt }) => describeEvent(attempt)),
    });
  }
}

function timed({ attempt, write }: Effect): TimedEffect {
  return { attempt, write, earliest: attempt.began, latest: attempt.ended };
}

/** If one life must come before another, and not the other way round too, its middle does. */
function middle(life: readonly TimedEffect[]): number {
  const lastBegan = Math.max(...life.map(({ earliest }) => earliest));
  const firstEnded = Math.min(...life.map(({ latest }) => latest));
  return lastBegan + firstEnded;
}
