// A ref store on files: loose refs, packed-refs and reflogs, as Git has them in the ref storage `files`. What changes
// them is imported when it is called for, since those who only read need not wait for it.

import type { ObjectFormat } from '../format/object-format.ts';
import type { ObjectSource } from '../objects/object-source.ts';
import type { Identity } from '../reflog/identity.ts';
import type { ReflogPolicy } from '../reflog/policy.ts';
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
} from '../refs/ref-store.ts';
import { openIntake, type TransactionIntake } from '../refs/transaction/intake.ts';
import { Prepared } from '../refs/transaction/prepared.ts';
import { HookedTransaction, type TransactionHook } from '../refs/transaction/transaction-hook.ts';
import { checkedOptimizeOptions } from '../refs/transaction/transaction-options.ts';
import type { UpdateBatch } from '../refs/transaction/update-batch.ts';
import { checkedWatchOptions } from '../refs/watching/watch-options.ts';
import { watchRefs } from '../refs/watching/watch-refs.ts';
import type { FileSystem } from '../storage/file-system.ts';
import type { RefFileSystem } from '../storage/ref-file-system.ts';
import { FilesFeed } from './files-feed.ts';
import type { FilesHost } from './files-host.ts';
import { FilesReader } from './files-reader.ts';
import { FilesSnapshot } from './files-snapshot.ts';
import { FilesView } from './files-view.ts';
import { LooseRefs } from './loose-refs.ts';
import { PackedRefsFile } from './packed-refs/packed-refs-file.ts';
import { type RefFolders, RefPaths } from './ref-paths.ts';
import { ReflogFiles } from './reflog-files.ts';
import type { FileRenaming } from './renaming.ts';

/** How a store reads and writes. */
export interface FilesStoreOptions {
  /** What loose refs and reflogs are in. */
  files: RefFileSystem;
  /** What packed-refs is in. */
  fileSystem: FileSystem;
  objectFormat: ObjectFormat;
  policy: ReflogPolicy;
  /** Who makes a change, where a transaction does not say. */
  committer: () => Identity;
  /** How long to wait for the lock of a ref, and for that of packed-refs, ms; 0: one try, -1: for ever. */
  refLockTimeout: number;
  packedRefsTimeout: number;
  /** What a new packed-refs is written as. */
  packedRefsVersion?: 1 | 2 | undefined;
  hashPackedRefs?: boolean | undefined;
  /** Whether what is written is forced to the disk. */
  fsync: boolean;
  /** Exact permission bits of files; `undefined`: as the umask has it. */
  fileMode: number | undefined;
  /** Gives a new folder the permissions that it is to have. */
  share: (folder: string) => void;
  /** Asked about each transaction, where it exists. */
  hook?: TransactionHook | undefined;
  /** Whether objects are being received that may yet be refused: no ref may name them until then. */
  isQuarantined?: boolean | undefined;
  /** What refs point at; without it, nothing that a ref is set to is looked at. */
  objects?: ObjectSource | undefined;
}

export class FilesStore extends FilesReader implements RefStore {
  readonly #host: FilesHost;
  readonly #options: FilesStoreOptions;
  #intake: TransactionIntake | undefined;
  /** Ends with the last change that was called for. */
  #changes: Promise<unknown> = Promise.resolve();

