// The branch that HEAD names, for the settings that hold on it alone. It is asked for before the store is opened,
// whose settings these may be.

import { join } from 'node:path';
import type { ObjectFormat } from '../format/object-format.ts';
import { MAX_SYMREF_DEPTH } from '../refs/resolve.ts';
import { DirectoryTableStore } from '../stack/directory-table-store.ts';
import { Stack } from '../stack/stack.ts';
import { nodeCompression } from '../storage/node-compression.ts';
import { nodeFileSystem } from '../storage/node-file-system.ts';

/**
 * The branch at the end of the symrefs that begin at HEAD, born or not, without `refs/heads/`; `undefined` where
 * HEAD names none. Throws what reading a stack throws.
 */
export function currentBranch(
  { gitDir, commonDir }: { gitDir: string; commonDir: string },
  objectFormat: ObjectFormat,
): string | undefined {
  let name = 'HEAD';
  // HEAD is the worktree's own, the branches are all worktrees'.
  for (let depth = 0; depth < MAX_SYMREF_DEPTH; depth++) {
    const folder = depth === 0 ? gitDir : commonDir;
    const target = targetOf(name, join(folder, 'reftable'), objectFormat);
    if (target === undefined) {
      const branches = 'refs/heads/';
      return name.startsWith(branches) ? name.slice(branches.length) : undefined;
    }
    name = target;
  }
  return undefined;
}

function targetOf(name: string, folder: string, objectFormat: ObjectFormat): string | undefined {
  const store = new DirectoryTableStore(nodeFileSystem, folder);
  const stack = new Stack(store, { objectFormat, compression: nodeCompression });
  try {
    return stack.current().merged.readRef(name)?.target;
  } finally {
    stack.close();
  }
}
