// What a repository's configuration says of its format, and whether we know that format.

import { RefError } from '../errors.ts';
import type { Config, ConfigEntry } from './config.ts';

/** The format of a repository. */
export interface RepositoryFormat {
  objectFormat: 'sha1' | 'sha256';
  refStorage: 'files' | 'reftable';
  /** `undefined` where the configuration leaves it open: bare if there is no work tree. */
  bare: boolean | undefined;
  /** Whether each worktree has settings of its own, in `config.worktree`. */
  worktreeConfig: boolean;
}

const LATEST_VERSION = 1;

/** Extensions that Git also honours in version 0. */
const V0_EXTENSIONS = new Set(['noop', 'partialclone', 'preciousobjects', 'worktreeconfig']);

/** Extensions that need version 1. */
const V1_EXTENSIONS = new Set([
  'compatobjectformat',
  'noop-v1',
  'objectformat',
  'refstorage',
  'relativeworktrees',
  'submodulepathconfig',
]);

/**
 * Reads the repository's format from its own settings (scopes `local` and `worktree` of `config`: what
 * the user's files say of extensions does not count). `linkedWorktree` tells that the local settings
 * are shared, and so do not say whether this worktree is bare.
 *
 * A repository without `core.repositoryformatversion` is of the oldest format, whatever else is set.
 *
 * Throws `UNSUPPORTED_REPOSITORY`, in Git's words, for a version above 1, unknown extensions, a v1-only
 * extension in version 0, and values that Git or this library does not know; `INVALID_CONFIG` for
 * numbers and booleans that are none.
 */
export function repositoryFormat(
  config: Config,
  { linkedWorktree = false } = {},
): RepositoryFormat {
  const local = config.only('local');
  const version = local.getInteger('core.repositoryFormatVersion', {
    min: -(2 ** 31),
    max: 2 ** 31 - 1,
  });
  if (version === undefined || version < 0) {
    return { objectFormat: 'sha1', refStorage: 'files', bare: undefined, worktreeConfig: false };
  }
  if (version > LATEST_VERSION) {
    throw unsupported(
      local.find('core.repositoryFormatVersion'),
      `Expected git repo version <= ${LATEST_VERSION}, found ${version}`,
    );
  }
  const objectFormat = readObjectFormat(local);
  const refStorage = readRefStorage(local);
  refuseUnknownExtensions(local, version);
  refuseCompatObjectFormat(local);
  const partialClone = local.find('extensions.partialclone');
  if (partialClone !== undefined) textOf(partialClone);

  const worktreeConfig = local.getBoolean('extensions.worktreeConfig') ?? false;
  const ofWorktree = worktreeConfig ? config.only('worktree').getBoolean('core.bare') : undefined;
  const isShared = linkedWorktree && !worktreeConfig;
  const bare = ofWorktree ?? (isShared ? undefined : local.getBoolean('core.bare'));
  return { objectFormat, refStorage, bare, worktreeConfig };
}

function readObjectFormat(local: Config): RepositoryFormat['objectFormat'] {
  const entry = local.find('extensions.objectformat');
  const value = entry === undefined ? 'sha1' : textOf(entry);
  if (value === 'sha1' || value === 'sha256') return value;
  throw invalidValue(entry!);
}

function readRefStorage(local: Config): RepositoryFormat['refStorage'] {
  const key = 'extensions.refstorage';
  const entry = local.find(key);
  const value = entry === undefined ? 'files' : textOf(entry);
  if (value === 'files' || value === 'reftable') return value;
  const [backend] = value.split('://', 1);
  if (backend !== 'files' && backend !== 'reftable') throw invalidValue(entry!);
  throw unsupported(
    entry,
    `refs that are stored elsewhere are not supported: '${key}' is '${value}'`,
  );
}

function refuseUnknownExtensions(local: Config, version: number): void {
  const extensions = local.entries
    .filter(({ key }) => key.startsWith('extensions.'))
    .map(({ key }) => key.slice('extensions.'.length));
  const unwanted =
    version === 0
      ? extensions.filter((name) => V1_EXTENSIONS.has(name))
      : extensions.filter((name) => !V0_EXTENSIONS.has(name) && !V1_EXTENSIONS.has(name));
  if (unwanted.length === 0) return;
  const what = unwanted.length === 1 ? 'extension' : 'extensions';
  const headline =
    version === 0
      ? `repo version is 0, but v1-only ${what} found:`
      : `unknown repository ${what} found:`;
  throw unsupported(local.find(`extensions.${unwanted[0]}`), [headline, ...unwanted].join('\n\t'));
}

function refuseCompatObjectFormat(local: Config): void {
  const key = 'extensions.compatobjectformat';
  const entry = local.find(key);
  if (entry === undefined) return;
  const value = textOf(entry);
  if (value !== 'sha1' && value !== 'sha256') throw invalidValue(entry);
  throw unsupported(
    entry,
    `repositories with a second object format are not supported: '${key}' is '${entry.value}'`,
  );
}

function textOf(entry: ConfigEntry): string {
  if (entry.value === null) throw badLine(entry, `missing value for '${entry.key}'`);
  return entry.value;
}

function invalidValue(entry: ConfigEntry): RefError {
  return badLine(entry, `invalid value for '${entry.key}': '${entry.value}'`);
}

/** As Git ends; the reason, which it says before, is the cause's. */
function badLine(entry: ConfigEntry, reason: string): RefError {
  const { file, line } = entry;
  const cause = unsupported(entry, reason);
  const message = `bad config line ${line} in file ${file}`;
  return new RefError('UNSUPPORTED_REPOSITORY', message, { file, cause });
}

function unsupported(entry: ConfigEntry | undefined, message: string): RefError {
  return new RefError('UNSUPPORTED_REPOSITORY', message, { file: entry?.file });
}
