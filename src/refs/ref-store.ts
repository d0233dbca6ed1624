// What a ref store answers and does, whatever its backend: the interface that callers see.

import type { ObjectFormat } from '../format/object-format.ts';
import type { ObjectSource } from '../objects/object-source.ts';
import type { Identity } from '../reflog/identity.ts';
import type { UpdateBatch } from './transaction/update-batch.ts';

/** A ref that holds an object id. */
export interface DirectRef {
  readonly name: string;
  /** The object id, lower-case hex. */
  readonly oid: string;
  /** What an annotated tag points at, peeled as far as it goes, where the store knows it. */
  readonly peeled?: string | undefined;
  readonly target?: undefined;
  /** The transaction that wrote this value; grows with every transaction on the stack. */
  readonly updateIndex: number;
}

/** A ref that names another ref. */
export interface SymbolicRef {
  readonly name: string;
  readonly oid?: undefined;
  readonly peeled?: undefined;
  /** The name of the ref that this one stands for; it need not exist. */
  readonly target: string;
  readonly updateIndex: number;
}

export type Ref = DirectRef | SymbolicRef;

export interface ReflogEntry {
  /** All zeros where the ref was created. */
  readonly oldOid: string;
  /** All zeros where the ref was deleted. */
  readonly newOid: string;
  readonly committer: Identity;
  /** One line, without its newline. */
  readonly message: string;
  readonly updateIndex: number;
}

export interface RefsOptions {
  /** Only names that begin with this, byte for byte (`refs/heads/`). */
  prefix?: string | undefined;
  /** Only names after this one in byte order. */
  after?: string | undefined;
  /** Also `HEAD` and the other refs outside `refs/`. Default false. */
  includeRoot?: boolean | undefined;
}

export interface ReflogOptions {
  /** Default `newest-first`. */
  order?: 'newest-first' | 'oldest-first' | undefined;
}

/** Questions that a store and a snapshot both answer. Every answer is synchronous. */
export interface RefReader {
  /** The ref itself, symrefs not followed; `undefined` if there is none. */
  read(name: string): Ref | undefined;
  /**
   * The ref at the end of the symrefs; `undefined` if the last of them names no ref (an unborn branch).
   * Throws `SYMREF_DEPTH` at the fifth.
   */
  resolve(name: string): DirectRef | undefined;
  /** Refs in byte order of their names, read as they are asked for. */
  refs(options?: RefsOptions): IterableIterator<Ref>;
  /** The refs whose object id, or peeled object id, is `oid`, in byte order of their names. */
  refsPointingAt(oid: string): IterableIterator<DirectRef>;
  reflog(name: string, options?: ReflogOptions): IterableIterator<ReflogEntry>;
  /** Whether the ref has a reflog, be it empty. */
  hasReflog(name: string): boolean;
  /** The names that have a reflog, in byte order. */
  reflogNames(): IterableIterator<string>;
}

/** One consistent view of all refs, unmoved by later transactions and compactions. */
export interface RefSnapshot extends RefReader, Disposable {
  /** Lets go of the files that the snapshot reads. Using it afterwards throws `CLOSED`. */
  close(): void;
}

/** One ref's part of a transaction. Object ids are hex; all zeros as an old id means "must not exist". */
export type RefUpdate = (
  | { type: 'create'; newOid: string }
  /** All zeros as the new id deletes the ref. */
  | { type: 'update'; newOid: string; oldOid?: string | undefined }
  | { type: 'delete'; oldOid?: string | undefined }
  /** Without an old id, the ref must not exist. */
  | { type: 'verify'; oldOid?: string | undefined }
  | { type: 'symref-create'; newTarget: string }
  | {
      type: 'symref-update';
      newTarget: string;
      oldTarget?: string | undefined;
      oldOid?: string | undefined;
    }
  | { type: 'symref-delete'; oldTarget?: string | undefined }
  /** Without an old target, the ref must not exist. */
  | { type: 'symref-verify'; oldTarget?: string | undefined }
) & {
  ref: string;
  /**
   * Whether the update goes to the ref that a symref names, and not to the symref. By default it does
   * for object ids (an update of `HEAD` moves the branch) and does not for `symref-…` (one of `HEAD`
   * changes branches).
   */
  deref?: boolean | undefined;
};

export interface TransactionOptions {
  /** The reflog message; folded to one line and cut to half a block, as Git does. Default empty. */
  message?: string | undefined;
  /**
   * Who made the change, and when; less what Git takes from names and addresses (`<`, `>`, newlines, punctuation
   * at either end). Default: from the environment and the configuration, as Git.
   */
  committer?: Identity | undefined;
  /** Write to a reflog even where the policy would not. Default false. */
  createReflog?: boolean | undefined;
  /**
   * Whether an update that cannot be made (its ref is not as expected, or its name in another's way) is left out
   * and told of as rejected, and the others are made. Default false: all are made, or none.
   */
  batchUpdates?: boolean | undefined;
}

