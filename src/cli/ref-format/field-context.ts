// What fields ask beside the ref and its object.

import type { Distance } from '../history.ts';
import type { NamePresentation } from './name-presentation.ts';
import type { Tracking } from './tracking.ts';

export interface FieldContext {
  /** Whether colours are shown. */
  readonly usesColor: boolean;
  /** The shortest form of a name that stands for it alone, both byte text. */
  readonly shorten: NamePresentation;
  /** The ref that HEAD stands for, byte text; `undefined` where it is detached or unborn. */
  headName(): string | undefined;
  /** Where the branch of that full name is checked out, both byte text; empty if nowhere. */
  worktreePath(name: string): string;
  tracking(): Tracking;
  /** What a ref of that full name, a text, points at; `undefined` if there is none. */
  resolve(name: string): string | undefined;
  /** The commit that a name, byte text, stands for; `undefined` if there is none. */
  commitNamed(name: string): Promise<string | undefined>;
  /** How far two objects' histories have gone apart; `undefined` where one is no commit's. */
  distance(oid: string, base: string): Promise<Distance | undefined>;
  /** The first digits of an object id, as many as tell it from all others, but at least so many. */
  abbreviate(oid: string, digits: number | undefined): string;
}
