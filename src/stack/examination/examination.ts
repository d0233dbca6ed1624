// The examination of a stack in a folder: what is there, and what is wrong with it. It takes no lock and changes
// nothing. Others may write meanwhile; so what passes with their work is told only if it is still there when
// the folder is looked at a second time.

import { monotonicNow } from '../../clock.ts';
import { RefError } from '../../errors.ts';
import type { Compression } from '../../format/compression.ts';
import type { ObjectFormat } from '../../format/object-format.ts';
import type { FileSystem } from '../../storage/file-system.ts';
import { ioError } from '../../storage/io-error.ts';
import { Table } from '../../table/table.ts';
import { openFileSource } from '../file-source.ts';
import { lockOf, stackFileKind } from '../stack-files.ts';
import { examineLock } from './examined-lock.ts';
import { type Finding, isDamage } from './finding.ts';
import { leftoverFinding } from './leftover-findings.ts';
import { type ListReading, listFinding, readListFile } from './list-examination.ts';
import { refsNotOvertaken } from './overtaken.ts';
import { examineTable, type TableReading } from './table-examination.ts';
import { damagedTable, missingTable, rangeFindings, unlistedTable } from './table-findings.ts';

/** Between the two looks, ms: longer than a writer needs from one step to the next. */
const SETTLING_TIME = 100;
/** How long to look for a list whose tables are all there, ms; and the pause between two looks. */
const RELOAD_TIMEOUT = 3000;
const RELOAD_PAUSE = 5;

export interface ExaminationOptions {
  compression: Compression;
  /** The repository's; default: the one of the oldest table that can be read. */
  objectFormat?: ObjectFormat | undefined;
}

/** A table that the list names. */
export interface ExaminedTable {
  name: string;
  /** `undefined` where it is not there, or cannot be read at all. */
  reading: TableReading | undefined;
}

export interface StackExamination {
  /** The folder. */
  location: string;
  objectFormat: ObjectFormat;
  list: ListReading;
  /** The names for a new list, where the present one is of no use and can be told anew. */
  newList: readonly string[] | undefined;
  /** Those in the list, oldest first. */
  tables: readonly ExaminedTable[];
  findings: readonly Finding[];
  /** Whether a cleaning removes nothing that somebody may miss. */
  canBeCleaned: boolean;
}

/**
 * Reads every table of the stack whole, the list, and the locks, and looks at every file in the folder. Throws
 * `IO` where the folder cannot be read.
 */
export async function examineStack(
  fs: FileSystem,
  directory: string,
  options: ExaminationOptions,
): Promise<StackExamination> {
  const examiner = new Examiner(fs, directory, options);
  const first = await examiner.look();
  const passing = new Set(first.findings.map(({ identity }) => identity));
  passing.delete(undefined);
  if (passing.size === 0) return first;
  await pause(SETTLING_TIME);
  const second = await examiner.look();
  const hasStayed = ({ identity }: Finding) => identity === undefined || passing.has(identity);
  const findings = second.findings.filter(hasStayed);
  const newList = findings.some(({ kind }) => kind === 'list') ? second.newList : undefined;
  return { ...second, findings, newList };
}

/** What tells a file from another of that name; `undefined` if it is gone. */
export function identityOf(fs: FileSystem, path: string): string | undefined {
  const status = fs.stat(path);
  return status && `${path} ${status.inode} ${status.modified}`;
}

class Examiner {
  private readonly fs: FileSystem;
  private readonly directory: string;
  private readonly options: ExaminationOptions;
  /** Tables never change once named. */
  private readonly readings = new Map<string, TableReading>();

  constructor(fs: FileSystem, directory: string, options: ExaminationOptions) {
    this.fs = fs;
    this.directory = directory;
    this.options = options;
  }

  async look(): Promise<StackExamination> {
    const { list, tables } = await this.readStack();
    const names = this.fileNames();
    const findings: Finding[] = [];
    const newList = this.examineList(list, names, findings);
    for (const [i, { name, reading }] of tables.entries()) {
      const path = this.pathOf(name);
      if (reading === undefined) findings.push(missingTable(path, tables.slice(i + 1)));
      else if (reading.fault) findings.push(damagedTable(path, reading.fault, reading));
    }
    findings.push(...rangeFindings(this.directory, tables));
    this.examineLocks(names, findings);
    const isDamaged = findings.some(isDamage);
    // Without a list no table is listed.
    const isOvertaken =
      tables.length === 0 || this.examineUnlisted(tables, names, isDamaged, findings);
    const canBeCleaned = !isDamaged && isOvertaken;
    this.examineLeftovers(names, canBeCleaned, findings);
    return {
      location: this.directory,
      objectFormat: this.objectFormat(tables) ?? 'sha1',
      list,
      newList,
      tables,
      findings,
      canBeCleaned,
    };
  }

  /** Reads the list until all its tables are there: a compaction may remove some in between. */
  private async readStack(): Promise<{ list: ListReading; tables: ExaminedTable[] }> {
    const deadline = monotonicNow() + RELOAD_TIMEOUT;
    for (;;) {
      const list = readListFile(this.fs, this.directory);
      if (list.state !== 'good') return { list, tables: [] };
      const tables = list.names.map((name) => ({ name, reading: this.readTable(name) }));
      if (tables.every(({ reading }) => reading !== undefined)) return { list, tables };
      const now = readListFile(this.fs, this.directory);
      const isSame = now.state === 'good' && now.names.join() === list.names.join();
      if (isSame || monotonicNow() > deadline) return { list, tables };
      await pause(RELOAD_PAUSE);
    }
  }

