// Following symrefs.

import { RefError, type RefErrorCode } from '../errors.ts';
import type { RefRecord } from '../format/records.ts';
import type { DirectRef, RefReader } from './ref-store.ts';
import type { RefView } from './ref-view.ts';

/** A chain of so many symrefs is taken for a circle, as in Git. */
export const MAX_SYMREF_DEPTH = 5;

const BROKEN: ReadonlySet<RefErrorCode> = new Set(['SYMREF_DEPTH', 'CORRUPT_REF']);

/**
 * The ref at the end of the symrefs that begin at `name`; `undefined` if the last one names no ref.
 * Throws `SYMREF_DEPTH`.
 */
export function resolveRef<R extends { target?: string | undefined }>(
  name: string,
  read: (name: string) => R | undefined,
): R | undefined {
  let at = name;
  for (let depth = 0; depth < MAX_SYMREF_DEPTH; depth++) {
    const record = read(at);
    if (record?.target === undefined) return record;
    at = record.target;
  }
  const message = `'${name}': expected at most ${MAX_SYMREF_DEPTH - 1} symrefs in a row, found more`;
  throw new RefError('SYMREF_DEPTH', message, { ref: name });
}

/** The same over a view, where symrefs in a circle, or one whose file is damaged, are an answer too. */
export function tryResolve(name: string, view: RefView): RefRecord | undefined | 'broken' {
  try {
    return resolveRef(name, (at) => view.ref(at));
  } catch (error) {
    if (error instanceof RefError && BROKEN.has(error.code)) return 'broken';
    throw error;
  }
}

/** The name that a ref stands for; `undefined` where there is none, it is no symref, or its file is damaged. */
export function symrefTarget(name: string, view: RefView): string | undefined {
  try {
    return view.ref(name)?.target;
  } catch (error) {
    if (error instanceof RefError && error.code === 'CORRUPT_REF') return undefined;
    throw error;
  }
}

/** What the reader resolves the name to; `undefined` for symrefs that go in a circle, too. */
export function resolveIfPossible(
  refs: Pick<RefReader, 'resolve'>,
  name: string,
): DirectRef | undefined {
  try {
    return refs.resolve(name);
  } catch (error) {
    if (error instanceof RefError && error.code === 'SYMREF_DEPTH') return undefined;
    throw error;
  }
}
