// D/F conflicts: a ref name must not be a folder of another, neither among the refs there are nor within
// a transaction.

import { RefError } from '../errors.ts';
import type { NameOrder } from './name-order.ts';
import type { RefView } from './ref-view.ts';
import type { UpdateBatch } from './update-batch.ts';
import { CROWDED } from './update-flags.ts';

/**
 * Checks that each of the entries `absent` of `batch` can be created beside the refs in `view` and beside
 * what the same transaction touches. Throws `NAME_CONFLICT`, in Git's words.
 */
export function checkNameConflicts(
  absent: readonly number[],
  batch: UpdateBatch,
  touched: NameOrder,
  view: RefView,
): void {
  const checkedFolders = new Set<string>();
  for (const entry of absent) {
    const name = batch.name(entry);
    checkFolders(name, checkedFolders, touched, view);
    if (!batch.has(entry, CROWDED)) continue;
    const below = `${name}/`;
    const existing = view.firstFrom(below);
    if (existing?.startsWith(below)) throw exists(existing, name);
    const other = touched.firstWithPrefix(below);
    if (other !== undefined) throw together(name, other);
  }
}

/** The folders that a name is in, from the outermost. */
function checkFolders(name: string, checked: Set<string>, touched: NameOrder, view: RefView): void {
  for (let slash = name.indexOf('/'); slash >= 0; slash = name.indexOf('/', slash + 1)) {
    const folder = name.slice(0, slash);
    if (checked.has(folder)) continue;
    checked.add(folder);
    if (view.ref(folder) !== undefined) throw exists(folder, name);
    if (touched.has(folder)) throw together(name, folder);
  }
}

function exists(existing: string, name: string): RefError {
  const message = `'${existing}' exists; cannot create '${name}'`;
  return new RefError('NAME_CONFLICT', message, { ref: name });
}

function together(name: string, other: string): RefError {
  const message = `cannot process '${name}' and '${other}' at the same time`;
  return new RefError('NAME_CONFLICT', message, { ref: name });
}
