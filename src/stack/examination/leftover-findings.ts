// What an examination says of files that are neither the list, nor tables, nor locks.

import { lockOf, stackFileKind } from '../stack-files.ts';
import type { Finding } from './finding.ts';

const WRITES = new Set(['stack lock', 'table lock']);

/**
 * `names` are those in the folder, `locks` what was found of the locks there; `undefined` for a file of another
 * kind, and for one that somebody who is alive may be writing.
 */
export function leftoverFinding(
  path: string,
  name: string,
  names: readonly string[],
  locks: readonly Finding[],
  canBeCleaned: boolean,
): Finding | undefined {
  const found = { kind: 'leftover', severity: 'litter', file: path } as const;
  switch (stackFileKind(name)) {
    case 'temporary list':
    case 'temporary table':
    case 'temporary lock': {
      const writers = locks.filter(({ file }) => WRITES.has(stackFileKind(baseName(file))));
      if (writers.some(({ severity }) => severity === 'notice')) return undefined;
      const problem = 'A temporary file of a writer that did not come to its end.';
      const meaning = 'Nobody reads it.';
      const mayBeInUse = writers.some(({ mending }) => mending !== 'safe');
      if (mayBeInUse || !canBeCleaned) {
        const why = canBeCleaned
          ? 'as long as there is a lock whose owner may be writing it'
          : 'while refs may be lost: it may hold them';
        return { ...found, mending: 'none', problem, meaning, remedy: `It is kept ${why}.` };
      }
      const remedy = '--fix removes it; so does any cleaning.';
      return { ...found, mending: 'safe', problem, meaning, remedy };
    }
    case 'pid file':
      if (names.includes(lockOf(name))) return undefined;
      return {
        ...found,
        severity: 'notice',
        mending: 'none',
        problem: 'A note of Git which process holds a lock, and there is no such lock.',
        meaning: 'Nobody reads it.',
        remedy: 'Remove it by hand.',
      };
    case 'kept list':
      return {
        ...found,
        severity: 'notice',
        mending: 'none',
        problem: 'A damaged list that an earlier --fix has put aside.',
        meaning: 'Nobody reads it.',
        remedy: 'Remove it by hand when all refs are as they should be.',
      };
    case 'foreign':
      return {
        ...found,
        kind: 'foreign-file',
        severity: 'notice',
        mending: 'none',
        problem: 'Not a file of a reftable stack.',
        meaning: 'Neither Git nor reftable reads it.',
        remedy: 'It is left alone.',
      };
    default:
      return undefined;
  }
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
