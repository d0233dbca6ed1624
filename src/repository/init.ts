// Making a repository whose refs are a reftable stack, as `git init --ref-format=reftable` does:
//
//   HEAD                 ref: refs/heads/.invalid    for programs that look for a repository's signs;
//   refs/heads           this repository uses …      what HEAD names is in the stack
//   config
//   description          for gitweb
//   info/exclude
//   objects/info/  objects/pack/
//   reftable/            tables.list and the first table, which holds HEAD

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
import { repositoryFormat } from './repository-format.ts';
import {
  type SharedPermissions,
  sharedPermissions,
  sharedSetting,
  shareFile,
} from './shared-permissions.ts';
import { HEAD_TEXT, HEADS_TEXT } from './stub-files.ts';

const FOLDERS = ['refs', 'objects/info', 'objects/pack', 'info', 'reftable'];

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
  const objectFormat = reinitialized
    ? existingObjectFormat(gitDir, config, options.objectFormat)
    : (options.objectFormat ?? defaultObjectFormat(config, env));
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
  for (const folder of FOLDERS) makeFolder(join(gitDir, folder), share);
  if (!reinitialized) {
    const files = filesOf(gitDir, { bare, objectFormat, shared });
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

/** The format of the repository that is there. Throws where it is not what was asked for. */
function existingObjectFormat(
  gitDir: string,
  config: Config,
  wanted: ObjectFormat | undefined,
): ObjectFormat {
  const { refStorage, objectFormat } = repositoryFormat(config);
  const other =
    refStorage !== 'reftable'
      ? 'reference storage format'
      : wanted !== undefined && wanted !== objectFormat
        ? 'hash'
        : undefined;
  if (other === undefined) return objectFormat;
  const message = `attempt to reinitialize repository with different ${other}`;
  throw new RefError('UNSUPPORTED_REPOSITORY', message, { file: gitDir });
}

function defaultObjectFormat(config: Config, env: NonNullable<InitOptions['env']>): ObjectFormat {
  const name = env.GIT_DEFAULT_HASH ?? config.get('init.defaultObjectFormat') ?? 'sha1';
  if (name === 'sha1' || name === 'sha256') return name;
  throw new RefError('INVALID_ARGUMENT', `unknown hash algorithm '${name}'`);
}

interface NewSettings {
  bare: boolean;
  objectFormat: ObjectFormat;
  shared: SharedPermissions | undefined;
}

/** What is in the files of a new repository; the one that makes it one is the last. */
function filesOf(gitDir: string, settings: NewSettings): Record<string, string> {
  const exclude = 'Files that Git leaves out of this repository, in the manner of .gitignore';
  return {
    description: "Unnamed repository; edit this file 'description' to name the repository.\n",
    'info/exclude': `# ${exclude}, for you alone.\n`,
    'refs/heads': HEADS_TEXT,
    HEAD: HEAD_TEXT,
    config: configText(settings, isCaseIgnored(gitDir)),
  };
}

/** Where case does not count, a file is there under other names too. */
function isCaseIgnored(gitDir: string): boolean {
  return existsSync(join(gitDir, 'INFO'));
}

function configText(settings: NewSettings, ignoreCase: boolean): string {
  const extensions = ['refstorage = reftable'];
  if (settings.objectFormat !== 'sha1') {
    extensions.unshift(`objectformat = ${settings.objectFormat}`);
  }
  const core = [
    'repositoryformatversion = 1',
    `filemode = ${process.platform !== 'win32'}`,
    `bare = ${settings.bare}`,
  ];
  if (!settings.bare) core.push('logallrefupdates = true');
  if (ignoreCase) core.push('ignorecase = true');
  const text = ['[extensions]', ...extensions.map(indent), '[core]', ...core.map(indent), ''];
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
