// What a transaction means: updates in, records to write out, or the reason why not. Symrefs are
// followed, expectations checked, name conflicts found and reflog entries decided here and nowhere else,
// without I/O, over a read-only view; a backend only locks, and writes what the plan says.
//
// The order of the checks is Git's, so that of several reasons to refuse the same one is told.

import { RefError } from '../errors.ts';
import { type ObjectFormat, zeroOid } from '../format/object-format.ts';
import type { LogEntry, LogRecord, RefRecord } from '../format/records.ts';
import { compareText } from '../format/text.ts';
import type { ReflogPolicy } from '../reflog/policy.ts';
import { checkNameConflicts, NameSet } from './name-conflicts.ts';
import type { RefUpdate } from './ref-store.ts';
import type { RefView } from './ref-view.ts';
import { resolveRef } from './resolve.ts';
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

/** The records of a transaction, each kind in the order of a table. */
export interface Plan {
  refs: RefRecord[];
  logs: LogRecord[];
}

/**
 * The steps that updates ask for, in one shape: what can be refused without looking at any ref is refused
 * here, before a lock is taken. Throws `BAD_NAME`, `INVALID_ARGUMENT`, `NAME_CONFLICT` (duplicates).
 */
export function checkUpdates(updates: readonly RefUpdate[], objectFormat: ObjectFormat): Step[] {
  const zero = zeroOid(objectFormat);
  const steps = updates.map((update) => stepFor(update, objectFormat, zero));
  refuseDuplicates(sortedByName(steps));
  return steps;
}

/**
 * Plans a transaction; the steps are used up by it. Throws `EXPECTED_OLD_VALUE` and `NAME_CONFLICT`, in
 * Git's words.
 */
export function planTransaction(steps: Step[], context: PlanContext): Plan {
  return new Planner(steps, context).plan();
}

class Planner {
  private readonly steps: Step[];
  private readonly context: PlanContext;
  private readonly view: RefView;
  private readonly zero: string;
  /** What `HEAD` names; `undefined` if it names no ref. */
  private readonly headTarget: string | undefined;
  /** The names of the updates, sorted. */
  private readonly names: string[];
  /** Names that came in as what a symref among them stands for. */
  private readonly targets = new Set<string>();
  /** Names that do not exist and are not expected to: they must not be in each other's way. */
  private readonly absent: string[] = [];
  private readonly kept: Step[] = [];

  constructor(steps: Step[], context: PlanContext) {
    this.steps = steps;
    this.context = context;
    this.view = context.view;
    this.zero = zeroOid(context.objectFormat);
    const sorted = sortedByName(steps);
    this.names = sorted.map(({ ref }) => ref);
    this.headTarget = this.view.ref('HEAD')?.target;
    for (const step of sorted) step.existing = this.view.ref(step.ref);
  }

  plan(): Plan {
    // The list grows while it is walked: by what symrefs stand for, and by HEAD's log.
    for (let i = 0; i < this.steps.length; i++) this.prepare(this.steps[i]!);
    const names = this.targets.size === 0 ? this.names : this.allNames();
    checkNameConflicts(this.absent, new NameSet(names), new NameSet(names), this.view);
    return this.records(sortedByName(this.kept));
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
      this.absent.push(step.ref);
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
    this.targets.add(target);
    this.steps.push({
      ...step,
      ref: target,
      viaHead: step.viaHead || step.ref === 'HEAD',
      parent: step,
      existing: this.view.ref(target),
      currentOid: this.zero,
    });
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

  /** `steps` sorted by name. */
  private records(steps: readonly Step[]): Plan {
    const { updateIndex } = this.context;
    const refs: RefRecord[] = [];
    const logs: LogRecord[] = [];
    for (const step of steps) {
      if (!writes(step)) continue;
      const { ref: name, newTarget: target } = step;
      this.addLog(step, logs);
      if (step.logOnly) continue;
      const oid = target !== undefined || step.newOid === this.zero ? undefined : step.newOid;
      refs.push({ name, updateIndex, oid, peeled: undefined, target });
    }
    return { refs, logs };
  }

  private addLog(step: Step, logs: LogRecord[]): void {
    const { view, policy, createReflog, updateIndex, log } = this.context;
    const { ref: name } = step;
    if (deletes(step, this.zero) && step.existing?.target === undefined) {
      // A reflog goes with its ref.
      for (const record of view.log(name)) {
        logs.push({ name, updateIndex: record.updateIndex, entry: undefined });
      }
      return;
    }
    if (!createReflog && !policy(name, () => view.hasReflog(name))) return;
    const newOid = step.newTarget === undefined ? step.newOid : this.oidBehind(step.newTarget);
    // A symref to nothing has no object id to log.
    if (newOid === undefined) return;
    const entry = {
      oldOid: step.currentOid,
      newOid,
      committerName: log.committerName,
      email: log.email,
      time: log.time,
      timezone: log.timezone,
      message: log.message,
    };
    logs.push({ name, updateIndex, entry });
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
    return this.targets.has(name) || new NameSet(this.names).has(name);
  }

  private allNames(): string[] {
    return [...this.names, ...this.targets].sort(compareText);
  }
}

function refuseDuplicates(sorted: readonly Step[]): void {
  for (let i = 1; i < sorted.length; i++) {
    const { ref } = sorted[i]!;
    if (ref !== sorted[i - 1]!.ref) continue;
    throw new RefError('NAME_CONFLICT', `multiple updates for ref '${ref}' not allowed`, { ref });
  }
}

/** The steps in byte order of their names; they mostly come so. */
function sortedByName(steps: readonly Step[]): readonly Step[] {
  for (let i = 1; i < steps.length; i++) {
    if (compareText(steps[i - 1]!.ref, steps[i]!.ref) > 0) {
      return [...steps].sort((a, b) => compareText(a.ref, b.ref));
    }
  }
  return steps;
}

function locked(step: Step, reason: string): RefError {
  const message = `cannot lock ref '${originalName(step)}': ${reason}`;
  return new RefError('EXPECTED_OLD_VALUE', message, { ref: step.ref });
}
