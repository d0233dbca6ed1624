// The repository that a command works on: the one around the current folder, or `$GIT_DIR`.

import type { RefStore } from '../refs/ref-store.ts';
import { openBackend } from '../repository/backend.ts';
import { discoverGitDir } from '../repository/discover.ts';
import { hint } from './output.ts';

/** Opens the refs of the repository. The process's end closes them. Throws `RefError`. */
export function openRepository(): RefStore {
  const { env } = process;
  const { gitDir, commonDir, workTree, shownAs } = discoverGitDir('.', { env });
  return openBackend(gitDir, {
    ...{ commonDir, hasWorkTree: workTree !== undefined, workTree, shownAs },
    isFound: env.GIT_DIR === undefined,
    advise: hint,
  });
}
