// How what is wrong with files of refs is told.

import type { RefFault } from '../../refs/verification.ts';

/** Faults by the names that Git's `fsck.<msg-id>` settings have for them. */
export type FileFault =
  | RefFault
  | 'badPackedRefEntry'
  | 'badPackedRefHeader'
  | 'badRefContent'
  | 'badRefFiletype'
  | 'badRefName'
  | 'emptyPackedRefsFile'
  | 'packedRefEntryNotTerminated'
  | 'packedRefUnsorted'
  | 'refMissingNewline'
  | 'symlinkRef'
  | 'trailingRefContent';

export interface FileReport {
  /** Says what is looked at. */
  mention(what: string): void;
  /** Tells of a fault of a ref, or at a place; whether it counts as an error. */
  fault(path: string, fault: FileFault, message: string): boolean;
}
