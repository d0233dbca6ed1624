// `tables.list` as an examination reads it: what is wrong with it, and whether it can be told anew.

import { RefError } from '../../errors.ts';
import type { FileSystem } from '../../storage/file-system.ts';
import { ioError } from '../../storage/io-error.ts';
import { openFileSource } from '../file-source.ts';
import { isTableName, MAX_LIST_SIZE, parseTablesList } from '../tables-list.ts';
import type { Finding } from './finding.ts';
import { planList, type TableInFolder } from './list-rebuilding.ts';

export interface ListReading {
  state: 'good' | 'missing' | 'damaged' | 'unreadable';
  /** Of a damaged list: those that are still told, each once. */
  names: readonly string[];
  problem?: string;
}

/** Reads the list of the stack in a folder. */
export function readListFile(fs: FileSystem, directory: string): ListReading {
  const path = `${directory}/tables.list`;
  let bytes: Uint8Array;
  try {
    const source = openFileSource(fs, path);
    try {
      bytes = source.read(0, Math.min(source.size, MAX_LIST_SIZE + 1));
    } finally {
      source.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { state: 'missing', names: [] };
    const problem = ioError('read', path, error);
    if (!(problem instanceof RefError)) throw error;
    return { state: 'unreadable', names: [], problem: problem.message };
  }
  try {
    return { state: 'good', names: parseTablesList(bytes, path) };
  } catch (error) {
    if (!(error instanceof RefError)) throw error;
    const lines = Buffer.from(bytes).toString('latin1').split('\n');
    const names = [...new Set(lines.filter(isTableName))];
    return { state: 'damaged', names, problem: error.message };
  }
}

const LOST_VIEW =
  'Git takes the repository for one without refs: it must not run git gc, which would remove all objects.';

/** What is wrong with a list that is not good, or empty; `tables` are those in the folder. */
export function listFinding(
  directory: string,
  list: ListReading,
  tables: readonly TableInFolder[],
): { finding: Finding; newList?: readonly string[] } {
  const problems = {
    good: 'The list names no table.',
    missing: 'The list of tables is not there.',
    damaged: list.problem!,
    unreadable: list.problem!,
  };
  const found: Omit<Finding, 'mending' | 'remedy'> = {
    kind: 'list',
    severity: 'damage',
    file: `${directory}/tables.list`,
    problem: problems[list.state],
    meaning: LOST_VIEW,
    // A compaction that leaves no record empties the list before it removes the tables.
    identity: [list.state, ...list.names, ...tables.map(({ name }) => name)].join(' '),
  };
  if (list.state === 'unreadable') {
    const remedy = 'Make it a file that you may read.';
    return { finding: { ...found, mending: 'none', remedy } };
  }
  if (tables.length === 0) {
    const meaning =
      'No table is there either: all refs and reflogs are gone, or none were made yet.';
    const remedy = 'Restore the folder, or make a HEAD with git init and fetch the refs again.';
    return { finding: { ...found, meaning, mending: 'none', remedy } };
  }
  const plan = planList(tables, list.state === 'damaged' ? list.names : []);
  if ('names' in plan) {
    const remedy =
      '--fix writes it anew: the tables that are there fit together in exactly one way.';
    return { finding: { ...found, mending: 'safe', remedy }, newList: plan.names };
  }
  const remedy = `Restore the file. It cannot be told from the tables: ${plan.whyNot}.`;
  return { finding: { ...found, mending: 'none', remedy } };
}
