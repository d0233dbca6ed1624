// The store of a reftable repository: on the machine's own file system, or on any other one.

import { committerIdentity } from '../reflog/identity.ts';
import { gitReflogPolicy, parseLogAllRefUpdates, type ReflogPolicy } from '../reflog/policy.ts';
import { ReftableStore } from '../refs/reftable-store.ts';
import { WorktreeStacks } from '../refs/worktrees/worktree-stacks.ts';
import { openBackend } from '../repository/backend.ts';
import type { Config } from '../repository/config.ts';
import { readConfig } from '../repository/config-layers.ts';
import { repositoryObjects } from '../repository/objects.ts';
import { tableSettings } from '../repository/ref-settings.ts';
import { repositoryFormat } from '../repository/repository-format.ts';
import { Stack } from '../stack/stack.ts';
import { nodeCompression } from '../storage/node-compression.ts';
import { AsyncTableStore } from './async-table-store.ts';
import { FetchedObjects } from './fetched-objects.ts';
import { STASH } from './held-refs.ts';
import type { PromiseFs } from './promise-fs.ts';
import type { OpenStore } from './reftable-repository.ts';
import { RememberedObjects } from './remembered-objects.ts';

export interface OpenOptions {
  /** The variables that Git would look at. Default: the process's. */
  env?: Record<string, string | undefined> | undefined;
  /** How long to wait for the lock, ms; 0: one try, -1: for ever. Default: `reftable.lockTimeout`, 100. */
  lockTimeout?: number | undefined;
  /** Whether a change is forced to the disk before it is done. Default: true, unless `core.fsync` says no. */
  fsync?: boolean | undefined;
  /** Who gets logged. Default: Git's policy for `core.logAllRefUpdates`. */
  reflogPolicy?: ReflogPolicy | undefined;
}

/** Of a repository, or a linked worktree, of the machine. Throws as `openRefStore` does. */
export function openDirectoryStore(
  gitDir: string,
  commonDir: string,
  options: OpenOptions,
): OpenStore {
  const { env = process.env } = options;
  const config = readConfig(gitDir, { env, commonDir });
  const { objectFormat } = repositoryFormat(config);
  const objects = new RememberedObjects(repositoryObjects(commonDir, objectFormat, env));
  const reflogPolicy = policyOf(config, options);
  return { store: openBackend(gitDir, { ...options, commonDir, config, objects, reflogPolicy }) };
}

/** Of a repository in another file system, whose own settings, `config`, are all there are. */
export function openAsyncStore(
  gitDir: string,
  fs: PromiseFs,
  config: Config,
  options: OpenOptions,
): OpenStore {
  const env = options.env ?? process.env;
  const { objectFormat } = repositoryFormat(config);
  const table = tableSettings(config);
  const { lockTimeout = table.lockTimeout } = options;
  const compression = nodeCompression;
  const tables = new AsyncTableStore(fs, `${gitDir}/reftable`);
  const stack = new Stack(tables, { ...table, objectFormat, compression, lockTimeout });
  const store = new ReftableStore(new WorktreeStacks(stack), {
    ...{ ...table, objectFormat, compression, lockTimeout },
    policy: policyOf(config, options),
    committer: () => committerIdentity({ env, config: (key) => config.get(key) }),
    objects: new RememberedObjects(new FetchedObjects(fs, gitDir, objectFormat)),
  });
  return { store, refresh: () => tables.refresh() };
}

/** isomorphic-git writes the reflog of the stash by itself. */
function policyOf(config: Config, { reflogPolicy }: OpenOptions): ReflogPolicy {
  const mode = parseLogAllRefUpdates(config.get('core.logAllRefUpdates'));
  const bare = config.getBoolean('core.bare') ?? false;
  const policy = reflogPolicy ?? gitReflogPolicy({ mode, bare });
  return (name, reflogExists) => name !== STASH && policy(name, reflogExists);
}
