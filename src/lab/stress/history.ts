// What happened to a repository, as those who wrote and read it noted it. No value is written twice, and every write
// names the value that it replaces, so that a ref's writes have one order.

/** A ref's value: an object id, `ref:` and a target, or `''` where there is no ref. */
export type Value = string;

export const ABSENT: Value = '';

/** One ref's part of a transaction. */
export interface Write {
  ref: string;
  oldValue: Value;
  newValue: Value;
}

/** A transaction that somebody asked for. All times are ms of one clock. */
export interface Attempt {
  writer: string;
  writes: Write[];
  /** `unknown`: the writer died before it was told. */
  outcome: 'acknowledged' | 'refused' | 'unknown';
  began: number;
  /** When it was told, or died. */
  ended: number;
}

/** What one reader saw at once. Refs that are not named were not there. */
export interface Snapshot {
  reader: string;
  began: number;
  ended: number;
  values: ReadonlyMap<string, Value>;
}

export interface LogStep {
  oldValue: Value;
  newValue: Value;
}

/** Everything the checker decides from. At first there are no refs. */
export interface History {
  attempts: readonly Attempt[];
  snapshots: readonly Snapshot[];
  /** The refs that there are in the end. */
  final: ReadonlyMap<string, Value>;
  /** The reflogs that there are in the end, oldest step first, of the refs of which everything is logged. */
  reflogs: ReadonlyMap<string, readonly LogStep[]>;
}

export type ViolationKind =
  | 'lost update'
  | 'resurrected delete'
  | 'dirty read'
  | 'value from nowhere'
  | 'split transaction'
  | 'transactions in a circle'
  | 'order against time'
  | 'read of the past'
  | 'read of the future'
  | 'broken reflog';

/** Something that cannot have happened to a sound repository. */
export interface Violation {
  kind: ViolationKind;
  ref: string;
  message: string;
  /** The shortest history that proves it, a line an event. */
  proof: string[];
}

/** An attempt or a snapshot in one line. */
export function describeEvent(event: Attempt | Snapshot, ref?: string): string {
  const time = `${event.began.toFixed(3)}–${event.ended.toFixed(3)}`;
  if ('reader' in event) {
    const seen = ref === undefined ? '' : ` ${ref}: ${shortValue(event.values.get(ref) ?? ABSENT)}`;
    return `${time} ${event.reader} sees${seen}`;
  }
  const writes = event.writes.map(
    ({ ref, oldValue, newValue }) => `${ref}: ${shortValue(oldValue)} → ${shortValue(newValue)}`,
  );
  return `${time} ${event.writer} ${writes.join(', ')} (${event.outcome})`;
}

const ABBREVIATION = 12;

export function shortValue(value: Value): string {
  if (value === ABSENT) return 'nothing';
  return value.startsWith('ref:') ? value : value.slice(0, ABBREVIATION);
}
