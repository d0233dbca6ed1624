// What names an object: mostly its id, so that the other ways are loaded when somebody takes one.

import { isOid } from '../../format/object-format.ts';
import type { RefStore } from '../../refs/ref-store.ts';
import { resolveRevision } from './revisions.ts';

/**
 * The object id, in lower-case hex, that a text names; `undefined` if it names none. Warns and ends the command where
 * Git does, and where what is named is one in a tree, or the index, or to be searched for in messages.
 */
export function resolveOid(store: RefStore, text: string): string | undefined {
  return isOid(text, store.objectFormat) ? text.toLowerCase() : resolveRevision(store, text);
}
