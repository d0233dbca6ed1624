// The files by which programs tell a repository whose refs are a reftable stack from a folder:
//
//   HEAD          ref: refs/heads/.invalid    Git 2.55 takes a folder without such a file for no repository;
//   refs/                                     nor one without this folder, but for a linked worktree
//   refs/heads    this repository uses …      a file, so that old programs cannot make a branch there
//
// What they say is not read: HEAD and all refs are in the stack.

import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../stack/examination/finding.ts';
import type { RepairReport } from '../stack/examination/repair.ts';
import { ioError } from '../storage/io-error.ts';
import { type SharedPermissions, shareFile } from './shared-permissions.ts';

/** What Git writes into them. */
export const HEAD_TEXT = 'ref: refs/heads/.invalid\n';
export const HEADS_TEXT = 'this repository uses the reftable format\n';
/** How Git tells a `HEAD` from any other file. */
const HEAD_PATTERN = /^(?:ref:[ \t\r\n]*refs\/|[0-9a-f]{40})/i;
/** A `HEAD` is a line; bytes. */
const MAX_SHOWN = 80;

/** What is wrong with the stub files of the repository at `gitDir`. Throws nothing. */
export function examineStubs(gitDir: string): Finding[] {
  return [headFinding(join(gitDir, 'HEAD')), headsFinding(gitDir)].filter(
    (finding) => finding !== undefined,
  );
}

/** Writes the stub files that `findings` say may be written, with the permissions that files here have. */
export function mendStubs(
  gitDir: string,
  findings: readonly Finding[],
  shared: SharedPermissions | undefined,
): RepairReport {
  const report: RepairReport = { done: [], failed: [] };
  for (const { kind, mending, file } of findings) {
    if (kind !== 'stub' || mending !== 'safe') continue;
    try {
      if (file === join(gitDir, 'HEAD')) writeWhole(file, HEAD_TEXT, shared);
      else writeHeads(gitDir, shared);
      report.done.push({ file, text: 'Written.' });
    } catch (error) {
      const known = ioError('write', file, error);
      if (known === error) throw error;
      report.failed.push({ file, text: (known as Error).message });
    }
  }
  return report;
}

function headFinding(file: string): Finding | undefined {
  const found = { kind: 'stub', severity: 'obstacle', file } as const;
  const noRepository =
    'Git says "not a git repository". The refs are not concerned: HEAD is in the stack.';
  const remedy = '--fix writes it.';
  const stats = statsOf(file);
  if (stats === undefined) {
    const problem = 'The file is missing that marks a repository.';
    return { ...found, mending: 'safe', problem, meaning: noRepository, remedy };
  }
  if (!stats.isFile() && !stats.isSymbolicLink()) {
    const problem = 'Something that is not a file stands where a file marks a repository.';
    return { ...found, mending: 'none', problem, meaning: noRepository, remedy: BY_HAND };
  }
  const text = contentOf(file, stats);
  if (text === HEAD_TEXT) return undefined;
  const shown = JSON.stringify(text === undefined ? null : text.slice(0, MAX_SHOWN));
  if (text === undefined) {
    const problem = 'The file that marks a repository cannot be read.';
    return { ...found, mending: 'none', problem, meaning: noRepository, remedy: BY_HAND };
  }
  if (!HEAD_PATTERN.test(text)) {
    const problem = `The file that marks a repository says ${shown}.`;
    return { ...found, mending: 'safe', problem, meaning: noRepository, remedy };
  }
  return {
    ...found,
    mending: 'safe',
    problem: `The file says ${shown}: a program that does not know reftable has written it.`,
    meaning:
      'Git does not read what it says, for HEAD is in the stack; who does not know that takes it for HEAD.',
    remedy: '--fix writes what Git writes there.',
  };
}

function headsFinding(gitDir: string): Finding | undefined {
  const file = join(gitDir, 'refs', 'heads');
  const found = { kind: 'stub', severity: 'obstacle', file } as const;
  const refs = statsOf(join(gitDir, 'refs'));
  if (refs !== undefined && !refs.isDirectory() && !refs.isSymbolicLink()) {
    const problem =
      'Something that is not a folder stands where the folder refs marks a repository.';
    const meaning = 'Git says "not a git repository". The refs are in the stack.';
    return { ...found, mending: 'none', problem, meaning, remedy: BY_HAND };
  }
  const stats = statsOf(file);
  if (stats?.isFile()) return undefined;
  if (stats === undefined) {
    const marks = refs === undefined && statsOf(join(gitDir, 'commondir')) === undefined;
    const meaning = marks
      ? 'Git says "not a git repository". The refs are not concerned: they are in the stack.'
      : 'Git does not mind; a program that does not know reftable can make a branch there that Git never sees.';
    const problem = 'The file is missing that keeps programs which do not know reftable away.';
    return { ...found, mending: 'safe', problem, meaning, remedy: '--fix writes it.' };
  }
  if (isEmptyFolder(file)) {
    const problem = 'An empty folder stands in the place of a file.';
    const meaning =
      'Git does not mind; a program that does not know reftable can make a branch there that Git never sees.';
    const remedy = '--fix puts the file in its place.';
    return { ...found, mending: 'safe', problem, meaning, remedy };
  }
  const problem = 'A folder with files in it stands in the place of a file.';
  const meaning =
    'A program that does not know reftable may have made branches there. Git does not see them.';
  const remedy = 'Look what is in it, bring what you miss into the stack, and remove it by hand.';
  return { ...found, mending: 'none', problem, meaning, remedy };
}

const BY_HAND = 'See to it by hand.';

function writeHeads(gitDir: string, shared: SharedPermissions | undefined): void {
  const refs = join(gitDir, 'refs');
  const heads = join(refs, 'heads');
  if (statsOf(refs) === undefined) {
    mkdirSync(refs);
    shareFile(refs, shared);
  }
  // This fails where somebody has made a file in it.
  if (statsOf(heads)?.isDirectory()) rmdirSync(heads);
  writeWhole(heads, HEADS_TEXT, shared);
}

/** Not in place: who reads it meanwhile must not find half of it. */
function writeWhole(file: string, text: string, shared: SharedPermissions | undefined): void {
  const temporary = `${file}.temp.${process.pid}`;
  writeFileSync(temporary, text, { flag: 'wx' });
  shareFile(temporary, shared);
  renameSync(temporary, file);
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** What Git would take for the content: of a symbolic link, as old Gits made it, where it leads. */
function contentOf(file: string, stats: Stats): string | undefined {
  try {
    if (stats.isSymbolicLink()) return `ref: ${readlinkSync(file)}\n`;
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch {
    return false;
  }
}
