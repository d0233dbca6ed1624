// `reftable`: Git's ref storage for JavaScript. The only face of the library; what is not named here, or
// by one of the sub-paths in package.json, is private.

export { RefError, type RefErrorCode, ReftableFormatError } from './errors.ts';
export type { ObjectFormat } from './format/object-format.ts';
export type {
  GitObject,
  ObjectFinding,
  ObjectHeader,
  ObjectSource,
  ObjectType,
} from './objects/object-source.ts';
export type { Identity } from './reflog/identity.ts';
export { gitReflogPolicy, type LogAllRefUpdates, type ReflogPolicy } from './reflog/policy.ts';
export type {
  DirectRef,
  ExpireReflogOptions,
  OptimizeOptions,
  PreparedTransaction,
  Ref,
  RefChange,
  ReflogEditor,
  ReflogEntry,
  ReflogOptions,
  ReflogWriting,
  RefReader,
  RefSnapshot,
  RefStore,
  RefsOptions,
  RefUpdate,
  RejectedUpdate,
  RejectionReason,
  RenameOptions,
  SymbolicRef,
  TransactionOptions,
  TransactionResult,
  WatchOptions,
} from './refs/ref-store.ts';
export type { OpenRefStoreOptions } from './repository/backend.ts';
export type { GitDirs } from './repository/discover.ts';
export type { InitOptions, InitResult } from './repository/init.ts';
export {
  type MigrateOptions,
  type MigrateResult,
  migrateRefStorage,
} from './repository/migrate-ref-storage.ts';
export {
  type DiscoverOptions,
  discoverGitDir,
  initRepository,
  openRefStore,
} from './repository/open-ref-store.ts';
