// Where a watcher's changes come from: a stack of tables, or whatever else a backend keeps its refs in.

import type { RefChange } from '../ref-store.ts';

export interface ChangeFeed {
  /** Calls `changed` when there may be changes, and gives the function that ends it; it may fail to call. */
  listen(persistent: boolean, changed: () => void): () => void;
  /** The changes since it was asked last, or since it was opened. */
  changes(): AsyncIterable<RefChange>;
  close(): void;
}