  constructor(folders: RefFolders, options: FilesStoreOptions) {
    const { files, fileSystem, objectFormat, packedRefsTimeout, fsync, fileMode } = options;
    const paths = new RefPaths(folders);
    const packed = new PackedRefsFile(fileSystem, paths.packedRefs, {
      ...{ objectFormat, fsync, fileMode, lockTimeout: packedRefsTimeout },
      version: options.packedRefsVersion,
      isHashed: options.hashPackedRefs,
      shownAs: paths.shown(paths.packedRefs),
    });
    const loose = new LooseRefs(files, paths, objectFormat);
    const logs = new ReflogFiles(files, objectFormat);
    const view = new FilesView(paths, loose, logs, () => packed.current());
    super(view);
    const { objects, policy, committer, refLockTimeout, share } = options;
    this.#host = {
      ...{ files, view, packed, objectFormat, objects, policy, committer },
      ...{ refLockTimeout, fsync, fileMode, share },
    };
    this.#options = options;
  }

  get objectFormat(): ObjectFormat {
    return this.#options.objectFormat;
  }

  get objects(): ObjectSource | undefined {
    return this.#options.objects;
  }

  snapshot(): RefSnapshot {
    return new FilesSnapshot(this.#host);
  }

  watch(options: WatchOptions = {}): AsyncIterableIterator<RefChange> {
    const checked = checkedWatchOptions(options);
    return watchRefs([new FilesFeed(this, checked)], checked);
  }

  /**
   * Transactions are made one after the other, in the order of the calls. Each is all or nothing up to its first
   * write; what a crash leaves in the midst of writing is told in spec/files.md.
   *
   * Throws `BAD_NAME`, `INVALID_ARGUMENT`, `INVALID_NEW_VALUE`, `EXPECTED_OLD_VALUE`, `NAME_CONFLICT`, `LOCKED`,
   * `CORRUPT_REF`, `IO`, and what reading the objects throws.
   */
  async transaction(
    updates: readonly RefUpdate[] | UpdateBatch,
    options: TransactionOptions = {},
  ): Promise<TransactionResult> {
    return this.#inTurn(async () => (await this.#prepare(updates, options)).commit());
  }

  async prepare(
    updates: readonly RefUpdate[] | UpdateBatch,
    options: TransactionOptions = {},
  ): Promise<PreparedTransaction> {
    return this.#inTurn(() => this.#prepare(updates, options));
  }

  async discard(updates: UpdateBatch): Promise<void> {
    updates.take();
    const { hook } = this.#options;
    if (hook?.exists()) await new HookedTransaction(hook, updates).tell('aborted');
  }

  async writeReflogEntry(name: string, entry: ReflogWriting): Promise<void> {
    return this.#inTurn(async () => {
      const { hook } = this.#options;
      // To Git this is a transaction, in which no ref is written.
      const hooked = hook?.exists() ? new HookedTransaction(hook, undefined) : undefined;
      await hooked?.ask('preparing');
      const { writeReflogEntry } = await import('./reflog-edits.ts');
      await writeReflogEntry(this.#host, name, entry, async () => hooked?.ask('prepared'));
      await hooked?.tell('committed');
    });
  }

  createReflog(name: string): Promise<void> {
    return this.#inTurn(async () => {
      const { createReflog } = await import('./reflog-edits.ts');
      await createReflog(this.#host, name);
    });
  }

  deleteReflog(name: string): Promise<void> {
    return this.#inTurn(async () => {
      const { deleteReflog } = await import('./reflog-edits.ts');
      await deleteReflog(this.#host, name);
    });
  }

  expireReflog(name: string, options: ExpireReflogOptions): Promise<void> {
    return this.#inTurn(async () => {
      const { expireReflog } = await import('./reflog-edits.ts');
      await expireReflog(this.#host, name, options);
    });
  }

  renameRef(oldName: string, newName: string, options: RenameOptions = {}): Promise<void> {
    return this.#rename({ ...options, oldName, newName, copies: false });
  }

  copyRef(oldName: string, newName: string, options: RenameOptions = {}): Promise<void> {
    return this.#rename({ ...options, oldName, newName, copies: true });
  }

  /** Packs loose refs. `expireLogs` is for tables: what is in a log file stays. */
  optimize(options: OptimizeOptions = {}): Promise<void> {
    const {
      auto = false,
      prune = true,
      include = ['*'],
      exclude = [],
    } = checkedOptimizeOptions(options);
    const { hook } = this.#options;
    const asked = hook?.exists() ? hook : undefined;
    return this.#inTurn(async () => {
      const { packRefs } = await import('./packing.ts');
      await packRefs(this.#host, { auto, prune, include, exclude }, asked);
    });
  }

  async idle(): Promise<void> {
    await this.#changes;
  }

  close(): void {
    this.#host.packed.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #rename(renaming: Omit<FileRenaming, 'deleteRef'>): Promise<void> {
    const deleteRef: FileRenaming['deleteRef'] = async (ref, oldOid, message) => {
      const updates: RefUpdate[] = [{ type: 'delete', ref, oldOid, deref: false }];
      const prepared = await this.#prepare(updates, { message, committer: renaming.committer });
      await prepared.commit();
    };
    return this.#inTurn(async () => {
      const { renameFile } = await import('./renaming.ts');
      await renameFile(this.#host, { ...renaming, deleteRef });
    });
  }

  async #prepare(
    updates: readonly RefUpdate[] | UpdateBatch,
    options: TransactionOptions,
  ): Promise<PreparedTransaction> {
    const { hook } = this.#options;
    const asking = hook?.exists() ? hook : undefined;
    // A log file has no blocks that a message would have to fit in.
    this.#intake ??= openIntake({ ...this.#options, blockSize: Number.POSITIVE_INFINITY });
    const taken = await this.#intake.take(updates, options);
    const hooked = asking && new HookedTransaction(asking, taken?.batch);
    await hooked?.ask('preparing');
    const { FilesTransaction } = await import('./files-transaction.ts');
    const held = taken && (await FilesTransaction.prepare(this.#host, taken, asking));
    await hooked?.ask('prepared', async () => held?.abort());
    return new Prepared(held, hooked);
  }

  /** One after the other: they would wait for each other's locks, and only for so long. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const change = this.#changes.then(work);
    this.#changes = change.catch(() => {});
    return change;
  }
}