/** Why a single update cannot be made, in Git's words. */
export type RejectionReason =
  /** The name is a folder of another ref's or the other way round, or the ref is updated twice. */
  | 'refname conflict'
  /** The object does not exist, or is no commit and the ref is a branch. */
  | 'invalid new value provided'
  | 'reference already exists'
  | 'reference does not exist'
  | 'incorrect old value provided'
  | 'expected symref but found regular ref';

/** An update that was left out of a transaction with `batchUpdates`. */
export interface RejectedUpdate {
  /** The ref; behind a symref that was to be followed, the one that it names. */
  readonly ref: string;
  readonly reason: RejectionReason;
  /** What a transaction of this update alone would have failed with. */
  readonly message: string;
  /** What is wrong with the object that it names, where that is damaged; as an error's cause. */
  readonly cause: unknown;
  /** All zeros where the ref was to be deleted; `undefined` where no object id was to be set. */
  readonly newOid: string | undefined;
  readonly newTarget: string | undefined;
  /**
   * All zeros where there was to be no ref; `undefined` where no object id was expected, or the object of a `create`
   * was refused.
   */
  readonly oldOid: string | undefined;
  readonly oldTarget: string | undefined;
}

export interface TransactionResult {
  /** The update index that the transaction was given; `undefined` if it changed nothing. */
  readonly updateIndex: number | undefined;
  /** What was left out, in the order in which that was found; nothing, unless `batchUpdates` allows it. */
  readonly rejected: readonly RejectedUpdate[];
}

/**
 * A transaction whose expectations were checked and whose lock is held: to commit it, only writing is left.
 * Until then nobody else can write, and other transactions of the store wait as they would for another process.
 * Disposing of it aborts it, if it was not committed.
 */
export interface PreparedTransaction extends AsyncDisposable {
  /** Throws `IO`, `LOCKED` (somebody removed the lock), `RECORD_TOO_LARGE`, and `CLOSED` if it is over. */
  commit(): Promise<TransactionResult>;
  /** Changes nothing and gives the lock back. If the transaction is over, it does nothing. */
  abort(): Promise<void>;
}

export interface WatchOptions {
  /** Only refs whose names begin with this, byte for byte (`refs/heads/`). */
  prefix?: string | undefined;
  /** Also `HEAD` and the other refs outside `refs/`. Default false. */
  includeRoot?: boolean | undefined;
  /** Ends the watching: what waits for the next change then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Whether the process lives on for as long as it watches. Default true. */
  persistent?: boolean | undefined;
  /**
   * How often to look, ms, for what the system does not tell of, as on network file systems; costs one system call.
   * 0: never. Default 1000.
   */
  pollInterval?: number | undefined;
}

/** One change of one ref: what it was set to, from what. */
export interface RefChange {
  readonly name: string;
  /** `undefined` where there was no ref, or a symref. */
  readonly oldOid: string | undefined;
  readonly oldTarget: string | undefined;
  /** `undefined` where there is no ref any more, or a symref. */
  readonly newOid: string | undefined;
  readonly newTarget: string | undefined;
  /** The transaction that made it; `undefined` where the store does not tell any more. */
  readonly updateIndex: number | undefined;
}

export interface OptimizeOptions {
  /**
   * Merge tables only where that is due, as is done after each transaction anyway, and pack loose refs only where there
   * are many. Default false: all.
   */
  auto?: boolean | undefined;
  /** Whether the file of a ref that was packed goes. Default true. */
  prune?: boolean | undefined;
  /** Globs, in which `*` may stand for slashes, too: only loose refs of such a name are packed. Default: all. */
  include?: readonly string[] | undefined;
  /** The same for loose refs that are not packed. */
  exclude?: readonly string[] | undefined;
  /** Log entries to drop on the way: those that are older than either says. Needs `auto: false` to reach all. */
  expireLogs?:
    | {
        /** Entries with a smaller update index. */
        minUpdateIndex?: number | undefined;
        /** Entries with an earlier time, seconds since the epoch. */
        minTime?: number | undefined;
      }
    | undefined;
}

/** One entry for a reflog. */
export interface ReflogWriting {
  oldOid: string;
  newOid: string;
  /** As in a transaction. */
  message?: string | undefined;
  /** As in a transaction. */
  committer?: Identity | undefined;
}

