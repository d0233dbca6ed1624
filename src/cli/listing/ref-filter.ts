// Which refs `for-each-ref` lists: those that match a pattern, and none that is to be left out.

import { checkRefName, isSafeRefName } from '../../refs/ref-name.ts';
import type { Ref, RefReader } from '../../refs/ref-store.ts';
import { resolveIfPossible } from '../../refs/resolve.ts';
import { fromByteText, toByteText } from '../byte-text.ts';
import { die } from '../failure.ts';
import { warn } from '../output.ts';
import type { ListedRef } from '../ref-format/listed-ref.ts';
import { type NameTest, nameMatcher, patternPrefixes } from './wildmatch.ts';

/** What is asked for; names and patterns are byte text. */
export interface RefFilter {
  /** None: all refs. */
  readonly patterns: readonly string[];
  readonly exclude: readonly string[];
  readonly ignoreCase: boolean;
  /** Also `HEAD` and the other refs outside `refs/`. */
  readonly includeRoot: boolean;
  /** Only names behind this one, and behind those that it begins. */
  readonly startAfter: string | undefined;
}

/** A stretch of names that may be wanted. */
export interface RefRange {
  /** Text. */
  readonly prefix: string;
  /** Text. */
  readonly after: string | undefined;
}

/** The stretches in which all wanted refs are, in the order of their names. */
export function rangesOf({ patterns, ignoreCase, includeRoot, startAfter }: RefFilter): RefRange[] {
  // What begins with the name goes too: U+0001 is in no name.
  const after = startAfter === undefined ? undefined : `${fromByteText(startAfter)}\x01`;
  if (includeRoot) return [{ prefix: '', after }];
  if (ignoreCase || patterns.length === 0) return [{ prefix: 'refs/', after }];
  return patternPrefixes(patterns)
    .map((prefix) => longer('refs/', prefix))
    .filter((prefix) => prefix !== undefined)
    .map((prefix) => ({ prefix: fromByteText(prefix), after }));
}

/** The longer of two prefixes; `undefined` if no name begins with both. */
function longer(a: string, b: string): string | undefined {
  if (a.startsWith(b)) return a;
  return b.startsWith(a) ? b : undefined;
}

/** A test for names; `undefined` where all that `rangesOf` gives are wanted. */
export function nameFilter(filter: RefFilter): NameTest | undefined {
  const { patterns, exclude, ignoreCase } = filter;
  const isWanted = patterns.length === 0 ? undefined : nameMatcher(patterns, { ignoreCase });
  if (exclude.length === 0) return isWanted;
  const isExcluded = nameMatcher(exclude, { ignoreCase });
  return (name, start, end) =>
    (isWanted === undefined || isWanted(name, start, end)) && !isExcluded(name, start, end);
}

/** The refs in the order of their names. Warns, as Git does, of what is none. */
export function* filteredRefs(refs: RefReader, filter: RefFilter): IterableIterator<ListedRef> {
  const isWanted = nameFilter(filter);
  const { includeRoot } = filter;
  for (const { prefix, after } of rangesOf(filter)) {
    for (const ref of refs.refs({ prefix, after, includeRoot })) {
      const listed = listedRef(refs, ref);
      if (listed !== undefined && isWantedName(isWanted, listed.name)) yield listed;
    }
  }
}

/** Asks a test about a name that is byte text. */
export function isWantedName(test: NameTest | undefined, name: string): boolean {
  return test === undefined || test(Buffer.from(name, 'latin1'), 0, name.length);
}

/** The ref as it is listed; `undefined` where it leads nowhere or is broken, of which the latter is told. */
export function listedRef(refs: RefReader, ref: Ref): ListedRef | undefined {
  const name = toByteText(ref.name);
  const resolved = ref.target === undefined ? ref : resolveIfPossible(refs, ref.name);
  if (resolved === undefined) return undefined;
  if (checkRefName(ref.name, { allowOneLevel: true }) !== undefined) {
    if (!isSafeRefName(ref.name)) die(`refname is dangerous: ${ref.name}`);
    warn(`ignoring ref with broken name ${ref.name}`);
    return undefined;
  }
  if (/^0+$/.test(resolved.oid)) {
    warn(`ignoring broken ref ${ref.name}`);
    return undefined;
  }
  const symref = ref.target === undefined ? undefined : toByteText(resolved.name);
  return { name, oid: resolved.oid, peeled: resolved.peeled, symref };
}
