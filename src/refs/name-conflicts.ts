// D/F conflicts: a ref name must not be a folder of another, neither among the refs there are nor within
// a transaction.

import { RefError } from '../errors.ts';
import { compareText } from '../format/text.ts';
import type { RefView } from './ref-view.ts';

/** The names that a transaction touches, sorted. */
export class NameSet {
  private readonly sorted: readonly string[];
  /** Where the last search ended; the next one, for a greater name as a rule, begins there. */
  private position = 0;

  /** `sorted` ascends in byte order. */
  constructor(sorted: readonly string[]) {
    this.sorted = sorted;
  }

  has(name: string): boolean {
    return this.atLeast(name) === name;
  }

  firstWithPrefix(prefix: string): string | undefined {
    const name = this.atLeast(prefix);
    return name?.startsWith(prefix) ? name : undefined;
  }

  /** The first name that is at least `name`. */
  private atLeast(name: string): string | undefined {
    const { sorted } = this;
    let low = this.position;
    let high = sorted.length;
    if (low > 0 && compareText(sorted[low - 1]!, name) >= 0) low = 0;
    // Galloping: the answer is near where the last one was.
    for (let step = 1; low + step < high; step *= 2) {
      if (compareText(sorted[low + step]!, name) >= 0) {
        high = low + step + 1;
        break;
      }
    }
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareText(sorted[middle]!, name) < 0) low = middle + 1;
      else high = middle;
    }
    this.position = low;
    return sorted[low];
  }
}

/**
 * Checks that each of `names`, none of which exists, can be created beside the refs in `view` and beside
 * the names that the same transaction touches. Throws `NAME_CONFLICT`, in Git's words.
 */
export function checkNameConflicts(
  names: readonly string[],
  touched: NameSet,
  touchedBelow: NameSet,
  view: RefView,
): void {
  const checkedFolders = new Set<string>();
  for (const name of names) {
    checkFolders(name, checkedFolders, touched, view);
    const below = `${name}/`;
    const existing = view.firstWithPrefix(below);
    if (existing !== undefined) throw exists(existing, name);
    const other = touchedBelow.firstWithPrefix(below);
    if (other !== undefined) throw together(name, other);
  }
}

/** The folders that a name is in, from the outermost; each is looked up once a transaction. */
function checkFolders(name: string, checked: Set<string>, touched: NameSet, view: RefView): void {
  // Names side by side are in the same folder, the last one checked.
  const last = name.lastIndexOf('/');
  if (last < 0 || checked.has(name.slice(0, last))) return;
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
