// Walks the records of several tables in the order of their keys, each key once: where several tables
// have it, the newest one's record counts. A tombstone is a record like any other here.
//
// The next record is found by a tournament of the tables' cursors. Keys share long prefixes, so keys are
// not compared: of each cursor's key it is known how many bytes it shares with the key that came before
// all of them, and which byte follows. Of two keys the one that shares more is the smaller; of those that
// share as much, the one with the smaller byte. Only where both are equal do bytes have to be looked at,
// and that tells how much the loser shares with the winner. What a loser shares with the key before is
// what it shares with the winner otherwise, so the numbers stay true when the winner has left.

import { type LogRecord, type RefRecord, TOMBSTONE } from '../format/records.ts';
import { LastKey } from './last-key.ts';
import type { Table } from './table.ts';
import { TableCursor } from './table-cursor.ts';

/** `shared` of a cursor that has no more records: it loses against all others. */
const EXHAUSTED = -1;
/** `following` where the key ends. */
const NOTHING = 0;

export class MergedCursor {
  /** The table cursor at the current record. */
  current: TableCursor | undefined;

  /** Oldest first, as the tables. */
  private readonly cursors: readonly TableCursor[];
  /** How many bytes each cursor's key shares with the one that it is compared by. */
  private readonly shared: Int32Array;
  /** The byte behind them, plus one. */
  private readonly following: Int32Array;
  /**
   * The tournament: a binary tree whose leaves are the cursors, with the loser of each match. The root is
   * number 1, the nodes below number i are 2i and 2i + 1, and cursor i is number `cursors.length` + i.
   */
  private readonly losers: Int32Array;
  private winner = 0;
  /** How many cursors have records left. */
  private remaining = 0;
  /** The key before the one that is looked at, where their batches differ. */
  private readonly previous = new LastKey();

  /** `tables` oldest first. */
  constructor(tables: readonly Table[], section: 'refs' | 'logs') {
    this.cursors = tables.map((table) => new TableCursor(table, section));
    this.shared = new Int32Array(tables.length);
    this.following = new Int32Array(tables.length);
    this.losers = new Int32Array(tables.length);
  }

  /** Moves to the first record; `false` if there is none. */
  seekFirst(): boolean {
    return this.build((cursor) => cursor.seekFirst());
  }

  /** Moves to the first record whose key is at least `key`; `false` if there is none. */
  seek(key: Uint8Array): boolean {
    return this.build((cursor) => cursor.seek(key));
  }

  /** Moves to the record with the next key; `false` if there is none. */
  next(): boolean {
    const { current } = this;
    if (current === undefined) return false;
    if (this.remaining === 1) {
      // One table left, the big one as a rule: nothing to compare.
      if (current.next()) return true;
      this.current = undefined;
      return false;
    }
    do {
      this.advance(this.winner);
      this.replay(this.winner);
      // What ends where it stops sharing is the key that was passed, in an older table.
    } while (this.remaining > 0 && this.following[this.winner] === NOTHING);
    this.current = this.remaining > 0 ? this.cursors[this.winner] : undefined;
    return this.current !== undefined;
  }

  /**
   * How many bytes the current key has in common with the one before it, after `next`; -1 where that is
   * not known.
   */
  get sharedWithPrevious(): number {
    return this.remaining === 1 ? -1 : this.shared[this.winner]!;
  }

  /** Whether the current record is a tombstone. */
  get isTombstone(): boolean {
    const { batch, index } = this.current!;
    return batch.valueTypes[index] === TOMBSTONE;
  }

  /** The current ref. */
  ref(): RefRecord {
    return this.current!.ref();
  }

  /** The name of the current ref. */
  refName(): string {
    return this.current!.refName();
  }

  /** The current log record of the ref `name`. */
  log(name: string): LogRecord {
    return this.current!.log(name);
  }

  /** The name in the current log record's key. */
  logName(): string {
    return this.current!.logName();
  }

  /** Whether the current key begins with `prefix`. */
  hasPrefix(prefix: Uint8Array): boolean {
    return this.current!.hasPrefix(prefix);
  }

  /**
   * Before which record of the current one's batch the first stands that does not begin with `prefix`, as the
   * current one does, is a tombstone, or may not be the next in all tables.
   */
  runEnd(prefix: Uint8Array): number {
    const { batch, index } = this.current!;
    const end = this.current!.endOfPrefix(prefix);
    const rival = this.remaining === 1 ? EXHAUSTED : this.sharedByRivals();
    let run = index + 1;
    while (run < end && batch.valueTypes[run] !== TOMBSTONE) {
      // What shares more with the key before it than the others do comes before them, and leaves what they share.
      if (rival !== EXHAUSTED && batch.sharedWithPrevious(run) <= rival) break;
      run++;
    }
    return run;
  }

