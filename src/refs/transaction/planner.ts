// What a transaction means: updates in, and out comes what to write, or the reason why not. Symrefs are
// followed, expectations checked, name conflicts found and reflog entries decided here and nowhere else,
// without I/O, over a read-only view; a backend only locks, and writes what the plan says.
//
// The order of the checks is Git's, so that of several reasons to refuse the same one is told.

import { RefError, type RefErrorCode } from '../../errors.ts';
import { zeroOid } from '../../format/object-format.ts';
import type { RefRecord } from '../../format/records.ts';
import type { RejectionReason } from '../ref-store.ts';
import type { RefView } from '../ref-view.ts';
import { symrefTarget, tryResolve } from '../resolve.ts';
import { parseWorktreeRef } from '../worktrees/worktree-ref.ts';
import { checkNameConflicts, nameConflict } from './name-conflicts.ts';
import { NameOrder } from './name-order.ts';
import { Plan, type PlanContext } from './plan.ts';
import type { RefLocks } from './ref-locks.ts';
import { Refusal, rejectedUpdate } from './refusal.ts';
import type { UpdateBatch } from './update-batch.ts';
import {
  CROWDED,
  DELETES,
  DEREF,
  EXPECTS_NONE,
  EXPECTS_OID,
  EXPECTS_TARGET,
  LOG_ONLY,
  NEW_FOLDER,
  SETS_TARGET,
  VIA_HEAD,
  WRITES,
} from './update-flags.ts';

const EXISTS = 'reference already exists';

/**
 * Plans a transaction, which uses the batch up. Throws `EXPECTED_OLD_VALUE` and `NAME_CONFLICT`, in Git's
 * words; where updates may fail one by one, only for what concerns all.
 */
export function planTransaction(batch: UpdateBatch, order: NameOrder, context: PlanContext): Plan {
  return new Planner(batch, order, context).plan();
}

class Planner {
  private readonly batch: UpdateBatch;
  private readonly context: PlanContext;
  private readonly view: RefView;
  private readonly locks: RefLocks | undefined;
  private readonly zero: string;
  /** What `HEAD` names; `undefined` if it names no ref. */
  private readonly headTarget: string | undefined;
  /** The entry that updates the branch `HEAD` names; -1 if there is none. */
  private headEntry: number;
  /** What the updates touch. */
  private touched: NameOrder;
  /** What else is touched, because a symref among that names it. */
  private readonly behindSymrefs = new Set<string>();
  /** The refs as they stand, by entry; those that do not exist are not there. */
  private readonly existing = new Map<number, RefRecord>();
  /** What they resolve to; all zeros, or not there, where that is nothing. */
  private readonly currentOids = new Map<number, string>();
  /** The entry that the caller asked for, where a symref stands between it and this one. */
  private readonly parents = new Map<number, number>();
  /**
   * Entries that do not exist, are not expected to, and may be in the way of another name: in a folder
   * that the entry before is not in, or perhaps with names below.
   */
  private readonly conspicuous: number[] = [];
  /** Entries of `HEAD` that came about because the branch it names is updated, and those of that branch. */
  private readonly headLogs = new Map<number, number>();
  /** Entries that write something. */
  private kept: number[] = [];
  /** Why entries were left out, by entry, in the order in which that was found. */
  private readonly refusals = new Map<number, Refusal>();

  constructor(batch: UpdateBatch, order: NameOrder, context: PlanContext) {
    this.batch = batch;
    this.touched = order;
    this.context = context;
    this.view = context.view;
    this.locks = context.locks;
    this.zero = zeroOid(batch.objectFormat);
    this.headTarget = symrefTarget('HEAD', this.view);
    this.headEntry = this.headTarget === undefined ? -1 : order.find(this.headTarget);
    if (this.locks !== undefined) return;
    order.merge(this.view, (entry) => {
      this.existing.set(entry, this.view.ref(batch.name(entry))!);
    });
  }

