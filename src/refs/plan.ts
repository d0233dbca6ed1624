// What a transaction means: updates in, records to write out, or the reason why not. Symrefs are
// followed, expectations checked, name conflicts found and reflog entries decided here and nowhere else,
// without I/O, over a read-only view; a backend only locks, and writes what the plan says.
//
// The order of the checks is Git's, so that of several reasons to refuse the same one is told.

import { RefError } from '../errors.ts';
import { type ObjectFormat, zeroOid } from '../format/object-format.ts';
import type { LogEntry, LogRecord, RefRecord } from '../format/records.ts';
import type { ReflogPolicy } from '../reflog/policy.ts';
import { checkNameConflicts } from './name-conflicts.ts';
import type { RefUpdate } from './ref-store.ts';
import type { RefView } from './ref-view.ts';
import { resolveRef } from './resolve.ts';
import { lookUpExisting, positionOf, sortedByName } from './sorted-steps.ts';
import { deletes, originalName, type Step, stepFor, writes } from './step.ts';

export interface PlanContext {
  view: RefView;
  objectFormat: ObjectFormat;
  policy: ReflogPolicy;
  /** The update index that every record gets. */
  updateIndex: number;
  /** Who and when, and the message with its final newline, for the log entries. */
  log: Pick<LogEntry, 'committerName' | 'email' | 'time' | 'timezone' | 'message'>;
  /** Log where the policy would not. */
  createReflog: boolean;
}

/** The records of a transaction, each kind in the order of a table; made as they are asked for. */
export interface Plan {
  refs: Iterable<RefRecord>;
  logs: Iterable<LogRecord>;
}

/** The steps of a transaction, checked as far as that is possible without looking at any ref. */
export interface CheckedUpdates {
  /** In the order of the updates. */
  steps: Step[];
  /** In byte order of the names. */
  sorted: readonly Step[];
}

/**
 * Brings updates into one shape and refuses, before any lock is taken, what can be refused then.
 * Throws `BAD_NAME`, `INVALID_ARGUMENT`, `NAME_CONFLICT` (duplicates).
 */
export function checkUpdates(
  updates: readonly RefUpdate[],
  objectFormat: ObjectFormat,
): CheckedUpdates {
  const zero = zeroOid(objectFormat);
  const steps = updates.map((update) => stepFor(update, objectFormat, zero));
  const sorted = sortedByName(steps);
  for (let i = 1; i < sorted.length; i++) {
    const { ref } = sorted[i]!;
    if (ref !== sorted[i - 1]!.ref) continue;
    throw new RefError('NAME_CONFLICT', `multiple updates for ref '${ref}' not allowed`, { ref });
  }
  return { steps, sorted };
}

/**
 * Plans a transaction, which uses the steps up; `undefined` if there is nothing to write.
 * Throws `EXPECTED_OLD_VALUE` and `NAME_CONFLICT`, in Git's words.
 */
export function planTransaction(updates: CheckedUpdates, context: PlanContext): Plan | undefined {
  return new Planner(updates, context).plan();
}

class Planner {
  private readonly steps: Step[];
  private readonly context: PlanContext;
  private readonly view: RefView;
  private readonly zero: string;
  /** What `HEAD` names; `undefined` if it names no ref. */
  private readonly headTarget: string | undefined;
  /** What the transaction touches, sorted. */
  private touched: readonly Step[];
  /** Names that do not exist and are not expected to: they must not be in each other's way. */
  private readonly absent: Step[] = [];
  private readonly kept: Step[] = [];

  constructor({ steps, sorted }: CheckedUpdates, context: PlanContext) {
    this.steps = steps;
    this.touched = sorted;
    this.context = context;
    this.view = context.view;
    this.zero = zeroOid(context.objectFormat);
    this.headTarget = this.view.ref('HEAD')?.target;
    lookUpExisting(sorted, this.view);
  }

  plan(): Plan | undefined {
    // The list grows while it is walked: by what symrefs stand for, and by HEAD's log.
    for (let i = 0; i < this.steps.length; i++) this.prepare(this.steps[i]!);
    checkNameConflicts(this.absent, this.touched, this.view);
    const kept = sortedByName(this.kept.filter(writes));
    return kept.length === 0 ? undefined : { refs: this.refs(kept), logs: this.logs(kept) };
  }

  /** Checks one step and decides whether it is kept, as Git's `prepare_single_update`. */
  private prepare(step: Step): void {
    if (step.ref === this.headTarget && !step.logOnly && !step.viaHead) this.addHeadLog(step);

    const { existing } = step;
    if (existing === undefined) {
      const mustExist = step.oldTarget !== undefined || (step.oldOid ?? this.zero) !== this.zero;
      if (mustExist && !step.logOnly) {
        throw locked(step, `unable to resolve reference '${step.ref}'`);
      }
      this.absent.push(step);
      if (writes(step) && !deletes(step, this.zero)) this.kept.push(step);
      return;
    }
    if (existing.target !== undefined) this.prepareSymref(step, existing.target);
    else step.currentOid = existing.oid!;

    this.checkExpectation(step);

    // An update to the value that is there already writes nothing, not even to the log.
    const changes =
      step.newTarget !== undefined || (step.newOid ?? step.currentOid) !== step.currentOid;
    if (existing.target !== undefined || step.logOnly || changes) this.kept.push(step);
  }

