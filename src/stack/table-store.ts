// The port between a stack and the place where its tables are kept: a folder with Git's lock file today,
// a store with conditional writes tomorrow. Small on purpose: the second one should be one file.

import type { TableSource } from '../table/table-source.ts';

/** One reading of the list of tables, oldest first, and what tells this reading from a later one. */
export interface TableList {
  readonly names: readonly string[];
  /** Opaque; belongs to the store that made it. */
  readonly identity: unknown;
}

/** The writers' lock, held. */
export interface StoreLock {
  /** Gives the lock back. A second call does nothing. */
  release(): Promise<void>;
}

export interface TableStore {
  /** For messages: where the stack is. */
  readonly location: string;
  /** Reads the list; a store without a list has an empty one. Throws `CORRUPT_LIST`, `IO`. */
  readList(): TableList;
  /** Whether the list is still the one that was read. Costs one system call at most. */
  isCurrent(list: TableList): boolean;
  /** Ends the trust in a list's identity and frees what it holds. */
  releaseList(list: TableList): void;
  /** Opens a table for reading. Throws `MISSING_TABLE`, `IO`. */
  open(name: string): TableSource;
  /** Stores a new table, durably before the promise resolves; half of one never carries the name. */
  put(name: string, chunks: readonly Uint8Array[]): Promise<void>;
  /** Removes a table; one that is gone already is fine. */
  remove(name: string): void;
  /**
   * Takes the writers' lock, waiting at most `timeout` ms (0: one try, -1: for ever).
   * Throws `LOCKED`, `IO`.
   */
  lock(timeout: number): Promise<StoreLock>;
  /**
   * Replaces the list, durably before the promise resolves, and returns the new reading. The lock must
   * be held. Throws `IO`, and then the list is as it was.
   */
  swapList(expected: TableList, names: readonly string[]): Promise<TableList>;
}
