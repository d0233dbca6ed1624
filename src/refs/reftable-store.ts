// A ref store on the stacks of reftables that a repository has.

import { RefError } from '../errors.ts';
import type { Compression } from '../format/compression.ts';
import type { ObjectFormat } from '../format/object-format.ts';
import type { ObjectSource } from '../objects/object-source.ts';
import type { Identity } from '../reflog/identity.ts';
import type { ReflogPolicy } from '../reflog/policy.ts';
import type { Stack, StackStats } from '../stack/stack.ts';
import { DEFAULT_BLOCK_SIZE } from '../table/table-writer-options.ts';
import type { Renaming } from './edits/rename.ts';
import type { EditHost } from './edits/store-edit.ts';
import type {
  ExpireReflogOptions,
  OptimizeOptions,
  PreparedTransaction,
  RefChange,
  ReflogWriting,
  RefSnapshot,
  RefStore,
  RefUpdate,
  RenameOptions,
  TransactionOptions,
  TransactionResult,
  WatchOptions,
} from './ref-store.ts';
import { ReftableSnapshot } from './reftable-snapshot.ts';
import { CommitQueue } from './transaction/commit-queue.ts';
import type { HeldCommit } from './transaction/held-commit.ts';
import { openIntake, type TakenUpdates, type TransactionIntake } from './transaction/intake.ts';
import { PendingTransaction, type TransactionParts } from './transaction/pending-transaction.ts';
import { Prepared } from './transaction/prepared.ts';
import { HookedTransaction, type TransactionHook } from './transaction/transaction-hook.ts';
import { checkedOptimizeOptions } from './transaction/transaction-options.ts';
import type { UpdateBatch } from './transaction/update-batch.ts';
import { stackFeeds } from './watching/stack-feed.ts';
import { checkedWatchOptions } from './watching/watch-options.ts';
import { watchRefs } from './watching/watch-refs.ts';
import { reachOf } from './worktrees/reach.ts';
import { WorktreeReader } from './worktrees/worktree-reader.ts';
import type { WorktreeStacks } from './worktrees/worktree-stacks.ts';

/** How a store writes. */
export interface ReftableStoreOptions {
  objectFormat: ObjectFormat;
  compression: Compression;
  policy: ReflogPolicy;
  /** Who makes a change, where a transaction does not say. */
  committer: () => Identity;
  /** How long to wait for the lock, ms; 0: one try, -1: for ever. */
  lockTimeout: number;
  /** Bytes; `undefined` for the default of 4096. */
  blockSize: number | undefined;
  /** Records; `undefined` for the default of 16. */
  restartInterval: number | undefined;
  indexObjects: boolean;
  /** Asked about each transaction, where it exists. */
  hook?: TransactionHook | undefined;
  /** Whether objects are being received that may yet be refused: no ref may name them until then. */
  isQuarantined?: boolean | undefined;
  /** What refs point at; without it, nothing that a ref is set to is looked at. */
  objects?: ObjectSource | undefined;
}

export class ReftableStore extends WorktreeReader implements RefStore {
  readonly #stacks: WorktreeStacks;
  readonly #options: ReftableStoreOptions;
  readonly #queue: CommitQueue<unknown>;
  #intake: TransactionIntake | undefined;
  /** Ends with the last edit that was called for. */
  #edits: Promise<unknown> = Promise.resolve();