  plan(): Plan {
    const { batch, touched } = this;
    for (const [entry, refusal] of batch.refused) this.refuse(entry, refusal);
    // The batch grows while it is walked: by what symrefs stand for, and by HEAD's log.
    for (let entry = 0; entry < batch.count; entry++) {
      if (batch.refused.has(entry)) continue;
      if (this.context.batchUpdates) this.prepareOrRefuse(entry);
      else this.prepare(entry);
    }
    this.checkConflicts();
    const { refusals, context, existing, currentOids } = this;
    if (refusals.size > 0) this.kept = this.kept.filter((entry) => !refusals.has(entry));
    const entries = this.kept;
    if (touched.isReordered || batch.count > touched.count) {
      entries.sort((a, b) => batch.compareNames(a, b));
    }
    const rejected = Array.from(refusals, ([entry, refusal]) =>
      rejectedUpdate(batch, entry, refusal),
    );
    return new Plan(batch, entries, rejected, context, existing, currentOids);
  }

  private prepareOrRefuse(entry: number): void {
    try {
      this.prepare(entry);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.refuse(entry, error);
    }
  }

  /** Leaves an entry out, if that is allowed: its name is then in nobody's way. */
  private refuse(entry: number, refusal: Refusal): void {
    if (!this.context.batchUpdates) throw refusal;
    this.refusals.set(entry, refusal);
    const name = this.batch.name(entry);
    if (!this.behindSymrefs.delete(name)) this.touched.remove(name);
  }

  /** Checks one entry and decides whether it is kept, as Git's `prepare_single_update`. */
  private prepare(entry: number): void {
    const { batch } = this;
    if (entry === this.headEntry) this.addHeadLog(entry);
    const flags = batch.flags[entry]!;
    const mustExist = (flags & (EXPECTS_OID | EXPECTS_TARGET)) !== 0 && (flags & LOG_ONLY) === 0;
    if (this.locks !== undefined) this.lock(entry, mustExist, this.locks);
    const existing = this.existing.get(entry);
    if (existing === undefined) {
      if (mustExist) {
        const reason = `unable to resolve reference '${batch.name(entry)}'`;
        throw this.locked('reference does not exist', entry, reason);
      }
      // Where updates may be left out, the one before may be, and nothing follows from it.
      if (this.context.batchUpdates || (flags & (CROWDED | NEW_FOLDER)) !== 0) {
        this.conspicuous.push(entry);
      }
      // The reflog of a ref that has gone may be there still, as a file.
      const isWritten = (flags & DELETES) === 0 || this.locks !== undefined;
      if ((flags & WRITES) !== 0 && isWritten) this.kept.push(entry);
      return;
    }
    // Its folders were not checked, so the next name must not rely on it.
    batch.flags[entry + 1]! |= NEW_FOLDER;
    if (existing.target === undefined) this.currentOids.set(entry, existing.oid!);
    else this.prepareSymref(entry, existing.target);
    const branch = this.headLogs.get(entry);
    if (this.locks !== undefined && branch !== undefined) {
      this.logAsExpected(entry, branch);
      this.kept.push(entry);
      return;
    }

    this.checkExpectation(entry, existing);
    if (this.locks !== undefined && existing.target === undefined) this.tellParents(entry);

    // An update to the value that is there already writes nothing, not even to the log.
    const changes =
      batch.has(entry, SETS_TARGET) ||
      (batch.has(entry, WRITES) && batch.newOid(entry) !== this.currentOid(entry));
    const isKept = existing.target !== undefined || batch.has(entry, LOG_ONLY) || changes;
    if (isKept && batch.has(entry, WRITES)) this.kept.push(entry);
  }

