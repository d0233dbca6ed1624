// A stack of tables: which of them are current, opened once and shared; how one is appended, and that the
// stack stays shallow.

import { monotonicNow } from '../clock.ts';
import { RefError, ReftableFormatError } from '../errors.ts';
import { Table } from '../table/table.ts';
import type { TableSource } from '../table/table-source.ts';
import type { Addition, AdditionHost } from './addition.ts';
import { cleanStack } from './cleaning.ts';
import type { CompactionHost, CompactionRequest, TableOptions } from './compaction.ts';
import {
  countedSize,
  DEFAULT_GEOMETRIC_FACTOR,
  type Segment,
  segmentToCompact,
} from './geometry.ts';
import { HeldStack, type StackOwner } from './held-stack.ts';
import { SharedTable, StackSnapshot } from './stack-snapshot.ts';
import type { StoreLock, TableList, TableStore } from './table-store.ts';

/** How long to look for a list whose tables are all there, ms: as long as Git does. */
const RELOAD_TIMEOUT = 3000;

/** The longest pause between two such looks, ms: it blocks the thread. */
const LONGEST_PAUSE = 20;

/** Git's `reftable.lockTimeout`, ms. */
const DEFAULT_LOCK_TIMEOUT = 100;

interface StackOptions extends TableOptions {
  /** How long to wait for the lock, ms; 0: one try, -1: for ever. Default 100. */
  lockTimeout?: number | undefined;
  /** Whether each append is followed by the compaction that Git would do. Default true. */
  autoCompaction?: boolean | undefined;
  /** How much larger than the next newer one a table has to be to be left alone. Default 2. */
  geometricFactor?: number | undefined;
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
  compactions: number;
  /** Compactions that failed, or that others were in the way of. */
  compactionsFailed: number;
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
    compactions: 0,
    compactionsFailed: 0,
  };
  readonly #options: StackOptions;
  #state: State | undefined;
  #locked = false;
  #closed = false;
  /** The compaction that is under way. */
  #compacting: Promise<void> | undefined;
  /** Whether a table was appended since it began. */
  #appendedMeanwhile = false;
  /** End when the lock that an addition, or maintenance, has or asks for is given back. */
  readonly #ends = { addition: Promise.resolve(), maintenance: Promise.resolve() };
  readonly #owner: StackOwner;
  readonly #compactionHost: CompactionHost;
  readonly #additionHost: AdditionHost;

  /** Reads nothing yet. */
  constructor(store: TableStore, options: StackOptions) {
    this.store = store;
    this.#options = options;
    this.#owner = {
      store,
      install: (list, known) => this.#installChanged(list, known),
      unlocked: () => {
        this.#locked = false;
        if (this.#closed) this.#replaceState(undefined);
      },
    };
    this.#compactionHost = { store, tableOptions: options, hold: () => this.#hold('maintenance') };
    const { autoCompaction = true } = options;
    this.#additionHost = {
      store,
      tableOptions: options,
      unbalanced: (snapshot, addedSize) =>
        autoCompaction ? this.#unbalanced(snapshot, addedSize) : undefined,
      folded: () => this.stats.compactions++,
      appended: () => this.#keepShallow(),
    };
  }

  /**
   * The tables as of now, for one system call when nothing has changed, for none while the lock is held.
   * The snapshot is the stack's: `retain` it to keep it beyond the next question. When this throws, an
   * earlier snapshot stays usable. Throws `MISSING_TABLE`, `CORRUPT_LIST`, `CORRUPT_TABLE`, `IO`.
   */
  current(): StackSnapshot {
    this.#assertOpen();
    return this.#current().snapshot;
  }

  /**
   * Takes the writers' lock, waiting at most `timeout` ms (0: one try, -1: for ever), and brings the
   * snapshot up to date. Additions for maintenance wait for all others of this stack first, whatever their time;
   * two of them at once do not wait for each other. Throws `LOCKED`, and what `current` throws.
   */
  async beginAddition(
    options: { timeout?: number | undefined; purpose?: 'addition' | 'maintenance' } = {},
  ): Promise<Addition> {
    this.#assertOpen();
    const loading = import('./addition.ts');
    const held = await this.#hold(options.purpose ?? 'addition', options.timeout);
    try {
      const { Addition } = await loading;
      return new Addition(this.#additionHost, held);
    } catch (error) {
      await held.release().catch(() => {});
      throw error;
    }
  }

  /**
   * Merges tables where Git's automatic compaction would, or all of them; and leaves out the log entries that
   * `expiry` names. Throws `LOCKED`, `IO`, and what `current` throws.
   */
  async compact(which: 'all' | 'geometric', expiry?: CompactionRequest['expiry']): Promise<void> {
    this.#assertOpen();
    // One after the other: they would be in each other's way.
    await this.idle();
    const isAll = which === 'all';
    const choose = (snapshot: StackSnapshot) =>
      isAll ? wholeStack(snapshot, expiry !== undefined) : this.#unbalanced(snapshot);
    const compacting = this.#compact({ choose, bestEffort: !isAll, expiry });
    const ended = () => {
      this.#compacting = undefined;
    };
    this.#compacting = compacting.then(ended, ended);
    await compacting;
  }

  /** Removes tables that no list names, and what dead writers left. Throws `LOCKED`, `IO`. */
  async clean(): Promise<void> {
    this.#assertOpen();
    const held = await this.#hold('maintenance');
    try {
      cleanStack(this.store, held.snapshot, this.#options.compression);
    } finally {
      await held.release();
    }
  }

  /** Resolves when no compaction is under way. */
  async idle(): Promise<void> {
    while (this.#compacting !== undefined) await this.#compacting;
  }

  /** Lets go of the tables, once an addition under way and the snapshots that others retain do too. */
  close(): void {
    this.#closed = true;
    if (!this.#locked) this.#replaceState(undefined);
  }

  /**
   * Takes the writers' lock. An addition and maintenance of this stack wait for each other first, whatever their
   * time: neither has the lock for long, unless it says so, and it is no time that others kept anybody waiting.
   */
  async #hold(
    purpose: 'addition' | 'maintenance',
    timeout = this.#options.lockTimeout ?? DEFAULT_LOCK_TIMEOUT,
  ): Promise<HeldStack> {
    const before = this.#ends[purpose === 'addition' ? 'maintenance' : 'addition'];
    let end!: () => void;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#ends[purpose] = Promise.all([this.#ends[purpose], ended]).then(() => {});
    try {
      await before;
      return await this.#take(timeout, end);
    } catch (error) {
      end();
      throw error;
    }
  }

  async #take(timeout: number, released: () => void): Promise<HeldStack> {
    const asked = monotonicNow();
    const lock = await this.store.lock(timeout);
    this.stats.locks++;
    this.stats.lockWait += monotonicNow() - asked;
    try {
      const { list, snapshot } = this.#current();
      const held = new HeldStack(this.#owner, endingWith(lock, released), list, snapshot, released);
      this.#locked = true;
      return held;
    } catch (error) {
      // A lock that cannot be removed either must not hide why the stack cannot be read.
      await lock.release().catch(() => {});
      throw error;
    }
  }

  /** Compacts after an append, as Git does. Nobody waits for it here, and its failure is nobody's. */
  #keepShallow(): void {
    const { autoCompaction = true } = this.#options;
    this.#appendedMeanwhile = this.#compacting !== undefined;
    if (!autoCompaction || this.#compacting || !this.#state) return;
    const choose = (snapshot: StackSnapshot) => this.#unbalanced(snapshot);
    if (choose(this.#state.snapshot) === undefined) return;
    this.#compacting = this.#compact({ choose, bestEffort: true })
      .then(
        () => true,
        () => false,
      )
      .then((succeeded) => {
        this.#compacting = undefined;
        // Once an append, as in Git, even where what was made is out of proportion again.
        if (succeeded && this.#appendedMeanwhile) this.#keepShallow();
      });
  }

  async #compact(request: CompactionRequest): Promise<void> {
    try {
      const { compact } = await import('./compaction.ts');
      if (await compact(this.#compactionHost, request)) this.stats.compactions++;
    } catch (error) {
      this.stats.compactionsFailed++;
      throw error;
    }
  }

  /** The tables to merge for a geometric sequence; as if one of `added` bytes stood behind them. */
  #unbalanced({ tables }: StackSnapshot, ...added: number[]): Segment | undefined {
    const { objectFormat, geometricFactor = DEFAULT_GEOMETRIC_FACTOR } = this.#options;
    const sizes = tables.map(({ size, header }) => countedSize(size, header.version, objectFormat));
    return segmentToCompact([...sizes, ...added], geometricFactor);
  }

  #current(): State {
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
    const deadline = monotonicNow() + RELOAD_TIMEOUT;
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
        if (monotonicNow() + pause > deadline) throw error;
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

  /** Makes a list that was written here the current one, without reading what is known already. */
  #installChanged(list: TableList, known: ReadonlyMap<string, TableSource>): void {
    try {
      this.#install(list, (name) => known.get(name) ?? this.store.open(name));
    } catch {
      // The change stands, whatever this process can open: the next question reads the list anew.
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

/** The same lock; `released` is called when it was given back, or could not be. */
function endingWith(lock: StoreLock, released: () => void): StoreLock {
  return { release: () => lock.release().finally(released) };
}

/** One table alone is worth merging only to leave something out. */
function wholeStack({ tables }: StackSnapshot, evenOne: boolean): Segment | undefined {
  return tables.length > (evenOne ? 0 : 1) ? { first: 0, last: tables.length - 1 } : undefined;
}

/** Blocks the thread: reading is synchronous, and this is rare and short. */
function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
