// The settings that a store of refs goes by: `reftable.*` and what `core.*` says of logs, permissions and the
// disk, with Git's limits and Git's messages. Of `reftable.*` Git looks at every setting, not only at the last.

import { RefError } from '../errors.ts';
import { type LogAllRefUpdates, parseLogAllRefUpdates } from '../reflog/policy.ts';
import { booleanOf, type Config, type ConfigEntry, integerOf } from './config.ts';
import { environmentBoolean } from './config-environment.ts';
import { syncsReferences } from './fsync-settings.ts';
import { type SharedPermissions, sharedFileMode, sharedPermissions } from './shared-permissions.ts';

/** How tables are written; what is `undefined` is left to the writer. */
export interface TableSettings {
  /** Bytes. */
  blockSize: number | undefined;
  restartInterval: number | undefined;
  indexObjects: boolean;
  geometricFactor: number | undefined;
  /** How long to wait for the lock, ms; 0: one try, -1: for ever. */
  lockTimeout: number;
}

export interface RefSettings {
  /** Whether tables are merged after a transaction. Only a variable for tests switches it off. */
  autoCompaction: boolean;
  logAllRefUpdates: LogAllRefUpdates;
  /** Exact permission bits of what is made; `undefined`: as the umask has it. */
  fileMode: number | undefined;
  /** Who may read and write what is made, beside its owner. */
  shared: SharedPermissions | undefined;
  /** Whether what is written is forced to the disk. */
  fsync: boolean;
}

/** What Git's unsigned and signed 64 bits hold. */
const MAX_UNSIGNED = 2n ** 64n - 1n;
const MAX_SIGNED = 2n ** 63n - 1n;

/** Reads those that matter however refs are stored. Throws `INVALID_CONFIG`. */
export function refSettings(config: Config, env: Record<string, string | undefined>): RefSettings {
  const autoCompaction = environmentBoolean(env, 'GIT_TEST_REFTABLE_AUTOCOMPACTION', true);
  const shared = sharedPermissions(config.find('core.sharedRepository'));
  const logAllRefUpdates = parseLogAllRefUpdates(config.get('core.logAllRefUpdates'));
  const fsync = syncsReferences(config, env);
  return { autoCompaction, logAllRefUpdates, fileMode: sharedFileMode(shared), shared, fsync };
}

/** Reads those of tables. Throws `INVALID_CONFIG`. */
export function tableSettings(config: Config): TableSettings {
  const table: TableSettings = {
    blockSize: undefined,
    restartInterval: undefined,
    indexObjects: true,
    geometricFactor: undefined,
    lockTimeout: 100,
  };
  for (const entry of config.entries) {
    switch (entry.key) {
      case 'reftable.blocksize':
        table.blockSize = limited(entry, 0xffffff, 'block size cannot exceed 16MB');
        break;
      case 'reftable.restartinterval':
        // What it says of a block size is Git's.
        table.restartInterval = limited(entry, 0xffff, 'block size cannot exceed 65535');
        break;
      case 'reftable.indexobjects':
        table.indexObjects = booleanOf(entry);
        break;
      case 'reftable.geometricfactor':
        table.geometricFactor = limited(entry, 0xff, 'geometric factor cannot exceed 255');
        break;
      case 'reftable.locktimeout':
        table.lockTimeout = timeoutOf(entry);
        break;
    }
  }
  return table;
}

const INT = { min: -(2 ** 31), max: 2 ** 31 - 1 };

/** How long to wait for the locks of refs that are files, ms; 0: one try, -1: for ever. Throws `INVALID_CONFIG`. */
export function fileTimeouts(config: Config): { ref: number; packedRefs: number } {
  return {
    ref: config.getInteger('core.filesRefLockTimeout', INT) ?? 100,
    packedRefs: config.getInteger('core.packedRefsTimeout', INT) ?? 1000,
  };
}

/** Zero leaves it to the writer. */
function limited(entry: ConfigEntry, max: number, complaint: string): number | undefined {
  const value = integerOf(entry, 0, MAX_UNSIGNED);
  if (value > max) throw new RefError('INVALID_CONFIG', `reftable ${complaint}`);
  return value || undefined;
}

function timeoutOf(entry: ConfigEntry): number {
  const value = integerOf(entry, -MAX_SIGNED - 1n, MAX_SIGNED);
  if (value >= -1) return value;
  const message = 'reftable lock timeout does not support negative values other than -1';
  throw new RefError('INVALID_CONFIG', message);
}
