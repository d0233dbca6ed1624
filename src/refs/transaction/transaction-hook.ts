// Git's `reference-transaction` hook, as far as a transaction knows of it: when it is asked, what it is told, and
// what its answer means. Who runs it is another's business.

import { RefError } from '../../errors.ts';
import { readHex, zeroOid } from '../../format/object-format.ts';
import { encodeText } from '../../format/text.ts';
import type { UpdateBatch } from './update-batch.ts';
import { EXPECTS_OID, EXPECTS_TARGET, LOG_ONLY, SETS_TARGET, WRITES } from './update-flags.ts';

/** Before the lock is taken, when all is checked, when it is written, and when it is not to be. */
export type HookState = 'preparing' | 'prepared' | 'committed' | 'aborted';

export interface TransactionHook {
  /** Whether there is one, as of now; asked once a transaction. */
  exists(): boolean;
  /** Runs it with a line a ref as its input; whether it ended well. Never throws for how it ended. */
  run(state: HookState, input: Uint8Array): Promise<boolean>;
}

/** The hook at work for one transaction. */
export class HookedTransaction {
  private readonly hook: TransactionHook;
  /** `undefined` for a transaction that tells nothing of what it does. */
  private readonly batch: UpdateBatch | undefined;

  constructor(hook: TransactionHook, batch: UpdateBatch | undefined) {
    this.hook = hook;
    this.batch = batch;
  }

  /** Asks whether to go on. Throws `HOOK_DECLINED` where it says no, after `undo` and telling it of that. */
  async ask(state: 'preparing' | 'prepared', undo?: () => Promise<void>): Promise<void> {
    if (await this.run(state)) return;
    await undo?.();
    await this.tell('aborted');
    const message = `in '${state}' phase, update aborted by the reference-transaction hook`;
    throw new RefError('HOOK_DECLINED', message);
  }

  /** Takes a lock with its consent, before and after. */
  async around<T extends { abort(): Promise<void> }>(lock: () => Promise<T>): Promise<T> {
    await this.ask('preparing');
    const held = await lock();
    await this.ask('prepared', () => held.abort());
    return held;
  }

  /** What it answers changes nothing any more. */
  async tell(state: 'committed' | 'aborted'): Promise<void> {
    await this.run(state);
  }

  private run(state: HookState): Promise<boolean> {
    // Made anew each time: planning follows symrefs, and the names change.
    return this.hook.run(state, hookInput(this.batch));
  }
}

/** `OLD SP NEW SP REF LF` for each ref, as the caller gave them: values that were not given are all zeros. */
function hookInput(batch: UpdateBatch | undefined): Uint8Array {
  if (batch === undefined) return new Uint8Array();
  const { oidLength, oldOids, newOids } = batch;
  const zero = zeroOid(batch.objectFormat);
  const lines: string[] = [];
  for (let entry = 0; entry < batch.count; entry++) {
    if (batch.has(entry, LOG_ONLY) || batch.refused.has(entry)) continue;
    const targets = batch.targets.get(entry);
    const at = entry * oidLength;
    const old = batch.has(entry, EXPECTS_TARGET)
      ? `ref:${targets!.oldTarget}`
      : batch.has(entry, EXPECTS_OID)
        ? readHex(oldOids, at, oidLength)
        : zero;
    const now = batch.has(entry, SETS_TARGET)
      ? `ref:${targets!.newTarget}`
      : batch.has(entry, WRITES)
        ? readHex(newOids, at, oidLength)
        : zero;
    lines.push(`${old} ${now} ${batch.name(entry)}\n`);
  }
  return encodeText(lines.join(''));
}
