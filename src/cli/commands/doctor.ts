// `reftable doctor`: what is wrong with a stack, and the mending of what is safe to mend.

import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ObjectFormat } from '../../format/object-format.ts';
import type { Config } from '../../repository/config.ts';
import { readConfig } from '../../repository/config-layers.ts';
import { linkedCommonDir } from '../../repository/git-dir.ts';
import { linkedGitDirs } from '../../repository/linked-git-dirs.ts';
import { repositoryFormat } from '../../repository/repository-format.ts';
import { sharedFileMode, sharedPermissions } from '../../repository/shared-permissions.ts';
import { examineStubs, mendStubs } from '../../repository/stub-files.ts';
import { examineStack, type StackExamination } from '../../stack/examination/examination.ts';
import { type Finding, isProblem } from '../../stack/examination/finding.ts';
import { type RepairReport, repairStack } from '../../stack/examination/repair.ts';
import { stackFileKind } from '../../stack/stack-files.ts';
import { nodeCompression } from '../../storage/node-compression.ts';
import { nodeFileSystem } from '../../storage/node-file-system.ts';
import { parseArguments } from '../arguments.ts';
import { drawDiagnosis } from '../doctor-view.ts';
import { die, UsageError } from '../failure.ts';
import { stdout } from '../output.ts';
import { findGitDir } from '../stack-view.ts';

export const help = `usage: reftable doctor [--fix] [--force-unlock] [--json] [<path>]

    --fix                 mend what is provably safe to mend
    --force-unlock        remove locks of which is not known whether their owners are dead
    --json                for programs

Examines the repository at <path>, or the reftable folder that <path> is: its list of tables, every
record of every table, locks, and files that should not be there; then those of each linked worktree.
Of a linked worktree at <path>, only its own. Without --fix and --force-unlock nothing is changed and no
lock taken. Exit code: 0 if nothing is wrong or all is mended, 1 if something is left.
`;

interface Place {
  /** The folder of the stack. */
  folder: string;
  /** The repository around it. */
  gitDir: string | undefined;
}

export async function run(args: readonly string[]): Promise<number> {
  const { options, operands } = parseArguments(args, { fix: {}, 'force-unlock': {}, json: {} });
  if (operands.length > 1) throw new UsageError();
  const fix = options.fix === true;
  const forceUnlock = options['force-unlock'] === true;
  const diagnoses: Diagnosis[] = [];
  for (const place of withLinkedWorktrees(findPlace(operands[0]))) {
    diagnoses.push(await diagnose(place, { fix, forceUnlock }));
  }
  if (options.json === true) {
    const [first, ...others] = diagnoses.map(toJson);
    const all = others.length === 0 ? first : { ...first, worktrees: others };
    stdout.write(`${JSON.stringify(all, null, 2)}\n`);
  } else {
    const drawn = diagnoses.map(({ stack, findings, report }) =>
      drawDiagnosis(stack, findings, report),
    );
    stdout.write(drawn.join('\n'));
  }
  const isLeft = ({ findings, report }: Diagnosis) =>
    findings.some(isProblem) || report.failed.length > 0;
  return diagnoses.some(isLeft) ? 1 : 0;
}

/** What is wrong in one place, after what was done about it. */
interface Diagnosis {
  stack: StackExamination;
  findings: readonly Finding[];
  report: RepairReport;
}

