// What a file in the folder of a stack is, as its name tells.

import { isTableName } from './tables-list.ts';

export type StackFileKind =
  | 'list'
  | 'table'
  | 'stack lock'
  | 'table lock'
  /** The right to break a lock whose owner is dead. */
  | 'break file'
  /** Which process holds a lock of Git's. */
  | 'pid file'
  | 'temporary list'
  | 'temporary table'
  | 'temporary lock'
  /** A damaged list that a repair has put aside. */
  | 'kept list'
  | 'foreign';

const PATTERNS: readonly (readonly [RegExp, StackFileKind])[] = [
  [/^tables\.list$/, 'list'],
  [/^tables\.list\.lock$/, 'stack lock'],
  [/\.ref\.lock$/, 'table lock'],
  [/\.lock\.[0-9a-f]{32}\.break$/, 'break file'],
  [/^(tables\.list|.*\.ref)~pid\.lock$/, 'pid file'],
  [/^tables\.list\.temp\.\w{6}$/, 'temporary list'],
  [/^0x[0-9a-f]{12,16}-0x[0-9a-f]{12,16}-[0-9a-f]{8}(\.ref)?\.temp\.\w{6}$/, 'temporary table'],
  [/\.lock(\.[0-9a-f]{32}\.break)?\.temp\.\w{6}$/, 'temporary lock'],
  [/^tables\.list\.damaged\.\d+$/, 'kept list'],
];

export function stackFileKind(name: string): StackFileKind {
  if (isTableName(name)) return 'table';
  return PATTERNS.find(([pattern]) => pattern.test(name))?.[1] ?? 'foreign';
}

/** The name under which a damaged list is kept. */
export function keptListName(number: number): string {
  return `tables.list.damaged.${number}`;
}

/** The lock that a break file or a pid file belongs to. */
export function lockOf(name: string): string {
  return name.replace(/\.[0-9a-f]{32}\.break$/, '').replace(/~pid\.lock$/, '.lock');
}

/** The path of the note in which Git says which process holds a lock. */
export function pidFileOf(lock: string): string {
  return lock.replace(/\.lock$/, '~pid.lock');
}

/** The update indexes that the name of a table tells, where it has the form that Git gives it. */
export function updateIndexesInName(name: string): { min: number; max: number } | undefined {
  const match = /^0x([0-9a-f]{12,16})-0x([0-9a-f]{12,16})-[0-9a-f]{8}\.ref$/.exec(name);
  if (match === null) return undefined;
  return { min: Number.parseInt(match[1]!, 16), max: Number.parseInt(match[2]!, 16) };
}
