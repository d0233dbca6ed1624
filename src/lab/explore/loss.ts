// What an exploration finds: a case in which something is lost.

export interface Loss {
  /** To look at it again: `append/3/17/42`. */
  readonly case: string;
  /** What led to it: `power failure`, say. */
  readonly cause: string;
  /** What was done, call by call. */
  readonly calls: readonly string[];
  /** What of it did not reach the disk. */
  readonly lost: readonly string[];
  /** What is wrong. */
  readonly fault: string;
}

/** The one that takes fewer calls to show; of equals, the one that loses less on the disk. */
export function simpler(a: Loss | undefined, b: Loss): Loss {
  if (a === undefined || b.calls.length < a.calls.length) return b;
  return b.calls.length === a.calls.length && b.lost.length < a.lost.length ? b : a;
}
