// What transactions and edits of the files backend are made with.

import type { ObjectFormat } from '../format/object-format.ts';
import type { ObjectSource } from '../objects/object-source.ts';
import type { Identity } from '../reflog/identity.ts';
import type { ReflogPolicy } from '../reflog/policy.ts';
import type { RefFileSystem } from '../storage/ref-file-system.ts';
import type { FilesView } from './files-view.ts';
import type { PackedRefsFile } from './packed-refs/packed-refs-file.ts';

export interface FilesHost {
  readonly files: RefFileSystem;
  readonly view: FilesView;
  readonly packed: PackedRefsFile;
  readonly objectFormat: ObjectFormat;
  /** What refs point at; without it, nothing is looked up. */
  readonly objects: ObjectSource | undefined;
  readonly policy: ReflogPolicy;
  /** Who makes a change, where a caller does not say. */
  committer(): Identity;
  /** How long to wait for the lock of a ref, ms; 0: one try, -1: for ever. */
  readonly refLockTimeout: number;
  /** Whether what is written is forced to the disk. */
  readonly fsync: boolean;
  /** Exact permission bits of files; `undefined`: as the umask has it. */
  readonly fileMode: number | undefined;
  /** Gives a new folder the permissions that it is to have. */
  share(folder: string): void;
}
