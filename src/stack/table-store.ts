// The port between a stack and the place where its tables are kept: a folder with Git's lock file today,
// a store with conditional writes tomorrow. Small on purpose: the second one should be one file.

import type { TableSource } from '../table/table-source.ts';

/** One reading of the list of tables, oldest first, and what tells this reading from a later one. */
export interface TableList {
  readonly names: readonly string[];
  /** Whether there was no list at all, not even an empty one. */
  readonly isMissing?: true;
  /** Opaque; belongs to the store that made it. */
  readonly identity: unknown;
}

/** The writers' lock, held. */
export interface StoreLock {
  /** Gives the lock back. A second call does nothing. */
  release(): Promise<void>;
}

/** A table that was written, and has no name yet by which anybody would find it. */
export interface StagedTable {
  readonly name: string;
  /** Makes it durable. Throws `IO`. */
  finish(): Promise<void>;
  /** Removes it, unless it was published. Never throws. */
  discard(): void;
}

export interface TableStore {
  /** For messages: where the stack is. */
  readonly location: string;
  /** Reads the list; a store without a list has an empty one. Throws `CORRUPT_LIST`, `IO`. */
  readList(): TableList;
  /** Whether the list is still the one that was read. Costs one system call at most. */
  isCurrent(list: TableList): boolean;
  /**
   * Calls `changed` when the list may have changed, and gives the function that ends it. It may fail to call: what must
   * be noticed has to be looked for now and then. `persistent`: whether the process lives on for it.
   */
  watchList(persistent: boolean, changed: () => void): () => void;
  /** Ends the trust in a list's identity and frees what it holds. */
  releaseList(list: TableList): void;
  /** Opens a table for reading. Throws `MISSING_TABLE`, `IO`. */
  open(name: string): TableSource;
  /**
   * Writes a new table. `pieces` is asked for the next chunks when those before are written, with the event
   * loop free in between. Throws `IO`, and what `pieces` throws.
   */
  stage(name: string, pieces: Iterable<readonly Uint8Array[]>): Promise<StagedTable>;
  /** Removes a table; one that is gone already is fine. */
  remove(name: string): void;
  /**
   * Takes the writers' lock, waiting at most `timeout` ms (0: one try, -1: for ever).
   * Throws `LOCKED`, `IO`.
   */
  lock(timeout: number): Promise<StoreLock>;
  /**
   * Takes the lock of one table, which keeps others from compacting it; `undefined` if somebody has it.
   * The writers' lock must be held. Throws `IO`.
   */
  lockTable(name: string): Promise<StoreLock | undefined>;
  /**
   * Publishes `table`, if there is one, and replaces the list, both durably before the promise resolves; gives
   * the new reading. The lock must be held. Throws `IO`, and then the list is as it was.
   */
  swapList(expected: TableList, names: readonly string[], table?: StagedTable): Promise<TableList>;
  /** Whether somebody has the lock of a table. Only who holds the writers' lock can take one. Throws `IO`. */
  isTableLocked(name: string): boolean;
  /** The names of all tables there are, listed or not. Throws `IO`. */
  tables(): string[];
  /** Removes what writers left behind that died. The writers' lock must be held. Throws `IO`. */
  removeLeftovers(): void;
}