async function diagnose(
  { folder, gitDir }: Place,
  { fix, forceUnlock }: { fix: boolean; forceUnlock: boolean },
): Promise<Diagnosis> {
  const config = gitDir === undefined ? undefined : configOf(gitDir);
  const shared = sharedPermissions(config?.find('core.sharedRepository'));
  const objectFormat = config && objectFormatOf(gitDir!, config);
  const settings = { compression: nodeCompression, objectFormat };
  if (!existsSync(folder))
    die(`${folder}: the folder is missing, and all refs and reflogs with it`);
  const look = async () => {
    const stack = await examineStack(nodeFileSystem, folder, settings);
    const stubs = gitDir === undefined ? [] : examineStubs(gitDir);
    return { stack, findings: [...stubs, ...stack.findings] };
  };

  const found = await look();
  const report: RepairReport = { done: [], failed: [] };
  if (!fix && !forceUnlock) return { ...found, report };
  const reports = [
    await repairStack(nodeFileSystem, found.stack, {
      ...settings,
      fix,
      forceUnlock,
      fileMode: sharedFileMode(shared),
    }),
    fix && gitDir !== undefined ? mendStubs(gitDir, found.findings, shared) : undefined,
  ];
  for (const each of reports) {
    report.done.push(...(each?.done ?? []));
    report.failed.push(...(each?.failed ?? []));
  }
  return { ...(await look()), report };
}

/** The stacks of the linked worktrees, too, where a place is the repository that they belong to. */
function withLinkedWorktrees(place: Place): Place[] {
  const { folder, gitDir } = place;
  if (gitDir === undefined || resolve(folder) !== resolve(gitDir, 'reftable')) return [place];
  const linked = linkedGitDirs(gitDir).map((each) => ({
    folder: join(each, 'reftable'),
    gitDir: each,
  }));
  return [place, ...linked];
}

function toJson({ stack, findings, report }: Diagnosis) {
  const { location, list, tables } = stack;
  return {
    location,
    list: list.state,
    tables: tables.map(({ name, reading }) => ({
      name,
      size: reading?.size ?? 0,
      refs: reading?.refs ?? 0,
      logs: reading?.logs ?? 0,
      isSound: reading !== undefined && reading.fault === undefined,
    })),
    findings: findings.map(({ identity, ...finding }) => finding),
    ...report,
  };
}

/**
 * The stack that a path means, as `reftable stack` finds it; and where there is no repository for want of the
 * very files that mark one, the nearest folder that has been one.
 */
function findPlace(path: string | undefined): Place {
  if (path !== undefined && isStackFolder(path)) {
    const around = dirname(resolve(path));
    const isRepository = ['config', 'commondir'].some((name) => existsSync(join(around, name)));
    return { folder: path, gitDir: isRepository ? around : undefined };
  }
  const gitDir = findRemains(path) ?? findGitDir(path);
  return { folder: join(gitDir, 'reftable'), gitDir };
}

function isStackFolder(path: string): boolean {
  try {
    const kinds = readdirSync(path).map(stackFileKind);
    return kinds.includes('list') || kinds.includes('table');
  } catch {
    return false;
  }
}

/** The repository at or around a path, be it marked as one or not; `undefined` for one of another kind. */
function findRemains(path: string | undefined): string | undefined {
  const { GIT_DIR } = process.env;
  if (path === undefined && GIT_DIR !== undefined) {
    return isRemains(resolve(GIT_DIR)) ? resolve(GIT_DIR) : undefined;
  }
  const start = path ?? '.';
  if (!existsSync(start)) return undefined;
  for (let folder = realpathSync.native(start); ; folder = dirname(folder)) {
    const within = join(folder, '.git');
    if (isRemains(within)) return within;
    if (isRemains(folder)) return folder;
    if (existsSync(within) || dirname(folder) === folder) return undefined;
  }
}

/** Whether a folder has what a repository has, but for the files that mark one. */
function isRemains(folder: string): boolean {
  return ['config', 'objects', 'reftable'].every((name) => existsSync(join(folder, name)));
}

function configOf(gitDir: string): Config {
  const commonDir = linkedCommonDir(gitDir) ?? gitDir;
  return readConfig(gitDir, { env: process.env, commonDir });
}

function objectFormatOf(gitDir: string, config: Config): ObjectFormat | undefined {
  if (config.only('local').entries.length === 0) return undefined;
  const { objectFormat, refStorage } = repositoryFormat(config);
  if (refStorage === 'reftable') return objectFormat;
  return die(
    `${gitDir}: expected a repository with the ref storage 'reftable', found '${refStorage}'`,
  );
}
