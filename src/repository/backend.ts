// The backend that a repository's configuration names, with the settings that matter to both. Each is loaded when it is
// first opened.

import { readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { RefError } from '../errors.ts';
import type { ObjectSource } from '../objects/object-source.ts';
import { committerIdentity } from '../reflog/identity.ts';
import { gitReflogPolicy, type ReflogPolicy } from '../reflog/policy.ts';
import type { RefStore } from '../refs/ref-store.ts';
import type { Config } from './config.ts';
import { environmentBoolean } from './config-environment.ts';
import { readConfig } from './config-layers.ts';
import { openFiles } from './files-backend.ts';
import { linkedCommonDir } from './git-dir.ts';
import { repositoryObjects } from './objects.ts';
import { assertOwned } from './ownership.ts';
import { refSettings } from './ref-settings.ts';
import { openReftable } from './reftable-backend.ts';
import { repositoryFormat } from './repository-format.ts';
import { shareFile } from './shared-permissions.ts';
import { transactionHook } from './transaction-hook.ts';

export interface OpenRefStoreOptions {
  /** The variables that Git would look at (`GIT_CONFIG_…`, `GIT_COMMITTER_…`). Default: the process's. */
  env?: Record<string, string | undefined> | undefined;
  /**
   * How long to wait for the lock, ms; 0: one try, -1: for ever. Default: `reftable.lockTimeout`, 100; for files
   * `core.filesRefLockTimeout`, 100, and `core.packedRefsTimeout`, 1000.
   */
  lockTimeout?: number | undefined;
  /** Who gets logged. Default: Git's policy for `core.logAllRefUpdates`. */
  reflogPolicy?: ReflogPolicy | undefined;
  /** Whether a transaction is forced to the disk before it resolves. Default: true, unless `core.fsync` says no. */
  fsync?: boolean | undefined;
  /** Whether tables are merged after a transaction where Git would merge them. Default true. */
  autoCompaction?: boolean | undefined;
  /**
   * What refs point at: a transaction checks that it exists and has the right type, and stores what annotated
   * tags stand for. `false`: nothing is looked up. Default: the repository's own objects.
   */
  objects?: ObjectSource | false | undefined;
}

/** What is known where the repository was looked for. */
interface FoundRepository {
  /** The folder that holds `config`. Default: what a linked worktree is linked to, else `gitDir`. */
  commonDir?: string;
  /** What its configuration says, where that was read already. */
  config?: Config | undefined;
  /** Whether it has a work tree, as far as it can be told without the configuration. */
  hasWorkTree?: boolean;
  /** The root of its work tree, where its hooks run. Default: as `gitDir` tells. */
  workTree?: string | undefined;
  /** Where in the work tree the caller stands, for its hooks. Default: at its root. */
  prefix?: string | undefined;
  /** How messages name `gitDir`. Default: as it is given. */
  shownAs?: string;
  /** Whether it was come upon, and not named: its hooks are then run only if it is the user's own. */
  isFound?: boolean | undefined;
  /** Told of hooks that are there but cannot be run. */
  advise?: ((message: string) => void) | undefined;
}

/**
 * Opens the refs of the repository at `gitDir`. Throws as `openRefStore` does, which checks the shape of
 * `options` first.
 */
export function openBackend(
  gitDir: string,
  options: OpenRefStoreOptions & FoundRepository = {},
): RefStore {
  const env = options.env ?? process.env;
  const linkedTo = linkedCommonDir(gitDir);
  const isLinked = linkedTo !== undefined;
  const { commonDir = linkedTo ?? gitDir } = options;
  const { config = readConfig(gitDir, { env, commonDir, shownAs: options.shownAs }) } = options;
  if (config.only('local').entries.length === 0) {
    const message = `not a git repository: '${gitDir}'`;
    throw new RefError('NOT_A_REPOSITORY', message, { file: gitDir });
  }
  const { objectFormat, refStorage, bare } = repositoryFormat(config, {
    linkedWorktree: isLinked,
  });
  const { logAllRefUpdates, fileMode, shared, ...settings } = refSettings(config, env);
  const { fsync = settings.fsync } = options;
  /** As Git sees it: not told to have a work tree, and without one. */
  const isBare = () => {
    const { hasWorkTree = isLinked || basename(gitDir) === '.git' } = options;
    if (config.getBoolean('core.bare') === false || env.GIT_WORK_TREE !== undefined) return false;
    if (bare === true || hasWorkTree) return bare === true;
    const mayBeTold = environmentBoolean(env, 'GIT_IMPLICIT_WORK_TREE', true);
    return !mayBeTold || config.find('core.worktree') === undefined;
  };
  const folder = options.workTree ?? workTreeOf(gitDir, commonDir, bare);
  const hook = transactionHook({
    ...{ config, env, folder, prefix: options.prefix, advise: options.advise },
    gitDir: options.isFound === true ? foundGitDir(resolve(gitDir), folder) : resolve(gitDir),
    commonDir: resolve(commonDir),
    assertTrusted: () => {
      if (options.isFound === true) assertOwned(folder, config);
    },
  });
  const common = {
    hook,
    isQuarantined: env.GIT_QUARANTINE_PATH !== undefined,
    objectFormat,
    policy: options.reflogPolicy ?? gitReflogPolicy({ mode: logAllRefUpdates, bare: isBare() }),
    committer: () => committerIdentity({ env, config: (key) => config.get(key) }),
    objects:
      options.objects === undefined
        ? repositoryObjects(commonDir, objectFormat, env)
        : options.objects || undefined,
  };
  if (refStorage === 'files') {
    const folders = { gitDir: resolve(gitDir), commonDir: resolve(commonDir) };
    const { shownAs = gitDir } = options;
    return openFiles({ ...folders, shownAs }, config, {
      ...{ ...common, fsync, fileMode, lockTimeout: options.lockTimeout },
      share: (folder) => shareFile(folder, shared),
    });
  }
  return openReftable(gitDir, config, {
    ...{ ...common, fsync, fileMode, lockTimeout: options.lockTimeout },
    autoCompaction: options.autoCompaction ?? settings.autoCompaction,
  });
}

/** As Git has it in the environment of a hook that runs in `folder`, where the repository was come upon. */
function foundGitDir(gitDir: string, folder: string): string | undefined {
  if (gitDir === folder) return '.';
  // A hook that goes to another repository must find that one.
  return gitDir === join(folder, '.git') ? undefined : gitDir;
}

/** Where Git would run hooks: in the folder that `.git` is in, or in the bare repository itself. */
function workTreeOf(gitDir: string, commonDir: string, bare: boolean | undefined): string {
  const folder = resolve(gitDir);
  if (resolve(commonDir) !== folder) {
    try {
      // A linked worktree's part of the repository says where the worktree's `.git` is.
      const dotGit = readFileSync(join(folder, 'gitdir'), 'utf8').trimEnd();
      return dirname(resolve(folder, dotGit));
    } catch {
      return folder;
    }
  }
  return bare === true || basename(folder) !== '.git' ? folder : dirname(folder);
}