  /** Owns the stacks and closes them. */
  constructor(stacks: WorktreeStacks, options: ReftableStoreOptions) {
    super(stacks, (stack) => stack.current());
    this.#stacks = stacks;
    this.#options = options;
    const { policy, blockSize = DEFAULT_BLOCK_SIZE } = options;
    this.#queue = new CommitQueue(options.lockTimeout, async () => {
      const { ReachCommits } = await import('./worktrees/reach-commit.ts');
      return new ReachCommits(stacks, { policy, blockSize, tables: options });
    });
  }

  get objectFormat(): ObjectFormat {
    return this.#options.objectFormat;
  }

  get objects(): ObjectSource | undefined {
    return this.#options.objects;
  }

  /** What the worktree's own stack has done so far. */
  get stats(): Readonly<StackStats> {
    return this.#stacks.own.stats;
  }

  snapshot(): RefSnapshot {
    return new ReftableSnapshot(this.#stacks);
  }

  watch(options: WatchOptions = {}): AsyncIterableIterator<RefChange> {
    const checked = checkedWatchOptions(options);
    return watchRefs(stackFeeds(this.#stacks, checked), checked);
  }

  /**
   * Transactions that wait at the same time are committed together, in the order of the calls. Only the time for
   * which others have the lock counts for `lockTimeout`, and not that of what this store does itself.
   *
   * Throws `BAD_NAME`, `INVALID_ARGUMENT`, `INVALID_NEW_VALUE`, `EXPECTED_OLD_VALUE`, `NAME_CONFLICT`,
   * `RECORD_TOO_LARGE`, `LOCKED`, `IO`, and what reading the stack and the objects throws; the refs are then as they
   * were.
   */
  async transaction(
    updates: readonly RefUpdate[] | UpdateBatch,
    options: TransactionOptions = {},
  ): Promise<TransactionResult> {
    const { hook } = this.#options;
    // One that a hook is asked about has the lock to itself, for as long as the hook runs.
    if (hook?.exists()) return (await this.#prepare(updates, options, hook)).commit();
    const taken = this.#take(updates, options);
    const asked = taken instanceof Promise ? await taken : taken;
    if (asked === undefined) return { updateIndex: undefined, rejected: [] };
    const transaction = new PendingTransaction(asked);
    this.#queue.push(transaction);
    return transaction.settled;
  }

  async prepare(
    updates: readonly RefUpdate[] | UpdateBatch,
    options: TransactionOptions = {},
  ): Promise<PreparedTransaction> {
    const { hook } = this.#options;
    return this.#prepare(updates, options, hook?.exists() ? hook : undefined);
  }

  async discard(updates: UpdateBatch): Promise<void> {
    updates.take();
    const { hook } = this.#options;
    if (hook?.exists()) await new HookedTransaction(hook, updates).tell('aborted');
  }

  async #prepare(
    updates: readonly RefUpdate[] | UpdateBatch,
    options: TransactionOptions,
    hook: TransactionHook | undefined,
  ): Promise<PreparedTransaction> {
    const taken = this.#take(updates, options);
    const asked = taken instanceof Promise ? await taken : taken;
    const hooked = hook && new HookedTransaction(hook, asked?.batch);
    // Without a hook it is in the queue at once, before what is called for after it.
    if (hooked !== undefined) await hooked.ask('preparing');
    const held = asked && (await this.#hold(asked));
    await hooked?.ask('prepared', async () => held?.abort());
    return new Prepared(held, hooked);
  }

  /** What a transaction needs; `undefined` for one without updates. A promise only where there is something to wait for. */
  #take(
    updates: readonly RefUpdate[] | UpdateBatch,
    options: TransactionOptions,
  ): TransactionParts | Promise<TransactionParts> | undefined {
    const { blockSize = DEFAULT_BLOCK_SIZE } = this.#options;
    this.#intake ??= openIntake({ ...this.#options, blockSize });
    const taken = this.#intake.take(updates, options);
    const parts = (each: TakenUpdates): TransactionParts => ({
      ...each,
      log: each.log(),
      reach: reachOf(each.batch, each.order, this.#stacks),
      queuedAt: this.#queue.clock,
    });
    return taken instanceof Promise ? taken.then(parts) : taken && parts(taken);
  }

  /** Has the transaction planned under the lock, which stays taken. */
  #hold(parts: TransactionParts): Promise<HeldCommit> {
    return new Promise((hold, reject) => {
      const transaction = new PendingTransaction({ ...parts, hold });
      transaction.settled.catch(reject);
      this.#queue.push(transaction);
    });
  }

  writeReflogEntry(name: string, entry: ReflogWriting): Promise<void> {
    return this.#edit(name, async (host, there) => {
      const { hook } = this.#options;
      const { writeReflogEntry } = await import('./edits/reflog-edits.ts');
      if (!hook?.exists()) return writeReflogEntry(host, there, entry);
      // To Git this is a transaction, in which no ref is written.
      const hooked = new HookedTransaction(hook, undefined);
      const lock = () => hooked.around(host.lock);
      await writeReflogEntry({ ...host, lock }, there, entry);
      await hooked.tell('committed');
    });
  }

  createReflog(name: string): Promise<void> {
    return this.#edit(name, async (host, there) => {
      const { createReflog } = await import('./edits/reflog-edits.ts');
      await createReflog(host, there);
    });
  }

  deleteReflog(name: string): Promise<void> {
    return this.#edit(name, async (host, there) => {
      const { deleteReflog } = await import('./edits/reflog-edits.ts');
      await deleteReflog(host, there);
    });
  }

  expireReflog(name: string, options: ExpireReflogOptions): Promise<void> {
    return this.#edit(name, async (host, there) => {
      const { expireReflog } = await import('./edits/reflog-edits.ts');
      await expireReflog(host, there, options);
    });
  }

  renameRef(oldName: string, newName: string, options: RenameOptions = {}): Promise<void> {
    return this.#rename({ ...options, oldName, newName, copies: false });
  }

  copyRef(oldName: string, newName: string, options: RenameOptions = {}): Promise<void> {
    return this.#rename({ ...options, oldName, newName, copies: true });
  }

  #rename(renaming: Renaming): Promise<void> {
    return this.#edit(renaming.newName, async (host, there) => {
      const { renameRef } = await import('./edits/rename.ts');
      await renameRef(host, { ...renaming, newName: there });
    });
  }

  /** In a linked worktree its own stack alone is optimized, as Git does. */
  async optimize(options: OptimizeOptions = {}): Promise<void> {
    const { auto = false, expireLogs } = checkedOptimizeOptions(options);
    const { own } = this.#stacks;
    await own.compact(auto ? 'geometric' : 'all', expireLogs);
    await own.clean();
  }

  async idle(): Promise<void> {
    for (const stack of this.#stacks.open) await stack.idle();
  }

  close(): void {
    this.#stacks.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** One edit after the other: they would wait for each other's lock, and only for so long. */
  #edit(name: string, work: (host: EditHost, name: string) => Promise<void>): Promise<void> {
    const edit = this.#edits.then(() => {
      const { stack, name: there } = this.#stacks.locate(name);
      return work(this.#editHost(stack, name), there);
    });
    this.#edits = edit.catch(() => {});
    return edit;
  }

  /** For what is done in one stack; `name` is a ref in it. */
  #editHost(stack: Stack | undefined, name: string): EditHost {
    if (stack === undefined) {
      throw new RefError('IO', `'${name}': there is no such worktree`, { ref: name });
    }
    const tables = this.#options;
    const {
      objectFormat,
      objects,
      committer,
      blockSize = DEFAULT_BLOCK_SIZE,
      lockTimeout,
    } = tables;
    const lock = () => stack.beginAddition({ timeout: lockTimeout, purpose: 'maintenance' });
    return { objectFormat, objects, committer, blockSize, lock, tables };
  }
}
