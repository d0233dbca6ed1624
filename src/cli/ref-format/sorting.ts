// The order in which refs are listed: keys of the caller's, the most important first, and by name where
// these decide nothing.

import { compareByteText, toLowerAscii } from '../byte-text.ts';
import type { FieldContext } from './field-context.ts';
import { type Field, parseField } from './fields.ts';
import type { ListedRef } from './listed-ref.ts';
import { compareVersions } from './version-order.ts';

/** One key: a field, and how its values are ordered. */
interface SortKey {
  readonly field: Field;
  readonly descending: boolean;
  /** Whether texts are ordered as versions. */
  readonly asVersions: boolean;
}

export interface Sorting {
  readonly keys: readonly SortKey[];
  readonly ignoreCase: boolean;
  /** `versionsort.suffix`, byte text. */
  readonly suffixes: readonly string[];
}

type Value = string | number;

/** Reads the keys, the last of which is the most important, as `--sort` gives them. Dies as `parseField`. */
export function parseSortKeys(texts: readonly string[], context: FieldContext): SortKey[] {
  return texts
    .map((text) => {
      const descending = text.startsWith('-');
      const given = descending ? text.slice(1) : text;
      const spec = given.replace(/^(?:version|v):/, '');
      return { field: parseField(spec, context), descending, asVersions: spec !== given };
    })
    .reverse();
}

/** Whether the order is that of the names, in which refs are read anyway, or its reverse. */
export function nameOrder({ keys, ignoreCase }: Sorting): 'ascending' | 'descending' | undefined {
  // No two refs have one name: further keys decide nothing.
  const [key] = keys;
  if (key === undefined) return 'ascending';
  if (key.field.spec !== 'refname' || key.asVersions || ignoreCase) return undefined;
  return key.descending ? 'descending' : 'ascending';
}

/** What a ref is sorted by. */
export function sortValues({ keys }: Sorting, ref: ListedRef): Value[] {
  return keys.map(({ field, asVersions }) =>
    field.number === undefined || asVersions ? field.text(ref) : field.number(ref),
  );
}

/** Puts refs in order; `values` are those of `sortValues`, key by key. */
export function sortRefs(
  refs: readonly ListedRef[],
  values: readonly (readonly Value[])[],
  { keys, ignoreCase, suffixes }: Sorting,
): ListedRef[] {
  const fold = ignoreCase ? toLowerAscii : (text: string) => text;
  const comparers = keys.map(({ descending, asVersions }) => {
    const compare = (a: Value, b: Value): number => {
      if (typeof a === 'number' && typeof b === 'number') return a - b;
      if (asVersions) return compareVersions(String(a), String(b), suffixes);
      return compareByteText(fold(String(a)), fold(String(b)));
    };
    return descending ? (a: Value, b: Value) => -compare(a, b) : compare;
  });
  const order = refs.map((_, i) => i);
  order.sort((a, b) => {
    for (let k = 0; k < comparers.length; k++) {
      const result = comparers[k]!(values[k]![a]!, values[k]![b]!);
      if (result !== 0) return result;
    }
    return compareByteText(fold(refs[a]!.name), fold(refs[b]!.name));
  });
  return order.map((i) => refs[i]!);
}
