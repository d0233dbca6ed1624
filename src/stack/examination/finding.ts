// What an examination finds: where, what is wrong, what that means, and what can be done.

/** Where something is wrong, for a program to branch on. */
export type FindingKind =
  /** A lock file, or the right to break one. */
  | 'lock'
  | 'list'
  | 'missing-table'
  | 'damaged-table'
  /** A table that is there and not in the list. */
  | 'unlisted-table'
  /** Update indexes of neighbours that do not follow each other. */
  | 'update-indexes'
  /** What a writer left behind that died. */
  | 'leftover'
  /** A file that is not a stack's. */
  | 'foreign-file'
  /** A file that marks the folder as a repository. */
  | 'stub';

/**
 * `damage`: refs or reflogs are lost, cannot be read or may be wrong. `obstacle`: something is in somebody's
 * way. `litter`: something takes up room. `notice`: nothing is wrong.
 */
export type Severity = 'damage' | 'obstacle' | 'litter' | 'notice';

/** Who may mend it: `--fix`, only `--force-unlock`, or neither. */
export type Mending = 'safe' | 'forced' | 'none';

export interface Finding {
  kind: FindingKind;
  severity: Severity;
  mending: Mending;
  /** The file's path. */
  file: string;
  /** A sentence each. */
  problem: string;
  meaning: string;
  remedy: string;
  /** Of what may be gone in a moment: what tells it from another file of that name. */
  identity?: string | undefined;
}

export function isDamage({ severity }: Finding): boolean {
  return severity === 'damage';
}

/** Whether something is wrong. */
export function isProblem({ severity }: Finding): boolean {
  return severity !== 'notice';
}

/** `1 table`, `2 tables`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `update index 6`, `update indexes 1 to 5`. */
export function updateIndexes(min: number, max: number): string {
  return min === max ? `update index ${min}` : `update indexes ${min} to ${max}`;
}
