// A ref as it is listed, with the object that it points at where a format asks for that.

import type { ObjectFacts } from './object-facts.ts';

export interface ListedRef {
  /** Byte text. */
  readonly name: string;
  /** What the ref, or the one at the end of its symrefs, points at; hex. */
  readonly oid: string;
  /** What that comes down to where the store knows it for an annotated tag; hex. */
  readonly peeled: string | undefined;
  /** The name at the end of the symrefs, byte text; `undefined` where the ref is none. */
  readonly symref: string | undefined;
  /** The object, for as long as it is asked about. */
  object?: ObjectFacts | undefined;
  /** What it comes down to, where it is an annotated tag. */
  peeledObject?: ObjectFacts | undefined;
  /** Why one of these cannot be had: a message to die with. */
  trouble?: string | undefined;
}
