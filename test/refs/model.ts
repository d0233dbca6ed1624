// What a ref store is, told with Maps: the model that the property in model.test.ts holds a store against.
// Symrefs are not followed by updates here; what they do then is told by Git, in transactions.test.ts.

import { encodeText } from '../../src/format/text.ts';
import type { Ref, ReflogEntry, RefUpdate } from '../../src/index.ts';
import { ANN, oid } from './empty-repository.ts';

const ZERO = oid('0');

export const byBytes = (a: string, b: string) => Buffer.compare(encodeText(a), encodeText(b));

type Logs = ReadonlyMap<string, readonly ReflogEntry[]>;

/** Refs and their logs, newest first, as they stand after some transactions; never changed itself. */
export class Model {
  readonly refs: ReadonlyMap<string, Ref>;
  readonly logs: Logs;
  readonly updateIndex: number;

  constructor(refs: ReadonlyMap<string, Ref>, logs: Logs, updateIndex: number) {
    this.refs = refs;
    this.logs = logs;
    this.updateIndex = updateIndex;
  }

  /** What comes of a transaction; `undefined` if it is refused. */
  after(updates: readonly RefUpdate[], message: string): Model | undefined {
    const names = updates.map(({ ref }) => ref);
    if (new Set(names).size < names.length) return undefined;
    const existing = [...this.refs.keys()];
    for (const update of updates) {
      if (!this.meets(update)) return undefined;
      const { ref } = update;
      const isBeside = (other: string) =>
        !ref.startsWith(`${other}/`) && !other.startsWith(`${ref}/`);
      if (!this.refs.has(ref) && ![...existing, ...names].every(isBeside)) return undefined;
    }
    return this.written(updates, message);
  }

  /** A reflog's entries; one from nothing to nothing only tells that the reflog exists. */
  reflog(name: string): readonly ReflogEntry[] {
    const entries = this.logs.get(name) ?? [];
    return entries.filter(({ oldOid, newOid }) => oldOid !== ZERO || newOid !== ZERO);
  }

  resolve(name: string): Ref | undefined {
    let ref = this.refs.get(name);
    for (let depth = 0; ref?.target !== undefined; depth++) {
      if (depth === 4) return undefined;
      ref = this.refs.get(ref.target);
    }
    return ref;
  }

  private oid(name: string): string {
    return this.resolve(name)?.oid ?? ZERO;
  }

  /** Whether what an update expects is so. */
  private meets(update: RefUpdate): boolean {
    const ref = this.refs.get(update.ref);
    switch (update.type) {
      case 'create':
      case 'symref-create':
        return ref === undefined;
      case 'symref-delete':
        return update.oldTarget === undefined || ref?.target === update.oldTarget;
      case 'symref-verify':
        return ref?.target === update.oldTarget && (ref === undefined || ref.target !== undefined);
      case 'symref-update':
        return update.oldTarget === undefined || ref?.target === update.oldTarget;
      case 'verify':
        return update.oldOid === undefined
          ? ref === undefined
          : this.oid(update.ref) === update.oldOid;
      default:
        return update.oldOid === undefined || this.oid(update.ref) === update.oldOid;
    }
  }

  private written(updates: readonly RefUpdate[], message: string): Model {
    const updateIndex = this.updateIndex + 1;
    const refs = new Map(this.refs);
    const logs = new Map(this.logs);
    let isChanged = false;
    const log = (name: string, newOid: string) => {
      isChanged = true;
      const entry = { oldOid: this.oid(name), newOid, committer: ANN, message, updateIndex };
      logs.set(name, [entry, ...(logs.get(name) ?? [])]);
    };
    for (const update of updates) {
      const { ref: name } = update;
      if (update.type.endsWith('verify')) continue;
      const before = this.refs.get(name);
      const target = 'newTarget' in update ? update.newTarget : undefined;
      const newOid = 'newOid' in update ? update.newOid : ZERO;
      const isSame = target === undefined && before?.oid === newOid;
      // For HEAD, Git takes a branch that becomes a symref for one that comes to nothing.
      if (name === this.refs.get('HEAD')?.target) log('HEAD', newOid);
      if (isSame || (target === undefined && newOid === ZERO && before === undefined)) continue;
      isChanged = true;
      if (target !== undefined) refs.set(name, { name, target, updateIndex });
      else if (newOid === ZERO) refs.delete(name);
      else refs.set(name, { name, oid: newOid, updateIndex });
      const loggedOid = target === undefined ? newOid : this.resolve(target)?.oid;
      if (newOid === ZERO && target === undefined && before?.oid !== undefined) logs.delete(name);
      else if (loggedOid !== undefined && this.isLogged(name)) log(name, loggedOid);
    }
    return isChanged ? new Model(refs, logs, updateIndex) : this;
  }

  /** As where `core.logAllRefUpdates` is true. */
  private isLogged(name: string): boolean {
    return name === 'HEAD' || name.startsWith('refs/heads/') || this.logs.has(name);
  }
}
