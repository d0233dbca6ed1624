// What an examination says of tables: those that are missing or damaged, out of order, or in no list.

import type { RefError } from '../../errors.ts';
import { updateIndexesInName } from '../stack-files.ts';
import type { ExaminedTable } from './examination.ts';
import { counted, type Finding, updateIndexes } from './finding.ts';
import type { TableReading } from './table-examination.ts';

/** What Git 2.55 does where a table cannot be opened. */
const GIT_SEES_NOTHING =
  'Git reads the repository as one without refs and refuses to write: it must not run git gc, which would remove all objects.';

/** `newer` are the tables behind it in the list. */
export function missingTable(path: string, newer: readonly ExaminedTable[]): Finding {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const range = updateIndexesInName(name);
  const which = range === undefined ? '' : ` with ${updateIndexes(range.min, range.max)}`;
  const refs = newer.reduce((sum, { reading }) => sum + (reading?.refs ?? 0), 0);
  const known =
    refs === 0
      ? 'no newer table tells a ref'
      : `only what newer tables tell of refs (${counted(refs, 'record')}) is certain to be current`;
  return {
    kind: 'missing-table',
    severity: 'damage',
    mending: 'none',
    file: path,
    problem: 'The list names this table, and it is not there.',
    meaning: `What was changed${which} is lost; ${known}. ${GIT_SEES_NOTHING}`,
    remedy: `Restore the file. ${WHY_NOT_DROPPED}`,
  };
}

const WHY_NOT_DROPPED =
  'It is not taken out of the list: refs that it deleted would come back, and others get old values, without a word.';

export function damagedTable(
  path: string,
  fault: RefError,
  { header, refs, logs }: TableReading,
): Finding {
  const forGit =
    header === undefined ? GIT_SEES_NOTHING : 'The rest is wrong or lost for Git, too.';
  const readable =
    refs + logs === 0
      ? 'Nothing of it can be read as it is.'
      : `Of it ${counted(refs, 'ref record')} and ${counted(logs, 'log record')} can still be read.`;
  return {
    kind: 'damaged-table',
    severity: 'damage',
    mending: 'none',
    file: path,
    problem: withoutPath(fault, path),
    meaning: `${readable} ${forGit}`,
    remedy: `Restore the file. ${WHY_NOT_DROPPED}`,
  };
}

/** `at byte 60: expected …`, as a sentence. */
function withoutPath({ message }: RefError, path: string): string {
  const text = message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message;
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

/** Neighbours whose update indexes overlap or run backwards. */
export function rangeFindings(directory: string, tables: readonly ExaminedTable[]): Finding[] {
  return tables.flatMap(({ name, reading }, i) => {
    const header = reading?.header;
    const before = tables[i - 1]?.reading?.header;
    if (!header || !before || header.minUpdateIndex > before.maxUpdateIndex) return [];
    const [own, others] = [header, before].map((range) =>
      updateIndexes(range.minUpdateIndex, range.maxUpdateIndex),
    );
    const finding: Finding = {
      kind: 'update-indexes',
      severity: 'damage',
      mending: 'none',
      file: `${directory}/${name}`,
      problem: `It has ${own}, which does not come after that of ${tables[i - 1]!.name}, ${others}.`,
      meaning:
        'No writer makes that: the list was edited or mixed of two. Refs have the values of the tables that stand later in it.',
      remedy: 'Restore the list, if there is a copy.',
    };
    return [finding];
  });
}

/** How many refs a message names. */
const MAX_NAMES = 3;

interface StackOfUnlisted {
  /** The last update index in the stack. */
  last: number;
  isDamaged: boolean;
  /** The refs in the table that the stack has not overtaken. */
  unknown: readonly string[];
}

export function unlistedTable(
  path: string,
  { header, fault, refs, logs }: TableReading,
  { last, isDamaged, unknown }: StackOfUnlisted,
): Finding {
  const found = { kind: 'unlisted-table', severity: 'litter', file: path } as const;
  const problem = 'No list names this table.';
  if (header === undefined || fault !== undefined) {
    return {
      ...found,
      mending: 'none',
      problem: `${problem} ${withoutPath(fault!, path)}`,
      meaning: 'Nobody reads it. Perhaps it is no table of this repository.',
      remedy: 'It is kept. Remove it by hand if nothing in it is missed.',
    };
  }
  const holds = `It holds ${counted(refs, 'ref record')} and ${counted(logs, 'log record')}, with ${updateIndexes(header.minUpdateIndex, header.maxUpdateIndex)}`;
  if (header.maxUpdateIndex > last) {
    return {
      ...found,
      mending: 'none',
      problem,
      meaning: `${holds}, beyond the last one of the stack, ${last}: a newer list may have named it, or its writer died.`,
      remedy: 'It is kept. Remove it by hand if no ref is missed.',
    };
  }
  if (isDamaged) {
    return {
      ...found,
      mending: 'none',
      problem,
      meaning: `${holds}. Nobody reads it.`,
      remedy: 'It is kept while the stack is damaged: it may hold what is lost.',
    };
  }
  if (unknown.length > 0) {
    const more = unknown.length > MAX_NAMES ? ` and ${unknown.length - MAX_NAMES} more` : '';
    const names = `${unknown.slice(0, MAX_NAMES).join(', ')}${more}`;
    return {
      ...found,
      mending: 'none',
      problem,
      meaning: `${holds}. The stack knows nothing as new of ${names}: they were deleted since, or somebody has begun a new list beside this table.`,
      remedy: 'It is kept. If no ref is missed, git pack-refs removes it.',
    };
  }
  return {
    ...found,
    mending: 'safe',
    problem,
    meaning: `${holds}, and the stack has all of its refs as new or newer. Nobody reads it.`,
    remedy: '--fix removes it; so does git pack-refs.',
  };
}
