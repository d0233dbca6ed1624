// Making a repository. One whose refs are a reftable stack is, as `git init --ref-format=reftable` makes it:
//
//   HEAD                 ref: refs/heads/.invalid    for programs that look for a repository's signs;
//   refs/heads           this repository uses …      what HEAD names is in the stack
//   config
//   description          for gitweb
//   info/exclude
//   objects/info/  objects/pack/
//   reftable/            tables.list and the first table, which holds HEAD
//
// Where they are files, HEAD is what it says, and refs/heads/ and refs/tags/ are folders.

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { RefError } from '../errors.ts';
import type { ObjectFormat } from '../format/object-format.ts';
import { checkRefName } from '../refs/ref-name.ts';
import { systemReason } from '../storage/io-error.ts';
import { openBackend } from './backend.ts';
import type { Config } from './config.ts';
import { readConfig } from './config-layers.ts';
import { type RepositoryFormat, repositoryFormat } from './repository-format.ts';
import {
  type SharedPermissions,
  sharedPermissions,
  sharedSetting,
  shareFile,
} from './shared-permissions.ts';
import { HEAD_TEXT, HEADS_TEXT } from './stub-files.ts';

const FOLDERS = ['refs', 'objects/info', 'objects/pack', 'info'];
const REF_FOLDERS: Readonly<Record<RefStorage, readonly string[]>> = {
  files: ['refs/heads', 'refs/tags'],
  reftable: ['reftable'],
};

export type RefStorage = RepositoryFormat['refStorage'];

export interface InitOptions {
  /** Without a work tree: the folder is the repository itself. Default false. */
  bare?: boolean | undefined;
  /** Where the repository itself goes. Default: the folder of a bare one, else `.git` in it. */
  gitDir?: string | undefined;
  /** The branch that `HEAD` names, without `refs/heads/`. Default: `init.defaultBranch`, else `master`. */
  initialBranch?: string | undefined;
  /** Default: `GIT_DEFAULT_HASH`, else `init.defaultObjectFormat`, else SHA-1. */
  objectFormat?: ObjectFormat | undefined;
  /**
   * How refs are stored. Default: `GIT_DEFAULT_REF_FORMAT`, else `init.defaultRefFormat`, else reftable, as for Git when
   * `feature.experimental` is set.
   */
  refFormat?: RefStorage | undefined;
  /**
   * Who may read and write it beside its owner, as `core.sharedRepository` says it: `group` (`true`), `all`,
   * `umask`, or permission bits in octal such as `0640`. Default: that setting.
   */
  shared?: string | true | undefined;
  /** The variables that Git would look at. Default: the process's. */
  env?: Record<string, string | undefined> | undefined;
}

export interface InitResult {
  /** The repository's real path. */
  gitDir: string;
  /** Whether there was a repository already; nothing in it has changed but for folders that were missing, and `shared`. */
  reinitialized: boolean;
  /** Whether others may read or write it, whatever the umask. */
  shared: boolean;
}

/**
 * Makes an empty repository for the folder `directory`, which is made if it is not there.
 *
 * Throws `BAD_NAME` for an initial branch that is none, `UNSUPPORTED_REPOSITORY` where there is a
 * repository of another object format or ref storage, `IO`.
 */
export async function initRepository(
  directory: string,
  options: InitOptions = {},
): Promise<InitResult> {
  const { bare = false, gitDir = bare ? directory : join(directory, '.git') } = options;
  const env = options.env ?? process.env;
  const config = readConfig(gitDir, { env });
  const reinitialized = existsSync(join(gitDir, 'HEAD'));
  const { objectFormat, refFormat } = reinitialized
    ? existingFormat(config, { ...options, gitDir })
    : {
        objectFormat: options.objectFormat ?? defaultObjectFormat(config, env),
        refFormat: options.refFormat ?? defaultRefFormat(config, env),
      };
  const initialBranch = options.initialBranch ?? config.get('init.defaultBranch') ?? 'master';
  const head = `refs/heads/${initialBranch}`;
  if (!reinitialized && checkRefName(head) !== undefined) {
    const message = `invalid initial branch name: '${initialBranch}'`;
    throw new RefError('BAD_NAME', message, { ref: head });
  }

  const shared = permissions(config, options.shared);
  const share = (path: string) => shareFile(path, shared);
  makeFolder(gitDir);
  share(gitDir);
  for (const folder of [...FOLDERS, ...REF_FOLDERS[refFormat]])
    makeFolder(join(gitDir, folder), share);
  if (!reinitialized) {
    const files = filesOf(gitDir, { bare, objectFormat, refFormat, head, shared });
    for (const [name, text] of Object.entries(files)) writeNew(join(gitDir, name), text, share);
  } else if (options.shared !== undefined && shared !== undefined) {
    append(join(gitDir, 'config'), sharedText(shared));
  }
  await ensureHead(gitDir, head, options.env);
  return { gitDir: realpathSync.native(gitDir), reinitialized, shared: shared !== undefined };
}

/** As they are wanted, else as the configuration has them. */
function permissions(config: Config, wanted: InitOptions['shared']): SharedPermissions | undefined {
  if (wanted === undefined) return sharedPermissions(config.find('core.sharedRepository'));
  const value = wanted === true ? null : wanted;
  return sharedPermissions({ key: 'arg', value, scope: 'command' });
}

