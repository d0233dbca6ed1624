// A stack of tables: which of them are current, opened once and shared, and how one is appended.

import { RefError, ReftableFormatError } from '../errors.ts';
import type { Compression } from '../format/compression.ts';
import type { ObjectFormat } from '../format/object-format.ts';
import { Table } from '../table/table.ts';
import { bufferSource, type TableSource } from '../table/table-source.ts';
import type { WrittenTable } from '../table/table-writer.ts';
import { Addition, type AdditionHost } from './addition.ts';
import { READ_WHOLE_SIZE } from './file-source.ts';
import { SharedTable, StackSnapshot } from './stack-snapshot.ts';
import type { TableList, TableStore } from './table-store.ts';

/** How long to look for a list whose tables are all there, ms: as long as Git does. */
const RELOAD_TIMEOUT = 3000;

/** The longest pause between two such looks, ms: it blocks the thread. */
const LONGEST_PAUSE = 20;

/** Git's `reftable.lockTimeout`, ms. */
const DEFAULT_LOCK_TIMEOUT = 100;

interface StackOptions {
  /** The hash function of the repository; a table of the other one is refused. */
  objectFormat: ObjectFormat;
  compression: Compression;
}

/** What a stack has done so far. */
export interface StackStats {
  /** Times that the list was read. */
  reloads: number;
  /** Questions answered without a system call, because the lock was held. */
  reloadsSkipped: number;
  tablesOpened: number;
  /** Tables that a reload found open already. */
  tablesReused: number;
  /** Times that the lock was taken. */
  locks: number;
  /** Time spent waiting for it, ms. */
  lockWait: number;
}

/** A snapshot and the list that it was made from. */
interface State {
  list: TableList;
  snapshot: StackSnapshot;
}

export class Stack {
  readonly store: TableStore;
  readonly stats: StackStats = {
    reloads: 0,
    reloadsSkipped: 0,
    tablesOpened: 0,
    tablesReused: 0,
    locks: 0,
    lockWait: 0,
  };
  readonly #options: StackOptions;
  #state: State | undefined;
  #locked = false;
  #closed = false;

  /** Reads nothing yet. */
  constructor(store: TableStore, options: StackOptions) {
    this.store = store;
    this.#options = options;
  }

  /**
   * The tables as of now, for one system call when nothing has changed, for none while the lock is held.
   * The snapshot is the stack's: `retain` it to keep it beyond the next question. When this throws, an
   * earlier snapshot stays usable. Throws `MISSING_TABLE`, `CORRUPT_LIST`, `CORRUPT_TABLE`, `IO`.
   */
  current(): StackSnapshot {
    return this.#current().snapshot;
  }

  /**
   * Takes the writers' lock, waiting at most `timeout` ms (default 100; 0: one try, -1: for ever), and
   * brings the snapshot up to date. Throws `LOCKED`, and what `current` throws.
   */
  async beginAddition(options: { timeout?: number | undefined } = {}): Promise<Addition> {
    this.#assertOpen();
    const asked = performance.now();
    const lock = await this.store.lock(options.timeout ?? DEFAULT_LOCK_TIMEOUT);
    this.stats.locks++;
    this.stats.lockWait += performance.now() - asked;
    const host: AdditionHost = {
      store: this.store,
      install: (list, written) => this.#installWritten(list, written),
      unlocked: () => {
        this.#locked = false;
        if (this.#closed) this.#replaceState(undefined);
      },
    };
    try {
      const { list, snapshot } = this.#current();
      const addition = new Addition(host, lock, list, snapshot);
      this.#locked = true;
      return addition;
    } catch (error) {
      // A lock that cannot be removed either must not hide why the stack cannot be read.
      await lock.release().catch(() => {});
      throw error;
    }
  }

  /** Lets go of the tables, once an addition under way and the snapshots that others retain do too. */
  close(): void {
    this.#closed = true;
    if (!this.#locked) this.#replaceState(undefined);
  }

  #current(): State {
    this.#assertOpen();
    const state = this.#state;
    if (state && this.#locked) {
      this.stats.reloadsSkipped++;
      return state;
    }
    return state && this.store.isCurrent(state.list) ? state : this.#reload();
  }

  #assertOpen(): void {
    if (!this.#closed) return;
    throw new RefError('CLOSED', `${this.store.location}: the stack is closed`);
  }

  /** Reads the list until all its tables are there: a compaction may remove some in between. */
  #reload(): State {
    const deadline = performance.now() + RELOAD_TIMEOUT;
    for (let pause = 1; ; pause = Math.min(pause + Math.random() * pause, LONGEST_PAUSE)) {
      const list = this.store.readList();
      this.stats.reloads++;
      try {
        return this.#install(list, (name) => this.store.open(name));
      } catch (error) {
        const vanished = error instanceof RefError && error.code === 'MISSING_TABLE';
        try {
          // In a list that has not changed, the table is not about to be found either.
          if (!vanished || this.store.isCurrent(list)) throw error;
        } finally {
          this.store.releaseList(list);
        }
        if (performance.now() + pause > deadline) throw error;
      }
      sleepSync(pause);
    }
  }

  /** Makes `list` the current one, with the tables that are open already and those that `open` opens. */
  #install(list: TableList, open: (name: string) => TableSource): State {
    const shared: SharedTable[] = [];
    try {
      for (const name of list.names) {
        const known = this.#state?.snapshot.share(name);
        shared.push(known ?? new SharedTable(name, this.#openTable(open(name))));
        if (known) this.stats.tablesReused++;
        else this.stats.tablesOpened++;
      }
    } catch (error) {
      for (const table of shared) table.release();
      throw error;
    }
    const state = { list, snapshot: new StackSnapshot(shared) };
    this.#replaceState(state);
    return state;
  }

  /** Makes the list of a commit the current one without reading what is known already. */
  #installWritten(list: TableList, written: WrittenTable): void {
    try {
      this.#assertOpen();
      this.#install(list, (name) =>
        written.size > READ_WHOLE_SIZE
          ? this.store.open(name)
          : bufferSource(`${this.store.location}/${name}`, Buffer.concat(written.chunks)),
      );
    } catch {
      // The commit stands, whatever this process can open: the next question reads the list anew.
      this.store.releaseList(list);
    }
  }

  #openTable(source: TableSource): Table {
    const table = Table.open(source, this.#options.compression);
    const { version, objectFormat } = table.header;
    if (objectFormat === this.#options.objectFormat) return table;
    table.close();
    const expected = `object ids of the repository's format, ${this.#options.objectFormat}`;
    throw new ReftableFormatError(source.name, version === 1 ? 4 : 24, expected, objectFormat);
  }

  #replaceState(state: State | undefined): void {
    const before = this.#state;
    this.#state = state;
    if (!before) return;
    before.snapshot.release();
    this.store.releaseList(before.list);
  }
}

/** Blocks the thread: reading is synchronous, and this is rare and short. */
function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
