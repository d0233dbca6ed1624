// What the transactions of a group have written so far, laid over the refs and reflogs as they stand: the
// view that the next one of the group is planned over, and in the end the records of the group's table.

import type { LogRecord, RefRecord } from '../../format/records.ts';
import { compareText } from '../../format/text.ts';
import type { RefView } from '../ref-view.ts';
import type { RecordWriter } from './held-lock.ts';
import type { PlannedRecords } from './plan-records.ts';

/** What was written to one reflog. */
interface PendingLog {
  /** Whether its ref was deleted: then nothing of the stack's is to be seen any more. */
  isEnded: boolean;
  /** Oldest first. */
  entries: LogRecord[];
  tombstones: LogRecord[];
}

export class PendingWrites implements RefView {
  /** The view below. It must not change: a group has the lock. */
  private readonly base: RefView;
  /** The refs that were written, by name; a tombstone where one was deleted. */
  private readonly refs = new Map<string, RefRecord>();
  /** The names of those that exist, in byte order. */
  private readonly live: string[] = [];
  private readonly logs = new Map<string, PendingLog>();
  /** What the base was asked for: `HEAD` and folders of names are asked for by each transaction. */
  private readonly known = new Map<string, RefRecord | undefined>();
  /** For a ref of the base that was written over: the next one, as far as it was looked for. */
  private readonly behind = new Map<string, string | undefined>();

  constructor(base: RefView) {
    this.base = base;
  }

  get isEmpty(): boolean {
    return this.refs.size + this.logs.size === 0;
  }

  ref(name: string): RefRecord | undefined {
    const record = this.refs.get(name);
    if (record !== undefined) return isTombstone(record) ? undefined : record;
    if (this.known.has(name)) return this.known.get(name);
    const below = this.base.ref(name);
    this.known.set(name, below);
    return below;
  }

  firstFrom(name: string): string | undefined {
    const written = this.live[positionOf(this.live, name)];
    if (written === name) return name;
    const untouched = this.firstUntouched(name);
    if (written === undefined || untouched === undefined) return written ?? untouched;
    return compareText(written, untouched) < 0 ? written : untouched;
  }

  hasReflog(name: string): boolean {
    const log = this.logs.get(name);
    if (log === undefined) return this.base.hasReflog(name);
    return log.entries.length > 0 || (!log.isEnded && this.base.hasReflog(name));
  }

  *log(name: string): IterableIterator<LogRecord> {
    const log = this.logs.get(name);
    if (log !== undefined) yield* log.entries.toReversed();
    if (log?.isEnded !== true) yield* this.base.log(name);
  }

  /** Adds what one more transaction writes. */
  add({ refs, endedLogs, entries }: PlannedRecords): void {
    for (const record of refs) this.setRef(record);
    for (const { name, tombstones } of endedLogs) {
      const log = this.logOf(name);
      log.isEnded = true;
      log.entries = [];
      for (const tombstone of tombstones) log.tombstones.push(tombstone);
    }
    for (const entry of entries) this.logOf(entry.name).entries.push(entry);
  }

  writeTo(writer: RecordWriter): void {
    for (const [, record] of inNameOrder(this.refs)) writer.addRef(record);
    for (const [, { entries, tombstones }] of inNameOrder(this.logs)) {
      const newestFirst = [...entries, ...tombstones].sort((a, b) => b.updateIndex - a.updateIndex);
      for (const record of newestFirst) writer.addLog(record);
    }
  }

  private setRef(record: RefRecord): void {
    const { name } = record;
    this.refs.set(name, record);
    // A group is a few thousand names at most: to move them in one array costs less than a tree would.
    const position = positionOf(this.live, name);
    const wasLive = this.live[position] === name;
    if (isTombstone(record)) {
      if (wasLive) this.live.splice(position, 1);
    } else if (!wasLive) {
      this.live.splice(position, 0, name);
    }
  }

  private logOf(name: string): PendingLog {
    let log = this.logs.get(name);
    if (log === undefined) {
      log = { isEnded: false, entries: [], tombstones: [] };
      this.logs.set(name, log);
    }
    return log;
  }

  /** The base's first name from `name` on that was not written over. */
  private firstUntouched(name: string): string | undefined {
    const passed: string[] = [];
    let found = this.base.firstFrom(name);
    while (found !== undefined && this.refs.has(found)) {
      passed.push(found);
      // NUL is in no name: this is the first that can come behind `found`.
      found = this.behind.has(found) ? this.behind.get(found) : this.base.firstFrom(`${found}\0`);
    }
    // So a long run of names that were written over is walked once, and not by each transaction.
    for (const each of passed) this.behind.set(each, found);
    return found;
  }
}

function isTombstone({ oid, target }: RefRecord): boolean {
  return oid === undefined && target === undefined;
}

/** Where in `names` the first one stands that is at least `name`. */
function positionOf(names: readonly string[], name: string): number {
  let low = 0;
  let high = names.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareText(names[middle]!, name) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function inNameOrder<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => compareText(a, b));
}
