// A stack in a folder of a file system that has no synchronous calls. `refresh` fetches the tables that the list names
// into memory, and reading goes on there. The lock is Git's file, made exclusively.

import { monotonicNow } from '../clock.ts';
import { RefError } from '../errors.ts';
import type { StagedTable, StoreLock, TableList, TableStore } from '../stack/table-store.ts';
import { formatTablesList, isTableName, parseTablesList } from '../stack/tables-list.ts';
import { ioError } from '../storage/io-error.ts';
import { bufferSource, type TableSource } from '../table/table-source.ts';
import type { PromiseFs } from './promise-fs.ts';

/** So often the list may be replaced while its tables are fetched: each time a writer gets on. */
const MAX_READINGS = 1000;
/** Between two tries for the lock, ms; and as much again, at random. */
const RETRY_PAUSE = 5;

/** A table that is complete, and in no file yet. */
interface Staged extends StagedTable {
  readonly bytes: Uint8Array;
}

export class AsyncTableStore implements TableStore {
  readonly location: string;
  readonly #fs: PromiseFs;
  readonly #listPath: string;
  #list: TableList = { names: [], identity: '' };
  #tables = new Map<string, Uint8Array>();
  /** What is in the folder, as of when the lock was taken. */
  #names: readonly string[] = [];
  #removing: Promise<unknown> = Promise.resolve();

  constructor(fs: PromiseFs, directory: string) {
    this.location = directory;
    this.#fs = fs;
    this.#listPath = this.#pathOf('tables.list');
  }

  /** Fetches what has changed. Throws `CORRUPT_LIST`, `IO`; a table that is missing is told of by `open`. */
  async refresh(): Promise<void> {
    await this.#removing;
    for (let text = await this.#readList(), reading = 1; ; reading++) {
      if (text === this.#list.identity) return;
      const names = parseTablesList(Buffer.from(text, 'latin1'), this.#listPath);
      const tables = new Map<string, Uint8Array>();
      for (const name of names) {
        const bytes = this.#tables.get(name) ?? (await this.#readTable(name));
        if (bytes !== undefined) tables.set(name, bytes);
      }
      const before = text;
      text = tables.size < names.length ? await this.#readList() : before;
      // Tables that a compaction has replaced are in the list no more.
      if (text !== before && reading < MAX_READINGS) continue;
      this.#tables = tables;
      this.#list = { names, identity: before };
      return;
    }
  }

  readList(): TableList {
    return this.#list;
  }

  isCurrent(list: TableList): boolean {
    return list.identity === this.#list.identity;
  }

  /** Such a file system tells nobody: the list has to be looked at. */
  watchList(): () => void {
    return () => {};
  }

  releaseList(): void {}

  open(name: string): TableSource {
    const path = this.#pathOf(name);
    const bytes = this.#tables.get(name);
    if (bytes !== undefined) return bufferSource(path, bytes);
    const message = `${path}: the table is named in tables.list but is not there`;
    throw new RefError('MISSING_TABLE', message, { file: path });
  }

  async stage(name: string, pieces: Iterable<readonly Uint8Array[]>): Promise<StagedTable> {
    const chunks: Uint8Array[] = [];
    for (const piece of pieces) chunks.push(...piece);
    const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const chunk of chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    const staged: Staged = { name, bytes, finish: async () => {}, discard: () => {} };
    return staged;
  }

  remove(name: string): void {
    this.#removing = Promise.allSettled([this.#removing, this.#fs.unlink(this.#pathOf(name))]);
  }

  async lock(timeout: number): Promise<StoreLock> {
    const path = `${this.#listPath}.lock`;
    const deadline = timeout < 0 ? Number.POSITIVE_INFINITY : monotonicNow() + timeout;
    let lock = await this.#tryLock(path);
    while (lock === undefined) {
      if (monotonicNow() >= deadline) {
        const message = `Unable to create '${path}': File exists.`;
        throw new RefError('LOCKED', message, { file: path });
      }
      const pause = RETRY_PAUSE * (1 + Math.random());
      await new Promise((resolve) => setTimeout(resolve, pause));
      lock = await this.#tryLock(path);
    }
    try {
      await this.refresh();
      this.#names = await this.#fs.readdir(this.location);
      return lock;
    } catch (error) {
      await lock.release();
      throw ioError('read', this.location, error);
    }
  }

  lockTable(name: string): Promise<StoreLock | undefined> {
    return this.#tryLock(`${this.#pathOf(name)}.lock`);
  }

  isTableLocked(name: string): boolean {
    return this.#names.includes(`${name}.lock`);
  }

  tables(): string[] {
    return this.#names.filter(isTableName);
  }

  /** Who left them cannot be known here. */
  removeLeftovers(): void {}

  async swapList(
    expected: TableList,
    names: readonly string[],
    table?: StagedTable,
  ): Promise<TableList> {
    const text = Buffer.from(formatTablesList(names)).toString('latin1');
    try {
      if ((await this.#readList()) !== expected.identity) throw this.#lockLost();
      if (table !== undefined) {
        const { bytes } = table as Staged;
        await this.#replace(this.#pathOf(table.name), bytes);
        this.#tables.set(table.name, bytes);
      }
      await this.#replace(this.#listPath, text);
    } catch (error) {
      throw ioError('write', this.#listPath, error);
    }
    this.#list = { names, identity: text };
    return this.#list;
  }

  /** Who reads the file finds it as it was, or whole; where the file system cannot rename, it may find a part. */
  async #replace(path: string, data: Uint8Array | string): Promise<void> {
    const { rename } = this.#fs;
    if (rename === undefined) return this.#fs.writeFile(path, data);
    const temporary = `${path}.temp.${Math.random().toString(36).slice(2, 8).padEnd(6, '0')}`;
    await this.#fs.writeFile(temporary, data);
    await rename(temporary, path);
  }

  /** `undefined` if somebody has it. Throws `IO`. */
  async #tryLock(path: string): Promise<StoreLock | undefined> {
    // Some file systems know of no exclusive creation; a look before is better than nothing.
    if (await this.#exists(path)) return undefined;
    try {
      await this.#fs.writeFile(path, '', { flag: 'wx' });
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return undefined;
      throw ioError('create', path, error);
    }
    let isHeld = true;
    const release = async () => {
      if (!isHeld) return;
      isHeld = false;
      await this.#fs.unlink(path);
    };
    return { release };
  }

  async #exists(path: string): Promise<boolean> {
    return this.#fs.stat(path).then(
      () => true,
      () => false,
    );
  }

  async #readList(): Promise<string> {
    const bytes = await this.#readFile(this.#listPath);
    return bytes === undefined ? '' : Buffer.from(bytes).toString('latin1');
  }

  #readTable(name: string): Promise<Uint8Array | undefined> {
    return this.#readFile(this.#pathOf(name));
  }

  /** `undefined` if there is no such file. Throws `IO`. */
  async #readFile(path: string): Promise<Uint8Array | undefined> {
    try {
      return (await this.#fs.readFile(path)) as Uint8Array;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw ioError('read', path, error);
    }
  }

  #lockLost(): RefError {
    const message = `${this.#listPath}: somebody changed it while the lock was held; nothing was changed`;
    return new RefError('LOCKED', message, { file: this.#listPath });
  }

  #pathOf(name: string): string {
    return `${this.location}/${name}`;
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
