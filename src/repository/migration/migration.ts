// Moves a repository's refs from one ref storage to the other. What is new is written whole into a folder of its own,
// then put into place beside what is old, which the configuration still names; the rename of `config` is the one step
// that switches; only then does what is old go. spec/migration.md tells why that is complete at every moment.

import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { RefError } from '../../errors.ts';
import { isRootRef } from '../../refs/ref-name.ts';
import type { RefSnapshot } from '../../refs/ref-store.ts';
import { DirectoryTableStore } from '../../stack/directory-table-store.ts';
import { StackLock } from '../../stack/lock/stack-lock.ts';
import { Stack } from '../../stack/stack.ts';
import { ioError } from '../../storage/io-error.ts';
import { nodeCompression } from '../../storage/node-compression.ts';
import { nodeFileSystem } from '../../storage/node-file-system.ts';
import { openBackend } from '../backend.ts';
import { type Config, parseConfig } from '../config.ts';
import { readConfig } from '../config-layers.ts';
import { linkedCommonDir } from '../git-dir.ts';
import { linkedGitDirs } from '../linked-git-dirs.ts';
import type { MigrateOptions, MigrateResult } from '../migrate-ref-storage.ts';
import { type RefSettings, refSettings, tableSettings } from '../ref-settings.ts';
import { type RepositoryFormat, repositoryFormat } from '../repository-format.ts';
import { shareFile } from '../shared-permissions.ts';
import { HEAD_TEXT, HEADS_TEXT } from '../stub-files.ts';
import { withRefStorage } from './config-text.ts';
import { writeFiles } from './new-files.ts';
import { writeStack } from './new-stack.ts';
import { fingerprint, moveRefs } from './old-refs.ts';

/** The folder of a migration that is to be finished, and not looked at, has this file in it. */
const MARK = 'unfinished';
/** How long the locks are waited for, ms. */
const LOCK_TIMEOUT = 1000;

/** See `migrateRefStorage`. */
export async function migrate(gitDir: string, options: MigrateOptions): Promise<MigrateResult> {
  const env = options.env ?? process.env;
  const config = readConfig(gitDir, { env });
  const format = repositoryFormat(config);
  const { to } = options;
  if (format.refStorage === to) {
    throw new RefError('INVALID_ARGUMENT', `repository already uses '${to}' format`);
  }
  if (linkedCommonDir(gitDir) !== undefined || linkedGitDirs(gitDir).length > 0) {
    const message = 'migrating repositories with worktrees is not supported yet';
    throw new RefError('UNSUPPORTED_REPOSITORY', message, { file: gitDir });
  }
  const path = resolve(gitDir);
  const old = to === 'files' ? 'reftable/tables.list' : 'packed-refs';
  const locks: StackLock[] = [];
  try {
    for (const name of ['config', old]) {
      const lock = { timeout: LOCK_TIMEOUT };
      locks.push(await StackLock.acquire(nodeFileSystem, join(path, name), lock));
    }
    return await new Migration(path, { ...options, env }, config, format).run();
  } catch (error) {
    throw error instanceof RefError ? error : ioError('migrate', path, error);
  } finally {
    for (const lock of locks.reverse()) await lock.release().catch(() => {});
  }
}

class Migration {
  readonly #gitDir: string;
  readonly #options: MigrateOptions & { env: NonNullable<MigrateOptions['env']> };
  readonly #config: Config;
  readonly #format: RepositoryFormat;
  readonly #settings: RefSettings;
  /** Where the new refs are written, and the old ones go. */
  readonly #folder: string;
  readonly #aside: string;

