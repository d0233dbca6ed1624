// D/F conflicts: a ref name must not be a folder of another, neither among the refs there are nor within
// a transaction.

import { RefError } from '../errors.ts';
import type { RefView } from './ref-view.ts';
import { positionOf } from './sorted-steps.ts';
import type { Step } from './step.ts';

/**
 * Checks that each of the `absent` refs can be created beside the refs in `view` and beside what the same
 * transaction touches, which `touched` holds sorted. Throws `NAME_CONFLICT`, in Git's words.
 */
export function checkNameConflicts(
  absent: readonly Step[],
  touched: readonly Step[],
  view: RefView,
): void {
  const checkedFolders = new Set<string>();
  let lastFolder = '';
  for (const { ref, crowded } of absent) {
    // Names side by side are in the same folder: each folder is looked up once.
    const slash = ref.lastIndexOf('/');
    if (slash !== lastFolder.length || !ref.startsWith(lastFolder)) {
      lastFolder = ref.slice(0, Math.max(slash, 0));
      checkFolders(ref, checkedFolders, touched, view);
    }
    if (!crowded) continue;
    const below = `${ref}/`;
    const existing = view.firstFrom(below);
    if (existing?.startsWith(below)) throw exists(existing, ref);
    const other = touched[positionOf(touched, below)]?.ref;
    if (other?.startsWith(below)) throw together(ref, other);
  }
}

/** The folders that a name is in, from the outermost. */
function checkFolders(
  name: string,
  checked: Set<string>,
  touched: readonly Step[],
  view: RefView,
): void {
  for (let slash = name.indexOf('/'); slash >= 0; slash = name.indexOf('/', slash + 1)) {
    const folder = name.slice(0, slash);
    if (checked.has(folder)) continue;
    checked.add(folder);
    if (view.ref(folder) !== undefined) throw exists(folder, name);
    if (touched[positionOf(touched, folder)]?.ref === folder) throw together(name, folder);
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