  /** The update of a symref goes on to the ref that it names, and leaves an entry in its own log. */
  private prepareSymref(entry: number, target: string): void {
    const { batch } = this;
    const name = batch.name(entry);
    const resolved = tryResolve(name, this.view);
    const isBroken = resolved === 'broken';
    const flags = batch.flags[entry]!;
    // Where refs are locked one by one, the value is known once the ref that is named is locked, too.
    const isKnown = this.locks === undefined || (flags & DEREF) === 0;
    if (isKnown && !isBroken && resolved?.oid !== undefined) {
      this.currentOids.set(entry, resolved.oid);
    }
    if ((flags & DEREF) === 0) {
      if (isBroken && (flags & (EXPECTS_OID | EXPECTS_NONE | EXPECTS_TARGET)) !== 0) {
        // Git takes it for a fault of the repository: it stops a transaction of single updates, too.
        const message = `cannot lock ref '${name}': error reading reference`;
        throw new RefError('EXPECTED_OLD_VALUE', message, { ref: name });
      }
      return;
    }
    if (this.isTouched(target)) {
      const message = `multiple updates for '${target}' (including one via symref '${name}') are not allowed`;
      throw new Refusal('refname conflict', message, name);
    }
    const behind = batch.addCopy(
      entry,
      target,
      parseWorktreeRef(name).name === 'HEAD' ? flags | VIA_HEAD : flags,
    );
    this.parents.set(behind, entry);
    this.look(behind);
    this.behindSymrefs.add(target);
    batch.flags[entry] = (flags & ~DEREF) | LOG_ONLY;
    if (target === this.headTarget && !batch.has(behind, VIA_HEAD)) this.headEntry = behind;
  }

  /** An update of the branch that `HEAD` names is logged for `HEAD` too. */
  private addHeadLog(entry: number): void {
    const { batch } = this;
    if (this.isTouched('HEAD')) {
      const name = batch.name(entry);
      const message = `multiple updates for 'HEAD' (including one via its referent '${name}') are not allowed`;
      throw new Refusal('refname conflict', message, name);
    }
    const gone =
      this.locks === undefined ? DEREF | SETS_TARGET | EXPECTS_TARGET : DEREF | SETS_TARGET;
    const flags = batch.flags[entry]! & ~gone;
    const head = batch.addCopy(entry, 'HEAD', flags | LOG_ONLY);
    this.headLogs.set(head, entry);
    // Where its own lock cannot be had, that is told of the branch.
    if (this.locks !== undefined) this.parents.set(head, entry);
    batch.targets.delete(head);
    this.look(head);
  }

  private isTouched(name: string): boolean {
    return this.touched.has(name) || this.behindSymrefs.has(name);
  }

  private checkConflicts(): void {
    const { batch, existing, view, locks, refusals } = this;
    const refuse = (entry: number, refusal: Refusal) => this.refuse(entry, refusal);
    if (this.behindSymrefs.size === 0 && locks === undefined) {
      checkNameConflicts(this.conspicuous, batch, this.touched, view, refuse);
      return;
    }
    // What came in through symrefs, or was not looked for beforehand, may lie above or below any of the names.
    const absent: number[] = [];
    for (let entry = 0; entry < batch.count; entry++) {
      batch.flags[entry]! |= CROWDED;
      if (!existing.has(entry) && !refusals.has(entry)) absent.push(entry);
    }
    this.touched = this.allTouched();
    checkNameConflicts(absent, batch, this.touched, locks?.others ?? view, refuse);
  }

  /** All names of the batch as it is now, but for those of entries that were left out. */
  private allTouched(): NameOrder {
    const touched = new NameOrder(this.batch);
    for (const entry of this.refusals.keys()) {
      const name = this.batch.name(entry);
      if (!this.behindSymrefs.has(name)) touched.remove(name);
    }
    return touched;
  }