  /** The update of a symref goes on to the ref that it names, and leaves an entry in its own log. */
  private prepareSymref(step: Step, target: string): void {
    const resolved = this.tryResolve(step.ref);
    step.currentOid = (resolved === 'circular' ? undefined : resolved?.oid) ?? this.zero;
    if (!step.deref) {
      if (resolved === 'circular' && (step.oldOid ?? step.oldTarget) !== undefined) {
        throw locked(step, 'error reading reference');
      }
      return;
    }
    if (this.isTouched(target)) {
      const message = `multiple updates for '${target}' (including one via symref '${step.ref}') are not allowed`;
      throw new RefError('NAME_CONFLICT', message, { ref: step.ref });
    }
    const targetStep: Step = {
      ...step,
      ref: target,
      viaHead: step.viaHead || step.ref === 'HEAD',
      parent: step,
      existing: this.view.ref(target),
      crowded: true,
      currentOid: this.zero,
    };
    this.steps.push(targetStep);
    this.touched = sortedByName([...this.touched, targetStep]);
    // It may lie below any of the names.
    for (const other of this.touched) other.crowded = true;
    step.logOnly = true;
    step.deref = false;
  }

  /** An update of the branch that `HEAD` names is logged for `HEAD` too. */
  private addHeadLog(step: Step): void {
    if (this.isTouched('HEAD')) {
      const message = `multiple updates for 'HEAD' (including one via its referent '${step.ref}') are not allowed`;
      throw new RefError('NAME_CONFLICT', message, { ref: step.ref });
    }
    this.steps.push({
      ...step,
      ref: 'HEAD',
      newOid: step.newOid ?? (step.newTarget === undefined ? undefined : this.zero),
      newTarget: undefined,
      oldTarget: undefined,
      logOnly: true,
      deref: false,
      existing: this.view.ref('HEAD'),
      crowded: true,
    });
  }

  private checkExpectation(step: Step): void {
    const { existing, oldTarget, oldOid, currentOid } = step;
    if (oldTarget !== undefined) {
      const target = existing!.target;
      if (target === undefined) {
        throw locked(step, `expected symref with target '${oldTarget}': but is a regular ref`);
      }
      if (target !== oldTarget) {
        const message = `verifying symref target: '${originalName(step)}': is at ${target} but expected ${oldTarget}`;
        throw new RefError('EXPECTED_OLD_VALUE', message, { ref: step.ref });
      }
      return;
    }
    if (step.logOnly || oldOid === undefined) return;
    if (oldOid === currentOid) {
      // Creating through a dangling symref is fine, creating in its place is not.
      if (!step.deref && existing!.target !== undefined && oldOid === this.zero) {
        throw locked(step, 'dangling symref already exists');
      }
      return;
    }
    if (oldOid === this.zero) throw locked(step, 'reference already exists');
    if (currentOid === this.zero) throw locked(step, `reference is missing but expected ${oldOid}`);
    throw locked(step, `is at ${currentOid} but expected ${oldOid}`);
  }

  private *refs(sorted: readonly Step[]): IterableIterator<RefRecord> {
    const { updateIndex } = this.context;
    for (const { ref: name, logOnly, newOid, newTarget: target } of sorted) {
      if (logOnly) continue;
      const oid = target !== undefined || newOid === this.zero ? undefined : newOid;
      yield { name, updateIndex, oid, peeled: undefined, target };
    }
  }

  private *logs(sorted: readonly Step[]): IterableIterator<LogRecord> {
    const { view, policy, createReflog, updateIndex, log } = this.context;
    for (const step of sorted) {
      const { ref: name } = step;
      if (deletes(step, this.zero) && step.existing?.target === undefined) {
        // A reflog goes with its ref.
        for (const record of view.log(name)) {
          yield { name, updateIndex: record.updateIndex, entry: undefined };
        }
      } else if (createReflog || policy(name, () => view.hasReflog(name))) {
        const newOid = step.newTarget === undefined ? step.newOid : this.oidBehind(step.newTarget);
        // A symref to nothing has no object id to log.
        if (newOid === undefined) continue;
        const entry = {
          oldOid: step.currentOid,
          newOid,
          committerName: log.committerName,
          email: log.email,
          time: log.time,
          timezone: log.timezone,
          message: log.message,
        };
        yield { name, updateIndex, entry };
      }
    }
  }

  private oidBehind(target: string): string | undefined {
    const resolved = this.tryResolve(target);
    return resolved === 'circular' ? undefined : resolved?.oid;
  }

  private tryResolve(name: string): RefRecord | undefined | 'circular' {
    try {
      return resolveRef(name, (at) => this.view.ref(at));
    } catch (error) {
      if (error instanceof RefError && error.code === 'SYMREF_DEPTH') return 'circular';
      throw error;
    }
  }

  private isTouched(name: string): boolean {
    return this.touched[positionOf(this.touched, name)]?.ref === name;
  }
}

function locked(step: Step, reason: string): RefError {
  const message = `cannot lock ref '${originalName(step)}': ${reason}`;
  return new RefError('EXPECTED_OLD_VALUE', message, { ref: step.ref });
}
