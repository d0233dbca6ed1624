// Which transactions took effect: those that were acknowledged, and of those whose writer died, the ones of which
// something was seen.

import { ABSENT, type Attempt, type History, type Value, type Write } from './history.ts';

/** A write and the transaction that it is part of. */
export interface Effect {
  readonly attempt: Attempt;
  readonly write: Write;
}

export class Effects {
  readonly #history: History;
  /** By ref and new value. No value is written twice, but refused transactions are tried again. */
  readonly #writers = new Map<string, Effect[]>();
  /** Transactions whose writer died, by ref and old value. */
  readonly #unknown = new Map<string, Effect[]>();
  readonly #effective = new Set<Attempt>();
  readonly #replaced = new Set<string>();

  constructor(history: History) {
    this.#history = history;
    for (const attempt of history.attempts) {
      for (const write of attempt.writes) {
        const { ref, oldValue, newValue } = write;
        if (newValue !== ABSENT) add(this.#writers, keyOf(ref, newValue), { attempt, write });
        if (attempt.outcome === 'unknown') {
          add(this.#unknown, keyOf(ref, oldValue), { attempt, write });
        }
      }
    }
    for (const attempt of history.attempts) {
      if (attempt.outcome === 'acknowledged') this.#take(attempt);
    }
    for (const [ref, value] of seenValues(history)) this.#takeWriter(ref, value);
    for (const attempt of [...this.#effective]) {
      for (const { ref, newValue } of attempt.writes) this.#takeEnd(ref, newValue);
    }
  }

  has(attempt: Attempt): boolean {
    return this.#effective.has(attempt);
  }

  /** Each write that took effect, by its ref. */
  byRef(): Map<string, Effect[]> {
    const effects = new Map<string, Effect[]>();
    for (const attempt of this.#effective) {
      for (const write of attempt.writes) add(effects, write.ref, { attempt, write });
    }
    return effects;
  }

  /** Whoever tried to write a value, the one that took effect first. */
  writerOf(ref: string, value: Value): Effect | undefined {
    const writers = this.#writers.get(keyOf(ref, value)) ?? [];
    return writers.find(({ attempt }) => this.has(attempt)) ?? writers[0];
  }

  #take(attempt: Attempt): void {
    const pending = [attempt];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (this.has(next)) continue;
      this.#effective.add(next);
      for (const { ref, oldValue } of next.writes) {
        this.#replaced.add(keyOf(ref, oldValue));
        const before = this.#unknownWriter(ref, oldValue);
        if (before !== undefined) pending.push(before);
      }
    }
  }

  #takeWriter(ref: string, value: Value): void {
    const attempt = this.#unknownWriter(ref, value);
    if (attempt !== undefined) this.#take(attempt);
  }

  #unknownWriter(ref: string, value: Value): Attempt | undefined {
    const writers = this.#writers.get(keyOf(ref, value)) ?? [];
    if (writers.some(({ attempt }) => this.has(attempt))) return undefined;
    return writers.find(({ attempt }) => attempt.outcome === 'unknown')?.attempt;
  }

  /** A value that has gone, and that nobody was told to have replaced: somebody who died deleted it in the end. */
  #takeEnd(ref: string, value: Value): void {
    const isThere = (this.#history.final.get(ref) ?? ABSENT) === value;
    if (value === ABSENT || isThere || this.#replaced.has(keyOf(ref, value))) return;
    for (const attempt of this.#wayToDeletion(ref, value) ?? []) this.#take(attempt);
  }

  #wayToDeletion(ref: string, value: Value): Attempt[] | undefined {
    for (const { attempt, write } of this.#unknown.get(keyOf(ref, value)) ?? []) {
      if (write.newValue === ABSENT) return [attempt];
      const rest = this.#wayToDeletion(ref, write.newValue);
      if (rest !== undefined) return [attempt, ...rest];
    }
    return undefined;
  }
}

function* seenValues({ final, reflogs, snapshots }: History): Generator<[string, Value]> {
  yield* final;
  for (const [ref, steps] of reflogs) for (const { newValue } of steps) yield [ref, newValue];
  for (const { values } of snapshots) yield* values;
}

function keyOf(ref: string, value: Value): string {
  return `${ref} ${value}`;
}

function add<K, V>(lists: Map<K, V[]>, key: K, item: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
