// The repair of a stack: what an examination found and is provably safe to mend, and what a person has decided.
// spec/doctor.md tells why each step is safe.

import { RefError } from '../../errors.ts';
import type { FileSystem } from '../../storage/file-system.ts';
import { ioError } from '../../storage/io-error.ts';
import { DirectoryTableStore } from '../directory-table-store.ts';
import { openFileSource } from '../file-source.ts';
import { breakDeadLock } from '../lock/breaking.ts';
import { inspectLock } from '../lock/inspection.ts';
import { lockedError } from '../lock/locked-error.ts';
import { StackLock } from '../lock/stack-lock.ts';
import { Stack } from '../stack.ts';
import { keptListName, pidFileOf, stackFileKind } from '../stack-files.ts';
import { formatTablesList } from '../tables-list.ts';
import { TemporaryFile } from '../temporary-file.ts';
import {
  type ExaminationOptions,
  examineStack,
  identityOf,
  type StackExamination,
} from './examination.ts';
import { isAlive } from './examined-lock.ts';
import { counted, type Finding } from './finding.ts';

/** How long to wait for the stack's lock, ms. */
const LOCK_TIMEOUT = 1000;

export interface RepairOptions extends ExaminationOptions {
  /** Mends what is provably safe. */
  fix: boolean;
  /** Removes locks of which is not known whether their owners are dead, unless they are alive. */
  forceUnlock: boolean;
  /** Exact permission bits of what is written. Default: 0o666 less the umask. */
  fileMode?: number | undefined;
}

/** What was done to a file, or why it could not be. */
export interface RepairNote {
  file: string;
  text: string;
}

export interface RepairReport {
  done: RepairNote[];
  failed: RepairNote[];
}

/**
 * Mends what `found` says may be mended. Nothing is removed, but for locks, while the stack is damaged. Throws
 * `IO` where the folder cannot be read; what cannot be written is reported.
 */
export async function repairStack(
  fs: FileSystem,
  found: StackExamination,
  options: RepairOptions,
): Promise<RepairReport> {
  const repair = new Repair(fs, found.location, options);
  repair.removeLocks(found.findings);
  if (options.fix) {
    if (found.newList !== undefined) await repair.rebuildList();
    await repair.clean();
  }
  return repair.report;
}

class Repair {
  readonly report: RepairReport = { done: [], failed: [] };
  private readonly fs: FileSystem;
  private readonly directory: string;
  private readonly options: RepairOptions;

  constructor(fs: FileSystem, directory: string, options: RepairOptions) {
    this.fs = fs;
    this.directory = directory;
    this.options = options;
  }

  removeLocks(findings: readonly Finding[]): void {
    const locks = findings.filter(({ kind }) => kind === 'lock');
    const isRight = ({ file }: Finding) => stackFileKind(baseName(file)) === 'break file';
    // Who has the right to break a lock is in the way of breaking it.
    for (const lock of [...locks.filter(isRight), ...locks.filter((each) => !isRight(each))]) {
      if (lock.mending === 'forced' && this.options.forceUnlock) this.forceLock(lock);
    }
    // A right passes by the protocol alone, or goes with the cleaning.
    for (const lock of locks.filter((each) => !isRight(each))) {
      const isGone = lock.mending === 'safe' && breakDeadLock(this.fs, lock.file);
      if (isGone) this.done(lock.file, 'Removed: its owner is dead.');
    }
  }

  /** Writes a new list, under the lock, if what was found is still so. */
  async rebuildList(): Promise<void> {
    const path = `${this.directory}/tables.list`;
    await this.attempt(path, async () => {
      const lock = await StackLock.acquire(this.fs, path, { timeout: LOCK_TIMEOUT });
      try {
        const { newList, list } = await examineStack(this.fs, this.directory, this.options);
        if (newList === undefined) return;
        const kept = list.state === 'damaged' ? await this.keepList(path) : undefined;
        await this.writeList(path, newList, lock);
        const where = kept === undefined ? '' : `; the old one is kept as ${kept}`;
        this.done(path, `Written anew, with ${counted(newList.length, 'table')}${where}.`);
      } finally {
        await lock.release();
      }
    });
  }

  /** Removes what belongs to the stack no more, unless the stack is damaged. */
  async clean(): Promise<void> {
    const { findings, objectFormat, canBeCleaned } = await examineStack(
      this.fs,
      this.directory,
      this.options,
    );
    const unused = findings.filter(({ severity, mending }) => {
      return severity === 'litter' && mending === 'safe';
    });
    const rights = findings.filter(({ kind, mending }) => kind === 'lock' && mending === 'safe');
    if (unused.length + rights.length === 0 || !canBeCleaned) return;
    await this.attempt(this.directory, async () => {
      const stack = new Stack(new DirectoryTableStore(this.fs, this.directory), {
        objectFormat,
        compression: this.options.compression,
        lockTimeout: LOCK_TIMEOUT,
      });
      try {
        await stack.clean();
      } finally {
        stack.close();
        for (const { file } of [...unused, ...rights]) {
          if (this.fs.stat(file) === undefined) this.done(file, 'Removed.');
        }
      }
    });
  }

  /** Removes a lock that a person has decided about, if it is still the one that was found. */
  private forceLock({ file, identity }: Finding): void {
    // From here to the removal is one turn of the event loop; what others do meanwhile is the person's risk.
    const lock = inspectLock(this.fs, file);
    if (lock === undefined) return;
    if (isAlive(lock) || identityOf(this.fs, file) !== identity) {
      this.failed(file, 'It was taken anew meanwhile, and is left alone.');
      return;
    }
    try {
      this.fs.unlink(file);
      this.done(file, 'Removed, as you decided.');
      if (lock.gitPid !== undefined) this.fs.unlink(pidFileOf(file));
    } catch (error) {
      this.failed(file, messageOf(ioError('remove', file, error)));
    }
  }

  /** Copies the list to a name that is free, and gives that. */
  private async keepList(path: string): Promise<string> {
    const names = new Set(this.fs.list(this.directory));
    let number = 1;
    while (names.has(keptListName(number))) number++;
    const name = keptListName(number);
    const source = openFileSource(this.fs, path);
    const kept = `${this.directory}/${name}`;
    const { fileMode } = this.options;
    const file = await this.fs.create(kept, fileMode);
    try {
      if (fileMode !== undefined) await this.fs.setMode(kept, fileMode);
      await file.write([source.read(0, source.size)]);
      await file.sync();
    } finally {
      await file.close();
      source.close();
    }
    return name;
  }

  private async writeList(path: string, names: readonly string[], lock: StackLock): Promise<void> {
    const folder = await this.fs.openDirectory(this.directory);
    try {
      const options = { mode: this.options.fileMode, fsync: true };
      const file = await TemporaryFile.write(this.fs, path, [[formatTablesList(names)]], options);
      try {
        await file.finish();
        if (!lock.held) throw lockedError(this.fs, lock.path);
        file.rename(path);
      } catch (error) {
        file.discard();
        throw error;
      }
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  private async attempt(file: string, step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      const known = ioError('change', file, error);
      if (!(known instanceof RefError)) throw error;
      this.failed(file, known.message);
    }
  }

  private done(file: string, text: string): void {
    this.report.done.push({ file, text });
  }

  private failed(file: string, text: string): void {
    this.report.failed.push({ file, text });
  }
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
