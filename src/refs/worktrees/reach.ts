// Which stacks a transaction writes to: those of the names in it, and those that symrefs and HEAD's log lead to.

import { RefError } from '../../errors.ts';
import type { Stack } from '../../stack/stack.ts';
import type { NameOrder } from '../transaction/name-order.ts';
import type { UpdateBatch } from '../transaction/update-batch.ts';
import { DEREF } from '../transaction/update-flags.ts';
import type { WorktreeStacks } from './worktree-stacks.ts';

const LETTER_M = 0x6d;
const LETTER_R = 0x72;
const LETTER_W = 0x77;
/** What the refs below `refs/` that a worktree has for itself begin with, behind that: bisect, rewritten, worktree. */
const OWN_INITIALS = new Set([0x62, LETTER_R, LETTER_W]);

export interface Reach {
  readonly stacks: ReadonlySet<Stack>;
  /** The stacks of refs that are asked for by long names, with what these begin with. */
  readonly prefixes: ReadonlyMap<string, Stack>;
}

/**
 * The stacks of the names in a batch, and that of HEAD's log if it will be written, as far as is known without a
 * lock. Throws `BAD_NAME`, `NAME_CONFLICT` where two names are the same ref, and `IO` for another worktree that is
 * not there; and what reading HEAD throws.
 */
export function reachOf(batch: UpdateBatch, order: NameOrder, stacks: WorktreeStacks): Reach {
  const found = new ReachFinder(stacks);
  for (let i = 0; i < batch.count; i++) {
    if (found.isOrdinary(batch, i)) continue;
    found.add(batch.name(i));
  }
  if (found.prefixes.size > 0) refuseSameRefs(batch, stacks);
  if (stacks.isLinked) addHead(batch, order, found, stacks);
  return found.reach;
}

/** What a reach grows to by the names that planning has added to a batch; the same one if it does not grow. */
export function withAdded(
  reach: Reach,
  batch: UpdateBatch,
  from: number,
  stacks: WorktreeStacks,
): Reach {
  const found = new ReachFinder(stacks, reach);
  for (let i = from; i < batch.count; i++) found.add(batch.name(i));
  return contains(reach, found.reach) ? reach : found.reach;
}

export function contains(outer: Reach, inner: Reach): boolean {
  const { stacks, prefixes } = outer;
  return (
    [...inner.stacks].every((stack) => stacks.has(stack)) &&
    [...inner.prefixes.keys()].every((prefix) => prefixes.has(prefix))
  );
}

class ReachFinder {
  readonly reach: Reach;
  readonly stacks: Set<Stack>;
  readonly prefixes: Map<string, Stack>;
  readonly #all: WorktreeStacks;

  constructor(all: WorktreeStacks, before?: Reach) {
    this.#all = all;
    this.stacks = new Set(before?.stacks);
    this.prefixes = new Map(before?.prefixes);
    this.reach = { stacks: this.stacks, prefixes: this.prefixes };
  }

  /** Whether entry `i` is in the shared stack, which is added then, as its first bytes tell of nearly all. */
  isOrdinary({ names, nameStarts }: UpdateBatch, i: number): boolean {
    const start = nameStarts[i]!;
    const first = names[start]!;
    const { shared, isLinked } = this.#all;
    const isOrdinary = isLinked
      ? first === LETTER_R && !OWN_INITIALS.has(names[start + 'refs/'.length]!)
      : first !== LETTER_M && first !== LETTER_W;
    if (isOrdinary) this.stacks.add(shared);
    return isOrdinary;
  }

  add(name: string): void {
    const { stack, name: there } = this.#all.locate(name);
    if (there === '') {
      const message = `refusing to update ref with bad name '${name}'`;
      throw new RefError('BAD_NAME', message, { ref: name });
    }
    if (stack === undefined) {
      const message = 'reftable: transaction prepare: I/O error';
      throw new RefError('IO', message, { ref: name });
    }
    this.stacks.add(stack);
    if (there !== name) this.prefixes.set(name.slice(0, -there.length), stack);
  }
}

/** The reflog of HEAD is in another stack than the branch. */
function addHead(
  batch: UpdateBatch,
  order: NameOrder,
  found: ReachFinder,
  stacks: WorktreeStacks,
): void {
  const target = stacks.own.current().merged.readRef('HEAD')?.target;
  if (target === undefined) return;
  const head = order.find('HEAD');
  if (order.has(target)) found.add('HEAD');
  else if (head >= 0 && batch.has(head, DEREF)) found.add(target);
}

/** A ref may be named in two ways, of which only one is known to be updated twice. */
function refuseSameRefs(batch: UpdateBatch, stacks: WorktreeStacks): void {
  const seen = new Map<Stack, Set<string>>();
  for (let i = 0; i < batch.count; i++) {
    const name = batch.name(i);
    const { stack, name: there } = stacks.locate(name);
    if (stack === undefined) continue;
    const names = seen.get(stack) ?? new Set();
    seen.set(stack, names);
    if (names.has(there)) {
      const message = `multiple updates for ref '${name}' not allowed`;
      throw new RefError('NAME_CONFLICT', message, { ref: name });
    }
    names.add(there);
  }
}
