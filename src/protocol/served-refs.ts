// The refs of a store as others are to see them: in a namespace, less those that are hidden.

import { RefError } from '../errors.ts';
import { type ObjectFormat, oidSize } from '../format/object-format.ts';
import type { RefStore } from '../refs/ref-store.ts';
import { HiddenRefs } from './hidden-refs.ts';
import { namespacePrefix } from './namespace.ts';
import type { RefLinesOptions } from './ref-lines.ts';

/** Whether clients that ask are told of an unborn branch, and whether they are told that they may ask. */
export type UnbornPolicy = 'advertise' | 'allow' | 'ignore';

export interface ServedRefsOptions {
  /** As `GIT_NAMESPACE` has it: `a/b` is the namespace b in a. Default: none. */
  namespace?: string | undefined;
  /** As `transfer.hideRefs` and `uploadpack.hideRefs` have it, in their order. Default: none. */
  hideRefs?: readonly string[] | undefined;
  /** `lsrefs.unborn`; default `advertise`. */
  unborn?: UnbornPolicy | undefined;
}

export interface ServedRefs {
  readonly store: RefStore;
  readonly objectFormat: ObjectFormat;
  /** What stands in front of the names, and is not shown. */
  readonly namespace: string;
  readonly unborn: UnbornPolicy;
  readonly lines: Pick<RefLinesOptions, 'oidLength' | 'objects' | 'hidden' | 'namespace'>;
}

/** Throws `BAD_NAME` for a namespace that cannot be, `INVALID_ARGUMENT`. */
export function servedRefs(store: RefStore, options: ServedRefsOptions = {}): ServedRefs {
  const { objectFormat, objects } = store;
  const { unborn = 'advertise', hideRefs = [] } = options;
  if (unborn !== 'advertise' && unborn !== 'allow' && unborn !== 'ignore') {
    const message = `unborn: expected 'advertise', 'allow' or 'ignore', found '${unborn}'`;
    throw new RefError('INVALID_ARGUMENT', message);
  }
  const namespace = namespacePrefix(options.namespace ?? '');
  const hidden = new HiddenRefs(hideRefs);
  const lines = { oidLength: oidSize(objectFormat), objects, hidden, namespace };
  return { store, objectFormat, namespace, unborn, lines };
}