/** The formats of the repository that is there. Throws where they are not what was asked for. */
function existingFormat(
  config: Config,
  { objectFormat: hash, refFormat, gitDir }: InitOptions & { gitDir: string },
): { objectFormat: ObjectFormat; refFormat: RefStorage } {
  const { refStorage, objectFormat } = repositoryFormat(config);
  const other =
    refFormat !== undefined && refFormat !== refStorage
      ? 'reference storage format'
      : hash !== undefined && hash !== objectFormat
        ? 'hash'
        : undefined;
  if (other === undefined) return { objectFormat, refFormat: refStorage };
  const message = `attempt to reinitialize repository with different ${other}`;
  throw new RefError('UNSUPPORTED_REPOSITORY', message, { file: gitDir });
}

function defaultObjectFormat(config: Config, env: NonNullable<InitOptions['env']>): ObjectFormat {
  const name = env.GIT_DEFAULT_HASH ?? config.get('init.defaultObjectFormat') ?? 'sha1';
  if (name === 'sha1' || name === 'sha256') return name;
  throw new RefError('INVALID_ARGUMENT', `unknown hash algorithm '${name}'`);
}

function defaultRefFormat(config: Config, env: NonNullable<InitOptions['env']>): RefStorage {
  const name = env.GIT_DEFAULT_REF_FORMAT ?? config.get('init.defaultRefFormat') ?? 'reftable';
  if (name === 'files' || name === 'reftable') return name;
  throw new RefError('INVALID_ARGUMENT', `unknown ref storage format '${name}'`);
}

interface NewSettings {
  bare: boolean;
  objectFormat: ObjectFormat;
  refFormat: RefStorage;
  /** What `HEAD` names. */
  head: string;
  shared: SharedPermissions | undefined;
}

/** What is in the files of a new repository; the one that makes it one is the last. */
function filesOf(gitDir: string, settings: NewSettings): Record<string, string> {
  const exclude = 'Files that Git leaves out of this repository, in the manner of .gitignore';
  return {
    description: "Unnamed repository; edit this file 'description' to name the repository.\n",
    'info/exclude': `# ${exclude}, for you alone.\n`,
    ...(settings.refFormat === 'reftable'
      ? { 'refs/heads': HEADS_TEXT, HEAD: HEAD_TEXT }
      : { HEAD: `ref: ${settings.head}\n` }),
    config: configText(settings, isCaseIgnored(gitDir)),
  };
}

/** Where case does not count, a file is there under other names too. */
function isCaseIgnored(gitDir: string): boolean {
  return existsSync(join(gitDir, 'INFO'));
}

function configText(settings: NewSettings, ignoreCase: boolean): string {
  const extensions: string[] = [];
  if (settings.objectFormat !== 'sha1') {
    extensions.push(`objectformat = ${settings.objectFormat}`);
  }
  if (settings.refFormat === 'reftable') extensions.push('refstorage = reftable');
  const core = [
    `repositoryformatversion = ${extensions.length === 0 ? 0 : 1}`,
    `filemode = ${process.platform !== 'win32'}`,
    `bare = ${settings.bare}`,
  ];
  if (!settings.bare) core.push('logallrefupdates = true');
  if (ignoreCase) core.push('ignorecase = true');
  const text = [
    ...(extensions.length === 0 ? [] : ['[extensions]', ...extensions.map(indent)]),
    ...['[core]', ...core.map(indent), ''],
  ];
  return text.join('\n') + (settings.shared === undefined ? '' : sharedText(settings.shared));
}

function sharedText(shared: SharedPermissions): string {
  const setting = `[core]\n\tsharedrepository = ${sharedSetting(shared)}\n`;
  return `${setting}[receive]\n\tdenyNonFastforwards = true\n`;
}

function indent(line: string): string {
  return `\t${line}`;
}

/** Also where there was a repository: whoever made it may not have come this far. */
async function ensureHead(
  gitDir: string,
  newTarget: string,
  env: InitOptions['env'],
): Promise<void> {
  const store = openBackend(gitDir, { env });
  try {
    if (store.read('HEAD') !== undefined) return;
    await store.transaction([{ type: 'symref-create', ref: 'HEAD', newTarget }]);
  } finally {
    store.close();
  }
}

/** With the folders above it; `made` is told of each. Not by Node's `recursive`, which never ends below /proc. */
function makeFolder(path: string, made: (path: string) => void = () => {}): void {
  try {
    mkdirSync(path);
    made(path);
    return;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw ioError('cannot mkdir', path, cause);
  }
  makeFolder(dirname(path), made);
  try {
    mkdirSync(path);
    made(path);
  } catch (cause) {
    // Somebody else may have made it meanwhile.
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw ioError('cannot mkdir', path, cause);
  }
}

function writeNew(path: string, text: string, made: (path: string) => void): void {
  try {
    writeFileSync(path, text);
  } catch (cause) {
    throw ioError('cannot write', path, cause);
  }
  made(path);
}

function append(path: string, text: string): void {
  try {
    appendFileSync(path, text);
  } catch (cause) {
    throw ioError('cannot write', path, cause);
  }
}

function ioError(what: string, path: string, cause: unknown): RefError {
  if (cause instanceof RefError) return cause;
  return new RefError('IO', `${what} ${path}: ${systemReason(cause)}`, { file: path, cause });
}
