// How `packed-refs` is read and written.

import type { ObjectFormat } from '../../format/object-format.ts';

export interface PackedRefsFormat {
  objectFormat: ObjectFormat;
  /**
   * The version that is written (`refs.packedRefsVersion`); with it, both are read. Default: version 1 alone is known,
   * as to Git.
   */
  version?: 1 | 2 | undefined;
  /** Whether version 2 is hashed, and the hash verified when it is read (`refs.hashPackedRefs`). Default false. */
  isHashed?: boolean | undefined;
  /** How messages about what the file holds name it. Default: its path. */
  shownAs?: string | undefined;
}
