// What has changed between two snapshots of a stack, ref by ref.
//
// A table that was appended since tells what its transactions set. Where tables were merged meanwhile, of several
// changes of a ref only the last is left in its record; the steps before are in its reflog, if it has one. Merged
// down to the oldest table, a ref that was deleted leaves nothing at all: it is missed by comparing.

import type { RefRecord } from '../../format/records.ts';
import { compareText, encodeText } from '../../format/text.ts';
import { Breather } from '../../stack/breather.ts';
import type { StackSnapshot } from '../../stack/stack-snapshot.ts';
import { MergedTable } from '../../table/merged-table.ts';
import type { Table } from '../../table/table.ts';
import { TableCursor } from '../../table/table-cursor.ts';
import type { RefChange } from '../ref-store.ts';

/** What a ref is set to; neither where there is none. */
interface RefValue {
  readonly oid?: string | undefined;
  readonly target?: string | undefined;
}

const NONE: RefValue = {};

/** The changes of the refs whose names begin with `prefix`, the earlier ones first. Both snapshots must be held. */
export async function* changesBetween(
  before: StackSnapshot,
  after: StackSnapshot,
  prefix: string,
): AsyncIterableIterator<RefChange> {
  const changes = new StackChanges(before, after, prefix);
  // Where there is less than there was, it is another stack: the numbers of its transactions say nothing.
  if (after.lastUpdateIndex >= before.lastUpdateIndex) {
    for (const table of after.tables) {
      if (table.maxUpdateIndex > before.lastUpdateIndex) yield* await changes.madeIn(table);
    }
    if (!changes.isRebased) return;
  }
  yield* changes.notTold();
}

class StackChanges {
  readonly #before: StackSnapshot;
  readonly #after: StackSnapshot;
  readonly #prefix: string;
  /** What refs were set to by the changes that were told. */
  readonly #values = new Map<string, RefValue>();
  readonly #breather = new Breather();

  constructor(before: StackSnapshot, after: StackSnapshot, prefix: string) {
    this.#before = before;
    this.#after = after;
    this.#prefix = prefix;
  }

  /** Whether the oldest table is another one: what was deleted may have been left out of it. */
  get isRebased(): boolean {
    return this.#after.names[0] !== this.#before.names[0];
  }

  /** What the transactions changed whose records are in one table. */
  async madeIn(table: Table): Promise<RefChange[]> {
    const cursor = new TableCursor(table, 'refs');
    const start = encodeText(this.#prefix);
    const changes: { change: RefChange; at: number }[] = [];
    let more = start.length === 0 ? cursor.seekFirst() : cursor.seek(start);
    for (; more && cursor.hasPrefix(start); more = cursor.next()) {
      await this.#breather.breathe();
      const record = cursor.ref();
      if (record.updateIndex <= this.#before.lastUpdateIndex) continue;
      changes.push(...this.#stepsTo(record, table));
    }
    changes.sort((a, b) => a.at - b.at);
    return changes.map(({ change }) => change);
  }

  /** What no table tells: how the two snapshots still differ. */
  async *notTold(): AsyncIterableIterator<RefChange> {
    const old = this.#before.merged.refs(this.#prefix);
    const now = this.#after.merged.refs(this.#prefix);
    let was = old.next().value;
    let is = now.next().value;
    while (was !== undefined || is !== undefined) {
      await this.#breather.breathe();
      const order = was && is ? compareText(was.name, is.name) : was ? -1 : 1;
      const { name } = (order <= 0 ? was : is)!;
      const from = this.#values.get(name) ?? (order <= 0 ? was! : NONE);
      const to = order >= 0 ? is! : NONE;
      if (!isSame(from, to))
        yield refChange(name, from, to, order >= 0 ? is!.updateIndex : undefined);
      if (order <= 0) was = old.next().value;
      if (order >= 0) is = now.next().value;
    }
  }

  /** The changes that led to a record, and where in the order of all they belong. */
  *#stepsTo(record: RefRecord, table: Table): IterableIterator<{ change: RefChange; at: number }> {
    const { name, updateIndex } = record;
    let value: RefValue = this.#values.get(name) ?? this.#before.merged.readRef(name) ?? NONE;
    this.#values.set(name, record);
    // One transaction on top of what is known needs no reflog to be understood.
    const isPlain = table.minUpdateIndex === table.maxUpdateIndex && !this.isRebased;
    if (!isPlain && value.target === undefined && record.target === undefined) {
      for (const { from, to, at } of this.#loggedSteps(name, table)) {
        // What was not logged lies between: it is told as one change, of an unknown transaction.
        if (!isSame(value, from)) yield { change: refChange(name, value, from, undefined), at };
        yield { change: refChange(name, from, to, at), at };
        value = to;
      }
    }
    if (isSame(value, record)) return;
    yield { change: refChange(name, value, record, updateIndex), at: updateIndex };
  }

  /** The entries that a reflog in one table has of what is new, oldest first. */
  #loggedSteps(name: string, table: Table): { from: RefValue; to: RefValue; at: number }[] {
    const steps: { from: RefValue; to: RefValue; at: number }[] = [];
    for (const { updateIndex, entry } of new MergedTable([table]).log(name)) {
      if (updateIndex <= this.#before.lastUpdateIndex) break;
      const { oldOid, newOid } = entry!;
      // One that changes nothing may only say that the reflog exists.
      if (oldOid === newOid) continue;
      steps.push({ from: loggedValue(oldOid), to: loggedValue(newOid), at: updateIndex });
    }
    return steps.reverse();
  }
}

/** All zeros in a reflog stand for no ref. */
function loggedValue(oid: string): RefValue {
  return /^0*$/.test(oid) ? NONE : { oid };
}

function isSame(a: RefValue, b: RefValue): boolean {
  return a.oid === b.oid && a.target === b.target;
}

function refChange(
  name: string,
  from: RefValue,
  to: RefValue,
  updateIndex: number | undefined,
): RefChange {
  return {
    name,
    oldOid: from.oid,
    oldTarget: from.target,
    newOid: to.oid,
    newTarget: to.target,
    updateIndex,
  };
}
