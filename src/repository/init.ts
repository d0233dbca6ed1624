// Making a repository whose refs are a reftable stack, as `git init --ref-format=reftable` does:
//
//   HEAD                 ref: refs/heads/.invalid    for programs that look for a repository's signs;
//   refs/heads           this repository uses …      what HEAD names is in the stack
//   config
//   description          for gitweb
//   info/exclude
//   objects/info/  objects/pack/
//   reftable/            tables.list and the first table, which holds HEAD

import { existsSync, mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RefError } from '../errors.ts';
import type { ObjectFormat } from '../format/object-format.ts';
import { checkRefName } from '../refs/ref-name.ts';
import { systemReason } from '../storage/io-error.ts';
import { openBackend } from './backend.ts';
import type { Config } from './config.ts';
import { readConfig } from './config-layers.ts';
import { repositoryFormat } from './repository-format.ts';
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
  /** The variables that Git would look at. Default: the process's. */
  env?: Record<string, string | undefined> | undefined;
}

export interface InitResult {
  /** The repository's real path. */
  gitDir: string;
  /** Whether there was a repository already; nothing in it has changed but for folders that were missing. */
  reinitialized: boolean;
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

  for (const folder of FOLDERS) makeFolder(join(gitDir, folder));
  if (!reinitialized) writeFiles(gitDir, { bare, objectFormat });
  await ensureHead(gitDir, head, options.env);
  return { gitDir: realpathSync.native(gitDir), reinitialized };
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

function writeFiles(
  gitDir: string,
  { bare, objectFormat }: { bare: boolean; objectFormat: ObjectFormat },
): void {
  writeFile(
    join(gitDir, 'description'),
    "Unnamed repository; edit this file 'description' to name the repository.\n",
  );
  writeFile(
    join(gitDir, 'info', 'exclude'),
    '# Files that Git leaves out of this repository, in the manner of .gitignore, for you alone.\n',
  );
  writeFile(join(gitDir, 'refs', 'heads'), HEADS_TEXT);
  writeFile(join(gitDir, 'HEAD'), HEAD_TEXT);
  // Where case does not count, the file that was just written is there under this name too.
  const ignoreCase = existsSync(join(gitDir, 'hEaD'));
  writeFile(join(gitDir, 'config'), configText({ bare, objectFormat, ignoreCase }));
}

function configText(settings: {
  bare: boolean;
  objectFormat: ObjectFormat;
  ignoreCase: boolean;
}): string {
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
  if (settings.ignoreCase) core.push('ignorecase = true');
  return ['[extensions]', ...extensions.map(indent), '[core]', ...core.map(indent), ''].join('\n');
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

/** With the folders above it. Not by Node's `recursive`, which never ends below /proc. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path);
    return;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw ioError('cannot mkdir', path, cause);
  }
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (cause) {
    // Somebody else may have made it meanwhile.
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw ioError('cannot mkdir', path, cause);
  }
}

function writeFile(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (cause) {
    throw ioError('cannot write', path, cause);
  }
}

function ioError(what: string, path: string, cause: unknown): RefError {
  return new RefError('IO', `${what} ${path}: ${systemReason(cause)}`, { file: path, cause });
}
