// Repositories that hold nothing but refs, for tests that need no Git.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Identity,
  type OpenRefStoreOptions,
  openRefStore,
  type RefStore,
} from '../../src/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export const ANN: Identity = {
  name: 'Ann Author',
  email: 'ann@example.com',
  time: 1700000000,
  timezone: 60,
};

/** The object id that all digits of are `digit`. */
export const oid = (digit: string): string => digit.repeat(40);

/** Makes a bare repository with an empty stack, with more settings in it, and gives its path. */
export function emptyRepository(settings = ''): string {
  const gitDir = temporaryFolder();
  for (const folder of ['objects', 'refs', 'reftable']) mkdirSync(join(gitDir, folder));
  writeFileSync(join(gitDir, 'reftable/tables.list'), '');
  writeFileSync(join(gitDir, 'HEAD'), 'ref: refs/heads/.invalid\n');
  const format = '[core]\nrepositoryFormatVersion = 1\nbare = true\n';
  writeFileSync(
    join(gitDir, 'config'),
    `${format}[extensions]\nrefStorage = reftable\n${settings}`,
  );
  return gitDir;
}

/** Opens a store with nothing of this machine in it; not forced to the disk. */
export function open(gitDir: string, options: OpenRefStoreOptions = {}): RefStore {
  const env = {
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_COMMITTER_NAME: ANN.name,
    GIT_COMMITTER_EMAIL: ANN.email,
    GIT_COMMITTER_DATE: `${ANN.time} +0100`,
  };
  return openRefStore(gitDir, { env, fsync: false, objects: false, ...options });
}
