// The repository that a command works on: the one around the current folder, or `$GIT_DIR`.

import type { RefStore } from '../refs/ref-store.ts';
import { openBackend } from '../repository/backend.ts';
import type { Config } from '../repository/config.ts';
import { readConfig } from '../repository/config-layers.ts';
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

/** Reads the settings that hold in the repository. Throws `RefError`. */
export function readRepositoryConfig(): Config {
  const { gitDir, commonDir, shownAs } = discoverGitDir('.', { env: process.env });
  return readConfig(gitDir, { env: process.env, commonDir, shownAs });
}
