// What a transaction was planned to do, entry by entry of its batch: what a backend writes, and what it refuses.

import type { RefRecord } from '../../format/records.ts';
import type { ReflogPolicy } from '../../reflog/policy.ts';
import type { RejectedUpdate } from '../ref-store.ts';
import type { RefView } from '../ref-view.ts';
import { tryResolve } from '../resolve.ts';
import type { RefLocks } from './ref-locks.ts';
import type { UpdateBatch } from './update-batch.ts';
import { DELETES, LOG_ONLY, STARTS_NO_LOG } from './update-flags.ts';

const LARGE_PLAN = 512;

/** A record's lengths, its update index and a byte of its name, bytes. */
const SMALLEST_OVERHEAD = 4;

export interface PlanContext {
  view: RefView;
  /** For refs that are locked one by one; without it, one lock is held for them all, and the view does not change. */
  locks?: RefLocks | undefined;
  policy: ReflogPolicy;
  /** Log where the policy would not. */
  createReflog: boolean;
  /** Whether an update that cannot be made is left out, instead of all with it. */
  batchUpdates: boolean;
}

/** What a transaction writes, entry by entry of its batch. */
export class Plan {
  readonly batch: UpdateBatch;
  /** The entries that write something, in byte order of their names. */
  readonly entries: readonly number[];
  /** The updates that are left out, in the order in which that was found. */
  readonly rejected: readonly RejectedUpdate[];
  private readonly context: PlanContext;
  private readonly existing: ReadonlyMap<number, RefRecord>;
  private readonly currentOids: ReadonlyMap<number, string>;

  constructor(
    batch: UpdateBatch,
    entries: readonly number[],
    rejected: readonly RejectedUpdate[],
    context: PlanContext,
    existing: ReadonlyMap<number, RefRecord>,
    currentOids: ReadonlyMap<number, string>,
  ) {
    this.batch = batch;
    this.entries = entries;
    this.rejected = rejected;
    this.context = context;
    this.existing = existing;
    this.currentOids = currentOids;
    if (!this.isEmpty) batch.decodeNames();
  }

  get isEmpty(): boolean {
    return this.entries.length === 0;
  }

  /** Whether there are so many updates that writing them twice would tell. */
  get isLarge(): boolean {
    return this.entries.length > LARGE_PLAN;
  }

  /** What the refs that are set to object ids take in a table at least, bytes; 0 if others are deleted. */
  get smallestSize(): number {
    const { batch, entries } = this;
    let refs = 0;
    for (const entry of entries) {
      if (batch.has(entry, DELETES)) return 0;
      if (this.writesRef(entry) && !batch.targets.has(entry)) refs++;
    }
    return refs * (batch.oidLength + SMALLEST_OVERHEAD);
  }

  /** Whether the ref itself is written, and not only its reflog. */
  writesRef(entry: number): boolean {
    return !this.batch.has(entry, LOG_ONLY);
  }

  /** How many bytes the names of two entries have in common; -1 where that is not known without looking. */
  sharedWith(last: number, entry: number): number {
    return last === entry - 1 && last >= 0 && this.batch.isAscending
      ? this.batch.shared[entry]!
      : -1;
  }

  /** Whether the reflog goes with the ref. */
  deletesLog(entry: number): boolean {
    return this.batch.has(entry, DELETES) && this.existing.get(entry)?.target === undefined;
  }

  /** Whether the change is logged. */
  isLogged(entry: number): boolean {
    const { view, policy, createReflog } = this.context;
    if (createReflog && !this.batch.has(entry, STARTS_NO_LOG)) return true;
    const name = this.batch.name(entry);
    return policy(name, () => view.hasReflog(name));
  }

  /** The object id before, hex; `undefined` where there was none. */
  oldOid(entry: number): string | undefined {
    return this.currentOids.get(entry);
  }

  /** The object id behind the symref that is set, hex; `undefined` where that leads to nothing. */
  oidBehindTarget(entry: number): string | undefined {
    const resolved = tryResolve(this.batch.targets.get(entry)!.newTarget!, this.context.view);
    return resolved === 'broken' ? undefined : resolved?.oid;
  }

  /** The update indexes of a reflog's entries. */
  *logIndexes(entry: number): IterableIterator<number> {
    for (const { updateIndex } of this.context.view.log(this.batch.name(entry))) yield updateIndex;
  }
}
