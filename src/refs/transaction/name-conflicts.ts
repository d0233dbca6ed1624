// D/F conflicts: a ref name must not be a folder of another, neither among the refs there are nor within
// a transaction.

import type { RefView } from '../ref-view.ts';
import type { NameOrder } from './name-order.ts';
import { Refusal } from './refusal.ts';
import type { UpdateBatch } from './update-batch.ts';
import { CROWDED } from './update-flags.ts';

/**
 * Checks that each of the entries `absent` of `batch` can be created beside the refs in `view` and beside
 * what the same transaction touches. `refuse` is told of those that cannot; it may throw, or take the name
 * from what is touched.
 */
export function checkNameConflicts(
  absent: readonly number[],
  batch: UpdateBatch,
  touched: NameOrder,
  view: RefView,
  refuse: (entry: number, refusal: Refusal) => void,
): void {
  const freeFolders = new Set<string>();
  for (const entry of absent) {
    const name = batch.name(entry);
    const refusal =
      conflictAbove(name, freeFolders, touched, view) ??
      (batch.has(entry, CROWDED) ? conflictBelow(name, touched, view) : undefined);
    if (refusal !== undefined) refuse(entry, refusal);
  }
}

/** The conflict of one name with the refs in `view`, or with what is touched with it. */
export function nameConflict(name: string, touched: NameOrder, view: RefView): Refusal | undefined {
  return conflictAbove(name, new Set(), touched, view) ?? conflictBelow(name, touched, view);
}

/** Looks at the folders that a name is in, from the outermost. */
function conflictAbove(
  name: string,
  free: Set<string>,
  touched: NameOrder,
  view: RefView,
): Refusal | undefined {
  for (let slash = name.indexOf('/'); slash >= 0; slash = name.indexOf('/', slash + 1)) {
    const folder = name.slice(0, slash);
    if (free.has(folder)) continue;
    if (view.ref(folder) !== undefined) return exists(folder, name);
    if (touched.has(folder)) return together(name, folder);
    free.add(folder);
  }
  return undefined;
}

function conflictBelow(name: string, touched: NameOrder, view: RefView): Refusal | undefined {
  const below = `${name}/`;
  const existing = view.firstFrom(below);
  if (existing?.startsWith(below)) return exists(existing, name);
  const other = touched.firstWithPrefix(below);
  return other === undefined ? undefined : together(name, other);
}

function exists(existing: string, name: string): Refusal {
  return new Refusal('refname conflict', `'${existing}' exists; cannot create '${name}'`, name);
}

function together(name: string, other: string): Refusal {
  const message = `cannot process '${name}' and '${other}' at the same time`;
  return new Refusal('refname conflict', message, name);
}
