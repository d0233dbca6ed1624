// The fields that the history behind a ref tells: how far it is ahead of a commit, or of what it follows.

import { die } from '../failure.ts';
import type { Distance } from '../history.ts';
import type { FieldContext } from './field-context.ts';
import type { ListedRef } from './listed-ref.ts';
import { trackingField } from './tracking-fields.ts';

export interface HistoryField {
  /** Walks through the history for what `text` says then. */
  readonly prepare?: ((ref: ListedRef) => Promise<void>) | undefined;
  text(ref: ListedRef): string;
}

/** `undefined` for any other name; dies in Git's words for arguments that are none. */
export function historyField(
  name: string,
  star: string,
  argument: string | undefined,
  context: FieldContext,
): HistoryField | undefined {
  if (name === 'upstream' || name === 'push') return trackingField(name, star, argument, context);
  if (name !== 'ahead-behind') return undefined;
  if (argument === undefined) die('expected format: %(ahead-behind:<committish>)');
  const base = context.commitNamed(argument);
  const distances = new Map<ListedRef, Distance | undefined>();
  return {
    async prepare(ref) {
      const commit = (await base) ?? die(`failed to find '${argument}'`);
      distances.set(ref, await context.distance(ref.oid, commit));
    },
    text(ref) {
      const distance = distances.get(ref);
      distances.delete(ref);
      return distance === undefined ? '' : `${distance.ahead} ${distance.behind}`;
    },
  };
}