  /** Locks the ref of an entry and looks what it is. */
  private lock(entry: number, mustExist: boolean, locks: RefLocks): void {
    const name = this.batch.name(entry);
    const isHeadLog = name === 'HEAD' && this.batch.has(entry, LOG_ONLY);
    // Of a `HEAD` that was locked for an update that was left out, Git does not know what it names.
    const isAgain = isHeadLog && locks.has(name);
    let isHeadMoved = false;
    const conflict = () => nameConflict(name, this.allTouched(), this.view);
    try {
      const record = locks.lock({ name, mustExist, conflict });
      if (record !== undefined) this.existing.set(entry, record);
      isHeadMoved = isAgain || (isHeadLog && record?.target !== this.headTarget);
    } catch (error) {
      if (error instanceof Refusal) {
        const { reason, message, code } = error;
        throw this.locked(reason, entry, message, code);
      }
      if (!(error instanceof RefError)) throw error;
      const { code, message, ...details } = error;
      const ref = this.originalName(entry);
      throw new RefError(code, `cannot lock ref '${ref}': ${message}`, { ...details, ref });
    }
    if (isHeadMoved) throw new RefError('LOCKED', 'HEAD has been racily updated', { ref: 'HEAD' });
  }

  /** The log of `HEAD` tells of the update as it was asked for, where that names an old value, though it was left out. */
  private logAsExpected(entry: number, branch: number): void {
    const { batch, currentOids } = this;
    const isToBeNone = batch.has(entry, EXPECTS_NONE | EXPECTS_TARGET);
    const expected = batch.has(entry, EXPECTS_OID) ? batch.oldOid(entry) : currentOids.get(branch);
    if (isToBeNone || expected === undefined) currentOids.delete(entry);
    else currentOids.set(entry, expected);
  }

  /** What a ref is at, the logs of the symrefs that it was come to by tell of, too. */
  private tellParents(entry: number): void {
    for (let at = this.parents.get(entry); at !== undefined; at = this.parents.get(at)) {
      this.currentOids.set(at, this.currentOid(entry));
    }
  }

  private look(entry: number): void {
    if (this.locks !== undefined) return;
    const record = this.view.ref(this.batch.name(entry));
    if (record !== undefined) this.existing.set(entry, record);
  }

  private checkExpectation(entry: number, existing: RefRecord): void {
    const { batch } = this;
    const flags = batch.flags[entry]!;
    if ((flags & EXPECTS_TARGET) !== 0) {
      const oldTarget = batch.targets.get(entry)!.oldTarget!;
      const { target } = existing;
      if (target === undefined) {
        const reason = `expected symref with target '${oldTarget}': but is a regular ref`;
        throw this.locked('expected symref but found regular ref', entry, reason);
      }
      if (target !== oldTarget) {
        const name = this.originalName(entry);
        const message = `verifying symref target: '${name}': is at ${target} but expected ${oldTarget}`;
        throw new Refusal('incorrect old value provided', message, name);
      }
      return;
    }
    if ((flags & LOG_ONLY) !== 0) return;
    const current = this.currentOid(entry);
    if ((flags & EXPECTS_NONE) !== 0) {
      if (current !== this.zero) throw this.locked(EXISTS, entry, EXISTS);
      // Creating through a dangling symref is fine, creating in its place is not.
      if ((flags & DEREF) === 0) throw this.locked(EXISTS, entry, 'dangling symref already exists');
    } else if ((flags & EXPECTS_OID) !== 0) {
      const expected = batch.oldOid(entry);
      if (current === expected) return;
      if (current === this.zero) {
        const reason = `reference is missing but expected ${expected}`;
        throw this.locked('reference does not exist', entry, reason);
      }
      const reason = `is at ${current} but expected ${expected}`;
      throw this.locked('incorrect old value provided', entry, reason);
    }
  }

  private currentOid(entry: number): string {
    return this.currentOids.get(entry) ?? this.zero;
  }

  /** The name that the caller gave. */
  private originalName(entry: number): string {
    let original = entry;
    for (let parent = this.parents.get(original); parent !== undefined; ) {
      original = parent;
      parent = this.parents.get(original);
    }
    return this.batch.name(original);
  }

  private locked(
    reason: RejectionReason,
    entry: number,
    why: string,
    code?: RefErrorCode,
  ): Refusal {
    const ref = this.originalName(entry);
    return new Refusal(reason, `cannot lock ref '${ref}': ${why}`, ref, { code });
  }
}
