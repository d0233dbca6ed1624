// The repository that a command works on: the one around the current folder, or `$GIT_DIR`.

import type { RefStore } from '../refs/ref-store.ts';
import { openBackend } from '../repository/backend.ts';
import { discoverGitDir } from '../repository/discover.ts';

/** Opens the refs of the repository. The process's end closes them. Throws `RefError`. */
export function openRepository(): RefStore {
  const { gitDir, workTree, shownAs } = discoverGitDir('.', { env: process.env });
  return openBackend(gitDir, { hasWorkTree: workTree !== undefined, shownAs });
}
