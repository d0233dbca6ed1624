// `reftable refs verify`: what is wrong with the refs of a repository and its worktrees, as Git tells it.

import { basename, join, resolve } from 'node:path';
import { verifyLoose } from '../../files/verification/loose.ts';
import { verifyPacked } from '../../files/verification/packed.ts';
import type { FileReport } from '../../files/verification/report.ts';
import type { ObjectFormat } from '../../format/object-format.ts';
import { verifyRef } from '../../refs/verification.ts';
import type { GitDirs } from '../../repository/discover.ts';
import { linkedGitDirs } from '../../repository/linked-git-dirs.ts';
import { repositoryFormat } from '../../repository/repository-format.ts';
import { DirectoryTableStore } from '../../stack/directory-table-store.ts';
import { Stack } from '../../stack/stack.ts';
import { nodeCompression } from '../../storage/node-compression.ts';
import { nodeFileSystem } from '../../storage/node-file-system.ts';
import { nodeRefFileSystem } from '../../storage/node-ref-file-system.ts';
import { parseArguments } from '../arguments.ts';
import { misuse } from '../failure.ts';
import { warn, writeError } from '../output.ts';
import { findRepository, openRepository } from '../repository.ts';
import { type Fault, faultSeverities, type Severity } from './fsck-severity.ts';

export const help = `usage: reftable refs verify [--strict] [--verbose]

    --strict              warnings count as errors
    --verbose             tell what is looked at

What is told, and how, are the settings fsck.badHeadTarget, badRefOid, badReferentName,
badReftableTableName, symrefTargetIsNotARef and Git's others of refs: error, warn or ignore. Exit code: 0 if there is no error,
else 255. Of damaged files reftable doctor tells more.
`;

const FAULTY_EXIT_CODE = 255;

/** Three hexadecimal numbers, as C's library reads them, with dashes between. */
const NUMBER = '[+-]?(?:0x(?=[0-9a-f]))?0*[0-9a-f]{0,16}';
const TABLE_NAME = new RegExp(`^${NUMBER}-${NUMBER}-${NUMBER}\\.(?:ref|log)$`, 'i');

export function run(args: readonly string[]): number {
  const { options, operands } = parseArguments(args, { verbose: {}, strict: {} });
  if (operands.length > 0) misuse("'git refs verify' takes no arguments");
  const { objectFormat } = openRepository();
  const { config, dirs } = findRepository();
  const inspection = new Inspection(
    faultSeverities(config, options.strict === true),
    options.verbose === true,
  );
  const { commonDir } = dirs;
  const isStack = repositoryFormat(config).refStorage === 'reftable';
  if (isStack) verifyStacks(commonDir, objectFormat, inspection);
  else verifyFiles(dirs, objectFormat, inspection);
  return inspection.foundError ? FAULTY_EXIT_CODE : 0;
}

function verifyStacks(commonDir: string, objectFormat: ObjectFormat, inspection: Inspection): void {
  const options = { objectFormat, compression: nodeCompression };
  for (const { folder, prefix } of stackFolders(commonDir)) {
    const stack = new Stack(new DirectoryTableStore(nodeFileSystem, folder), options);
    try {
      inspection.inspect(stack, prefix);
    } finally {
      stack.close();
    }
  }
}

function verifyFiles(dirs: GitDirs, objectFormat: ObjectFormat, inspection: Inspection): void {
  const files = nodeRefFileSystem;
  const commonDir = resolve(dirs.commonDir);
  const isMain = resolve(dirs.gitDir) === commonDir;
  const linked = linkedGitDirs(commonDir).map((gitDir) => ({
    gitDir,
    prefix: `worktrees/${basename(gitDir)}/`,
  }));
  for (const { gitDir, prefix } of [{ gitDir: commonDir, prefix: '' }, ...linked]) {
    inspection.mention('Checking references consistency');
    verifyLoose({ files, objectFormat, gitDir, prefix }, inspection);
    if (prefix !== '') continue;
    const packed = `${isMain ? dirs.shownAs : commonDir}/packed-refs`;
    verifyPacked(files, packed, objectFormat, inspection);
  }
}

/** The stacks of the repository, each with what stands before the names in it. */
function stackFolders(commonDir: string): { folder: string; prefix: string }[] {
  const linked = linkedGitDirs(commonDir).map((gitDir) => ({
    folder: join(gitDir, 'reftable'),
    prefix: `worktrees/${basename(gitDir)}/`,
  }));
  return [{ folder: join(commonDir, 'reftable'), prefix: '' }, ...linked];
}

/** Looks at one stack after the other, and tells what it finds. */
class Inspection implements FileReport {
  foundError = false;
  readonly #severityOf: (fault: Fault) => Severity;
  readonly #verbose: boolean;

  constructor(severityOf: (fault: Fault) => Severity, verbose: boolean) {
    this.#severityOf = severityOf;
    this.#verbose = verbose;
  }

  inspect(stack: Stack, prefix: string): void {
    this.mention('Checking references consistency');
    const { names, merged } = stack.current();
    for (const name of names) {
      this.mention(`Checking table: ${name}`);
      if (TABLE_NAME.test(name)) continue;
      this.fault(name, 'badReftableTableName', 'invalid reftable table name');
    }
    for (const ref of merged.refs()) {
      verifyRef(ref, (fault, message) => this.fault(prefix + ref.name, fault, message));
    }
  }

  mention(what: string): void {
    if (this.#verbose) writeError(`${what}\n`);
  }

  /** Tells of a fault as the configuration has it; whether it is an error. */
  fault(path: string, fault: Fault, message: string): boolean {
    const severity = this.#severityOf(fault);
    const text = `${path}: ${fault}: ${message}`;
    if (severity === 'warn') warn(text);
    if (severity !== 'error') return false;
    writeError(`error: ${text}\n`);
    this.foundError = true;
    return true;
  }
}
