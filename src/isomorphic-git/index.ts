// `reftable/isomorphic-git`: lets isomorphic-git, as it is, work on repositories whose refs are in a reftable stack.

import nodeFs from 'node:fs';
import { RefError } from '../errors.ts';
import type { OpenOptions } from './open-store.ts';
import { asPromises, type PromiseFs } from './promise-fs.ts';
import { refFs } from './ref-fs.ts';
import { Repositories } from './repositories.ts';

export { RefError, type RefErrorCode, ReftableFormatError } from '../errors.ts';
export type { OpenOptions } from './open-store.ts';
export type { FileStats, PromiseFs } from './promise-fs.ts';

export interface WithReftableOptions extends OpenOptions {
  /** The format of the repositories that `init` and `clone` make. Default `files`, as isomorphic-git makes them. */
  initRefFormat?: 'files' | 'reftable' | undefined;
}

/** A file system for isomorphic-git. */
export interface ReftableFs {
  readonly promises: PromiseFs;
  /** Lets go of the tables that are open, when what is under way has ended. */
  close(): Promise<void>;
}

/**
 * Wraps a file system as isomorphic-git takes it (Node's, with callbacks or promises; memfs; LightningFS) so that the
 * refs of reftable repositories look like the files of the older format: `HEAD`, `refs/`, `logs/`. What isomorphic-git
 * writes or removes there becomes transactions, with reflogs by Git's policy. All else, repositories in the files
 * format among it, is handed on untouched.
 *
 * The refs that a fetch writes are one transaction, made when its pack is there; only this file system sees them
 * before. A ref is only pointed at an object that exists.
 *
 * Calls reject with the codes of a file system (`ENOENT`, `EISDIR`, …), and otherwise with `RefError`s:
 * `UNSUPPORTED_REPOSITORY` for a repository with an unknown extension, `CORRUPT_TABLE` for a damaged one, `LOCKED`,
 * `INVALID_NEW_VALUE`, and so on. Throws `INVALID_ARGUMENT`.
 */
export function withReftable(fs: object, options: WithReftableOptions = {}): ReftableFs {
  const { initRefFormat = 'files', ...openOptions } = options;
  if (typeof fs !== 'object' && typeof fs !== 'function') {
    throw new RefError('INVALID_ARGUMENT', `fs: expected a file system, found ${typeof fs}`);
  }
  const promises = asPromises(fs);
  const repositories = new Repositories(promises, isNodes(fs), openOptions);
  return {
    promises: refFs(promises, repositories, initRefFormat === 'reftable'),
    close: () => repositories.close(),
  };
}

/** Whether it is the file system of the machine, or its promises. */
function isNodes(fs: object): boolean {
  const { readFile } = fs as { readFile?: unknown };
  return readFile === nodeFs.readFile || readFile === nodeFs.promises.readFile;
}
