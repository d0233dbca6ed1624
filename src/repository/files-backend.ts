// Refs in files, with the settings that matter to them.

import { FilesStore, type FilesStoreOptions } from '../files/files-store.ts';
import type { RefFolders } from '../files/ref-paths.ts';
import { nodeFileSystem } from '../storage/node-file-system.ts';
import { nodeRefFileSystem } from '../storage/node-ref-file-system.ts';
import type { Config } from './config.ts';
import { packedRefsSettings } from './packed-refs-settings.ts';
import { fileTimeouts } from './ref-settings.ts';

type SharedOptions = Pick<
  FilesStoreOptions,
  | 'objectFormat'
  | 'policy'
  | 'committer'
  | 'fsync'
  | 'fileMode'
  | 'share'
  | 'hook'
  | 'isQuarantined'
  | 'objects'
>;

/** `lockTimeout`, ms, stands in for those of the configuration. Throws `INVALID_CONFIG`. */
export function openFiles(
  folders: RefFolders,
  config: Config,
  options: SharedOptions & { lockTimeout: number | undefined },
): FilesStore {
  const timeouts = fileTimeouts(config);
  return new FilesStore(folders, {
    ...{ ...options, ...packedRefsSettings(config) },
    files: nodeRefFileSystem,
    fileSystem: nodeFileSystem,
    refLockTimeout: options.lockTimeout ?? timeouts.ref,
    packedRefsTimeout: options.lockTimeout ?? timeouts.packedRefs,
  });
}
