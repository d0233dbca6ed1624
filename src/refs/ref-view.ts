// What a transaction is planned over: the refs and reflogs as they stand, read only. Each question is
// cheapest when asked for names in ascending order.

import type { LogRecord, RefRecord } from '../format/records.ts';

export interface RefView {
  /** The ref itself, symrefs not followed. */
  ref(name: string): RefRecord | undefined;
  /** The first ref whose name is at least `name`. */
  firstFrom(name: string): string | undefined;
  hasReflog(name: string): boolean;
  /** The entries of a ref's log, newest first. */
  log(name: string): Iterable<LogRecord>;
}
