// Refs in stacks of reftables, with the settings that matter to them.

import { ReftableStore, type ReftableStoreOptions } from '../refs/reftable-store.ts';
import { DirectoryTableStore } from '../stack/directory-table-store.ts';
import { Stack } from '../stack/stack.ts';
import { nodeCompression } from '../storage/node-compression.ts';
import { nodeFileSystem } from '../storage/node-file-system.ts';
import type { Config } from './config.ts';
import { tableSettings } from './ref-settings.ts';
import { worktreeStacks } from './worktrees.ts';

type SharedOptions = Pick<
  ReftableStoreOptions,
  'objectFormat' | 'policy' | 'committer' | 'hook' | 'isQuarantined' | 'objects'
>;

interface StackSettings {
  /** Whether what is written is forced to the disk. */
  fsync: boolean;
  /** Exact permission bits of files; `undefined`: as the umask has it. */
  fileMode: number | undefined;
  /** Whether tables are merged after a transaction where Git would merge them. */
  autoCompaction: boolean;
  /** How long to wait for the lock, ms; stands in for what the configuration says. */
  lockTimeout: number | undefined;
}

/** Throws `INVALID_CONFIG`. */
export function openReftable(
  gitDir: string,
  config: Config,
  { fsync, fileMode, autoCompaction, ...options }: SharedOptions & StackSettings,
): ReftableStore {
  const table = tableSettings(config);
  const { objectFormat, lockTimeout = table.lockTimeout } = options;
  const stacks = worktreeStacks(gitDir, (folder) => {
    const store = new DirectoryTableStore(nodeFileSystem, folder, { fsync, fileMode });
    return new Stack(store, {
      ...{ ...table, objectFormat, lockTimeout, autoCompaction },
      compression: nodeCompression,
    });
  });
  return new ReftableStore(stacks, {
    ...{ ...options, ...table, lockTimeout },
    compression: nodeCompression,
  });
}
