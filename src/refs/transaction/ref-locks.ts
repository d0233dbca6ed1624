// What planning asks of a backend that has a lock for each ref, as files have: each is locked when its turn comes, and
// only then read.

import type { RefRecord } from '../../format/records.ts';
import type { RefView } from '../ref-view.ts';
import type { Refusal } from './refusal.ts';

/** A ref whose turn has come. */
export interface Sought {
  name: string;
  /** Whether the update is for nothing without it: it is not made room for then. */
  mustExist: boolean;
  /** The name that is in the way of this one, or the other way round, among all refs and what the transaction touches. */
  conflict(): Refusal | undefined;
}

export interface RefLocks {
  /** Whether a ref was locked before. */
  has(name: string): boolean;
  /**
   * Locks a ref, unless it is locked, and reads it. Throws a `Refusal`, or `LOCKED`, `CORRUPT_REF` or `IO`, with a
   * reason that continues `cannot lock ref 'NAME': `.
   */
  lock(sought: Sought): RefRecord | undefined;
  /** The refs that a name which is new is held against in the end: those that its lock has not kept away. */
  readonly others: RefView;
}