  /** `undefined` if it is gone. */
  private readTable(name: string): TableReading | undefined {
    const known = this.readings.get(name);
    if (known !== undefined) {
      return this.fs.stat(this.pathOf(name)) === undefined ? undefined : known;
    }
    const path = this.pathOf(name);
    let reading: TableReading;
    try {
      const source = openFileSource(this.fs, path);
      const objectFormat = this.options.objectFormat ?? this.objectFormatOfAny();
      reading = examineTable(source, this.options.compression, objectFormat);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      const fault = ioError('read', path, error);
      if (!(fault instanceof RefError)) throw error;
      reading = { size: 0, header: undefined, refs: 0, logs: 0, fault };
    }
    this.readings.set(name, reading);
    return reading;
  }

  /** Gives the names for a new list, where one is needed and can be told. */
  private examineList(
    list: ListReading,
    names: readonly string[],
    findings: Finding[],
  ): readonly string[] | undefined {
    if (list.state === 'good' && list.names.length > 0) return undefined;
    const tables = names.flatMap((name) => {
      const reading = stackFileKind(name) === 'table' ? this.readTable(name) : undefined;
      return reading === undefined ? [] : [{ name, reading }];
    });
    const { finding, newList } = listFinding(this.directory, list, tables);
    findings.push(finding);
    return newList;
  }

  private examineLocks(names: readonly string[], findings: Finding[]): void {
    for (const name of names) {
      const kind = stackFileKind(name);
      if (kind !== 'stack lock' && kind !== 'table lock' && kind !== 'break file') continue;
      const finding = examineLock(this.fs, this.pathOf(name));
      // Where the lock is gone, the right to break it is worth nothing.
      const isVoid = kind === 'break file' && !names.includes(lockOf(name));
      if (finding?.mending === 'forced' && isVoid) finding.mending = 'safe';
      this.addPassing(findings, finding);
    }
  }

  /** Whether the stack has overtaken all that a cleaning would remove. */
  private examineUnlisted(
    tables: readonly ExaminedTable[],
    names: readonly string[],
    isDamaged: boolean,
    findings: Finding[],
  ): boolean {
    const listed = tables.map(({ name }) => name);
    const last = Math.max(0, ...tables.map(({ reading }) => reading?.header?.maxUpdateIndex ?? 0));
    let isOvertaken = true;
    for (const name of names) {
      if (stackFileKind(name) !== 'table' || listed.includes(name)) continue;
      const reading = this.readTable(name);
      if (reading === undefined) continue;
      const isStale = reading.fault === undefined && reading.header!.maxUpdateIndex <= last;
      const unknown = isStale && !isDamaged ? this.unknownRefs(name, listed) : [];
      if (unknown === undefined || unknown.length > 0) isOvertaken = false;
      // Where a table of the stack has just been compacted, the next examination tells.
      if (unknown === undefined) continue;
      const finding = unlistedTable(this.pathOf(name), reading, { last, isDamaged, unknown });
      this.addPassing(findings, finding);
    }
    return isOvertaken;
  }

  /** The refs in a table that the stack has not overtaken; `undefined` if one of the listed tables is gone. */
  private unknownRefs(name: string, listed: readonly string[]): string[] | undefined {
    const open = (each: string) =>
      Table.open(openFileSource(this.fs, this.pathOf(each)), this.options.compression);
    const tables: Table[] = [];
    try {
      for (const each of [...listed, name]) tables.push(open(each));
      return [...refsNotOvertaken(tables.at(-1)!, tables.slice(0, -1))];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    } finally {
      for (const table of tables) table.close();
    }
  }

  private examineLeftovers(
    names: readonly string[],
    canBeCleaned: boolean,
    findings: Finding[],
  ): void {
    const locks = findings.filter(({ kind }) => kind === 'lock');
    for (const name of names) {
      const finding = leftoverFinding(this.pathOf(name), name, names, locks, canBeCleaned);
      this.addPassing(findings, finding);
    }
  }

  /** What is there now may be gone in a moment, or be another file of that name. */
  private addPassing(findings: Finding[], finding: Finding | undefined): void {
    if (finding === undefined) return;
    const identity = identityOf(this.fs, finding.file);
    if (identity !== undefined) findings.push({ ...finding, identity });
  }

  private fileNames(): string[] {
    try {
      return this.fs.list(this.directory).sort();
    } catch (error) {
      throw ioError('read', this.directory, error);
    }
  }

  private objectFormat(tables: readonly ExaminedTable[]): ObjectFormat | undefined {
    const { objectFormat } = this.options;
    return (
      objectFormat ?? tables.find((table) => table.reading?.header)?.reading?.header?.objectFormat
    );
  }

  private objectFormatOfAny(): ObjectFormat | undefined {
    for (const { header } of this.readings.values()) if (header) return header.objectFormat;
    return undefined;
  }

  private pathOf(name: string): string {
    return `${this.directory}/${name}`;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, ms));
}