export interface ExpireReflogOptions {
  /**
   * Whether an entry goes. Called under the lock, for the oldest entry first; `tip` is the object id of the ref
   * itself, `undefined` for a symref or where there is none. Must not wait for another edit of this store's reflogs.
   */
  shouldExpire: (entry: ReflogEntry, tip: string | undefined) => boolean | Promise<boolean>;
  /** Make the old object id of each entry that stays the new one of the entry that stays before it. Default false. */
  rewrite?: boolean | undefined;
  /** Point the ref, unless it is a symref, at what the newest entry that stays says. Default false. */
  updateRef?: boolean | undefined;
  /** Ask, and change nothing. Default false. */
  dryRun?: boolean | undefined;
}

export interface RenameOptions {
  /** As in a transaction. */
  message?: string | undefined;
  /** As in a transaction. */
  committer?: Identity | undefined;
}

/**
 * What is done to reflogs by themselves, and to refs together with their reflogs. Each is one durable change, made
 * under the lock. All throw `LOCKED`, `IO`, `INVALID_ARGUMENT`, `RECORD_TOO_LARGE`, and what reading throws.
 */
export interface ReflogEditor {
  /**
   * Adds an entry as the newest, whatever the ref and the policy say. As in Git, an entry with a new object id of
   * all zeros ends the reflog instead. Throws `BAD_NAME`.
   */
  writeReflogEntry(name: string, entry: ReflogWriting): Promise<void>;
  /** Starts an empty reflog where there is none. Throws `BAD_NAME`. */
  createReflog(name: string): Promise<void>;
  /** Removes a reflog with all its entries; does nothing where there is none. */
  deleteReflog(name: string): Promise<void>;
  /** Removes entries. A reflog that has none left still exists. */
  expireReflog(name: string, options: ExpireReflogOptions): Promise<void>;
  /**
   * Gives a ref another name, and its reflog with it, which tells of that. A symref that names it (`HEAD`) goes on
   * naming the old name, but where it is `HEAD`, its reflog tells that the ref has gone. A ref of the new name is
   * overwritten. Throws `MISSING_REF`, `NAME_CONFLICT`, `BAD_NAME`, `INVALID_ARGUMENT` for a symref.
   */
  renameRef(oldName: string, newName: string, options?: RenameOptions): Promise<void>;
  /** Makes a second ref with the same value and a copy of the reflog. Throws as `renameRef`. */
  copyRef(oldName: string, newName: string, options?: RenameOptions): Promise<void>;
}

export interface RefStore extends RefReader, ReflogEditor, Disposable {
  readonly objectFormat: ObjectFormat;
  /** What its refs point at; `undefined` if the store was opened without. */
  readonly objects: ObjectSource | undefined;
  /** The view as of now. */
  snapshot(): RefSnapshot;
  /**
   * The changes of refs from this call on, whoever makes them, each ref's in their order (spec/watching.md). They are
   * looked for when they are asked for: who is slow gets them later, not fewer. Ends when it is returned from (leaving
   * `for await` does that). Throws `INVALID_ARGUMENT` and what reading the refs throws; the iterator rejects with
   * what reading them later throws, `NOT_A_REPOSITORY` where they have gone, and the reason of `signal`, and has
   * ended then: what to do is to read the refs anew, and to watch again.
   */
  watch(options?: WatchOptions): AsyncIterableIterator<RefChange>;
  /**
   * Makes all the updates, or none. Where the store knows of objects, a ref is only pointed at one that exists, and
   * a branch at a commit (`INVALID_NEW_VALUE`); what annotated tags stand for is stored as `peeled`.
   */
  transaction(
    updates: readonly RefUpdate[] | UpdateBatch,
    options?: TransactionOptions,
  ): Promise<TransactionResult>;
  /**
   * Takes the lock and checks everything, but writes nothing yet. Throws as `transaction` does. The caller must
   * commit or abort what it gets: until then the store is locked.
   */
  prepare(
    updates: readonly RefUpdate[] | UpdateBatch,
    options?: TransactionOptions,
  ): Promise<PreparedTransaction>;
  /** Tells the `reference-transaction` hook, if there is one, that these updates are not to be made. */
  discard(updates: UpdateBatch): Promise<void>;
  /**
   * Makes the refs fast to read, as `git pack-refs`: merges tables and removes what dead writers left, or packs loose
   * refs. Throws `LOCKED` where
   * others write or optimize for too long, `INVALID_ARGUMENT`, `IO`, and what reading the refs throws.
   */
  optimize(options?: OptimizeOptions): Promise<void>;
  /** Resolves when nothing is under way in the background: a transaction's promise does not wait for that. */
  idle(): Promise<void>;
  close(): void;
}