  constructor(
    gitDir: string,
    options: MigrateOptions & { env: NonNullable<MigrateOptions['env']> },
    config: Config,
    format: RepositoryFormat,
  ) {
    this.#gitDir = gitDir;
    this.#options = options;
    this.#config = config;
    this.#format = format;
    this.#settings = refSettings(config, options.env);
    this.#assertSaysSo(
      withRefStorage(readFileSync(join(gitDir, 'config'), 'latin1'), options.to),
      join(gitDir, 'config'),
    );
    removeUnfinished(gitDir);
    this.#folder = mkdtempSync(join(gitDir, 'ref_migration.'));
    this.#aside = join(this.#folder, 'old');
  }

  async run(): Promise<MigrateResult> {
    const { to, dryRun = false } = this.#options;
    const isToFiles = to === 'files';
    if (!dryRun) writeFileSync(join(this.#folder, MARK), '');
    try {
      const before = isToFiles ? undefined : fingerprint(this.#gitDir);
      if (before !== undefined) this.#refuseLocked(before);
      await this.#write(before);
      if (dryRun) return { folder: this.#folder };
      mkdirSync(this.#aside);
      if (isToFiles) this.#switchToFiles();
      else return { folder: this.#switchToReftable(before!) };
    } catch (error) {
      rmSync(this.#folder, { recursive: true, force: true });
      throw error;
    }
    rmSync(this.#folder, { recursive: true, force: true });
    return { folder: undefined };
  }

  async #write(before: ReadonlyMap<string, string> | undefined): Promise<void> {
    const { to, env, reflogs = true, onProgress = () => {} } = this.#options;
    const { objectFormat } = this.#format;
    const { fsync, fileMode, shared } = this.#settings;
    const share = (path: string) => shareFile(path, shared);
    using store = openBackend(this.#gitDir, { env, config: this.#config });
    using snapshot = store.snapshot();
    if (before !== undefined) refuseDamaged(snapshot, before);
    if (to === 'files') {
      const how = { objectFormat, fsync, reflogs, fileMode, share, onProgress };
      writeFiles(snapshot, this.#folder, how);
      return;
    }
    const folder = join(this.#folder, 'reftable');
    mkdirSync(folder);
    share(folder);
    const tableOptions = {
      ...tableSettings(this.#config),
      objectFormat,
      compression: nodeCompression,
    };
    const tables = new DirectoryTableStore(nodeFileSystem, folder, { fsync, fileMode });
    const stack = new Stack(tables, tableOptions);
    try {
      const how = { stack, tableOptions, objects: store.objects, reflogs, onProgress };
      await writeStack(snapshot, how);
    } finally {
      stack.close();
    }
  }

  /** Gives the folder that the old refs are in, where somebody changed them in the last moment. */
  #switchToReftable(before: ReadonlyMap<string, string>): string | undefined {
    const at = (name: string) => join(this.#gitDir, name);
    if (existsSync(at('reftable'))) {
      renameSync(at('reftable'), join(this.#aside, 'reftable'));
    }
    this.#createHeadLock();
    let isSwitched = false;
    try {
      renameSync(join(this.#folder, 'reftable'), at('reftable'));
      const now = fingerprint(this.#gitDir);
      now.delete('HEAD.lock');
      now.delete('packed-refs.lock');
      if (!isSame(before, now)) throw changedMeanwhile(this.#gitDir);
      this.#switchConfig();
      isSwitched = true;
    } finally {
      if (!isSwitched) {
        unlinkSync(at('HEAD.lock'));
        rmSync(at('reftable'), { recursive: true, force: true });
      }
    }
    moveRefs(this.#gitDir, this.#aside);
    writeFileSync(at('refs/heads'), HEADS_TEXT, { flag: 'wx' });
    shareFile(at('refs/heads'), this.#settings.shared);
    renameSync(at('HEAD.lock'), at('HEAD'));
    this.#sync(this.#gitDir);
    const expected = new Map(before);
    expected.delete('HEAD');
    if (!isSame(expected, fingerprint(this.#aside))) {
      unlinkSync(join(this.#folder, MARK));
      return this.#aside;
    }
    rmSync(this.#folder, { recursive: true, force: true });
    return undefined;
  }

  #switchToFiles(): void {
    const at = (name: string) => join(this.#gitDir, name);
    // What is in the way there nobody reads while the refs are in the stack.
    moveRefs(this.#gitDir, this.#aside);
    moveRefs(this.#folder, this.#gitDir);
    if (existsSync(join(this.#folder, 'HEAD'))) {
      renameSync(join(this.#folder, 'HEAD'), at('HEAD'));
    }
    this.#sync(this.#gitDir);
    this.#sync(at('refs'));
    this.#switchConfig();
    // With the lock in it, so that who waits for it fails, and writes nothing that would be lost.
    renameSync(at('reftable'), join(this.#folder, 'reftable'));
  }

  #switchConfig(): void {
    // The file that a link stands for is replaced, and not the link.
    const path = realpathSync(join(this.#gitDir, 'config'));
    const text = withRefStorage(readFileSync(path, 'latin1'), this.#options.to);
    this.#assertSaysSo(text, path);
    const next = `${path}.migrated`;
    const mode = statSync(path).mode & 0o777;
    writeFileSync(next, text, { encoding: 'latin1', mode });
    this.#sync(next);
    renameSync(next, path);
    this.#sync(dirname(path));
  }

  /** A configuration may be written in ways that a change of lines does not meet: then it stays. */
  #assertSaysSo(text: string, file: string): void {
    const { to } = this.#options;
    const { refStorage, objectFormat } = repositoryFormat(parseConfig(text, file));
    if (refStorage === to && objectFormat === this.#format.objectFormat) return;
    const message = `${file}: cannot set extensions.refStorage to '${to}' there; write its sections and keys on lines of their own`;
    throw new RefError('INVALID_CONFIG', message, { file });
  }

  /** Keeps others from changing what HEAD names; it is what HEAD is to be. */
  #createHeadLock(): void {
    const file = join(this.#gitDir, 'HEAD.lock');
    try {
      writeFileSync(file, HEAD_TEXT, { flag: 'wx' });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
      throw new RefError('LOCKED', `Unable to create '${file}': File exists.`, { file, cause });
    }
    shareFile(file, this.#settings.shared);
  }

  #refuseLocked(files: Map<string, string>): void {
    files.delete('packed-refs.lock');
    for (const name of files.keys()) {
      if (!name.endsWith('.lock') || name.startsWith('logs/')) continue;
      const file = join(this.#gitDir, name);
      throw new RefError('LOCKED', `a ref is locked: '${file}' exists`, { file });
    }
  }

  #sync(path: string): void {
    if (!this.#settings.fsync || process.platform === 'win32') return;
    const descriptor = openSync(path, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }
}

/** Lists leave damaged refs out, which must not get lost. */
function refuseDamaged(refs: RefSnapshot, files: ReadonlyMap<string, string>): void {
  for (const path of files.keys()) {
    const isRef = path.startsWith('refs/') ? !/\/\.|\.lock$/.test(path) : isRootRef(path);
    if (!isRef || refs.read(path) !== undefined) continue;
    throw new RefError('CORRUPT_REF', `the file '${path}' is no ref`, { ref: path, file: path });
  }
}

/** What killed migrations left: nobody else is at work, for the lock of `config` is held. */
function removeUnfinished(gitDir: string): void {
  for (const name of readdirSync(gitDir)) {
    if (!name.startsWith('ref_migration.') || !existsSync(join(gitDir, name, MARK))) continue;
    const lock = join(gitDir, 'HEAD.lock');
    if (existsSync(lock) && readFileSync(lock, 'utf8') === HEAD_TEXT) unlinkSync(lock);
    rmSync(join(gitDir, name), { recursive: true, force: true });
  }
}

function isSame(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([path, state]) => b.get(path) === state);
}

function changedMeanwhile(gitDir: string): RefError {
  const message = 'refs were changed while they were migrated; nothing was changed here';
  return new RefError('LOCKED', message, { file: gitDir });
}