  /** How many bytes another cursor's key shares at most with the current one. */
  private sharedByRivals(): number {
    const { losers, shared } = this;
    let most = EXHAUSTED;
    for (let node = (losers.length + this.winner) >> 1; node > 0; node >>= 1) {
      most = Math.max(most, shared[losers[node]!]!);
    }
    return most;
  }

  private build(seek: (cursor: TableCursor) => boolean): boolean {
    const { cursors, shared, following, losers } = this;
    const count = cursors.length;
    this.remaining = 0;
    this.current = undefined;
    const winners = new Int32Array(2 * count);
    cursors.forEach((cursor, i) => {
      winners[count + i] = i;
      shared[i] = EXHAUSTED;
      following[i] = NOTHING;
      if (!seek(cursor)) return;
      shared[i] = 0;
      following[i] = cursor.batch.keys[cursor.batch.keyStarts[cursor.index]!]! + 1;
      this.remaining++;
    });
    if (this.remaining === 0) return false;
    for (let node = count - 1; node > 0; node--) {
      const [a, b] = [winners[2 * node]!, winners[2 * node + 1]!];
      const wins = this.beats(a, b);
      winners[node] = wins ? a : b;
      losers[node] = wins ? b : a;
    }
    this.winner = winners[1]!;
    this.current = cursors[this.winner];
    return true;
  }

  /** Moves cursor `i`, the winner, to its next record. */
  private advance(i: number): void {
    const cursor = this.cursors[i]!;
    const { batch, index } = cursor;
    const isLast = index + 1 === batch.count;
    if (isLast) {
      const { keys, keyStarts } = batch;
      const start = keyStarts[index]!;
      this.previous.remember(keys, start, keyStarts[index + 1]! - start, 0);
    }
    if (!cursor.next()) {
      this.shared[i] = EXHAUSTED;
      this.remaining--;
      return;
    }
    const start = batch.keyStarts[cursor.index]!;
    const length = batch.keyStarts[cursor.index + 1]! - start;
    const shared = isLast
      ? this.previous.sharedWith(batch.keys, start, length, -1)
      : batch.sharedWithPrevious(cursor.index);
    if (shared < 0) throw cursor.error('a key that comes after the one before it');
    this.shared[i] = shared;
    this.following[i] = batch.keys[start + shared]! + 1;
  }

  /** Finds the winner anew after cursor `i`, which was it, has moved. */
  private replay(i: number): void {
    const { losers } = this;
    let winner = i;
    for (let node = (losers.length + i) >> 1; node > 0; node >>= 1) {
      const other = losers[node]!;
      if (!this.beats(other, winner)) continue;
      losers[node] = winner;
      winner = other;
    }
    this.winner = winner;
  }

  /** Whether cursor `a` comes before cursor `b`. */
  private beats(a: number, b: number): boolean {
    const { shared, following } = this;
    const common = shared[a]!;
    if (common !== shared[b]) return common > shared[b]!;
    const byte = following[a]!;
    if (byte !== following[b]) return byte < following[b]!;
    return common === EXHAUSTED || byte === NOTHING ? a > b : this.compare(a, b, common + 1);
  }

  /** The same for two keys whose first `from` bytes are equal: tells also what the loser shares with the winner. */
  private compare(a: number, b: number, from: number): boolean {
    const x = this.cursors[a]!;
    const y = this.cursors[b]!;
    const [xKeys, yKeys] = [x.batch.keys, y.batch.keys];
    const xStart = x.batch.keyStarts[x.index]!;
    const yStart = y.batch.keyStarts[y.index]!;
    const xLength = x.batch.keyStarts[x.index + 1]! - xStart;
    const yLength = y.batch.keyStarts[y.index + 1]! - yStart;
    const shorter = Math.min(xLength, yLength);
    let at = from;
    while (at < shorter && xKeys[xStart + at] === yKeys[yStart + at]) at++;
    const xByte = at < xLength ? xKeys[xStart + at]! + 1 : NOTHING;
    const yByte = at < yLength ? yKeys[yStart + at]! + 1 : NOTHING;
    // Of equal keys the newer table's wins.
    const wins = xByte === yByte ? a > b : xByte < yByte;
    this.shared[wins ? b : a] = at;
    this.following[wins ? b : a] = wins ? yByte : xByte;
    return wins;
  }
}
