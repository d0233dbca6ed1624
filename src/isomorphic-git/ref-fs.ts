// A file system in which the refs of reftable repositories are the files that isomorphic-git expects. What is none of
// these files is handed on as it came.

import { decodeText, encodeText } from '../format/text.ts';
import { asFsError, fsError } from './fs-error.ts';
import { type RefPath, refPaths, repositoryOf, repositoryOfPackIndex } from './git-path.ts';
import { isNewConfig, makeReftable } from './new-repository.ts';
import type { FileStats, PromiseFs } from './promise-fs.ts';
import { type Entry, statsOf } from './ref-files.ts';
import type { ReftableRepository } from './reftable-repository.ts';
import type { Repositories } from './repositories.ts';

/** A file of a reftable repository. */
interface RefFile {
  readonly repository: ReftableRepository;
  readonly inside: string;
}

/** Made once: it says nothing of who asked. */
const NO_PATH = new TypeError('expected a path, found undefined');

/** `makesReftable`: whether new repositories are to be reftable ones. */
export function refFs(
  fs: PromiseFs,
  repositories: Repositories,
  makesReftable: boolean,
): PromiseFs {
  const listed = new ListedEntries();

  /** The file that a path is; `undefined` for what is no ref's. */
  async function refFile(paths: readonly RefPath[]): Promise<RefFile | undefined> {
    for (const { gitDir, inside } of paths) {
      const repository = await repositories.find(gitDir);
      if (repository !== undefined) return { repository, inside };
    }
    return undefined;
  }

  /** Does it to the file of a ref, if the path is one, else to that of the file system. */
  function either<T>(
    path: string,
    ofRef: (file: RefFile) => T | Promise<T>,
    ofFs: () => Promise<T>,
  ): Promise<T> {
    const paths = typeof path === 'string' ? refPaths(path) : [];
    if (paths.length === 0) return ofFs();
    return refFile(paths).then((file) =>
      file === undefined ? ofFs() : file.repository.use(file.inside, () => ofRef(file)),
    );
  }

  /** The same for a change of a ref. */
  function change<T>(
    call: string,
    path: string,
    ofRef: (file: RefFile) => Promise<T>,
    ofFs: () => Promise<T>,
  ): Promise<T> {
    const changing = async (file: RefFile) => {
      try {
        return await ofRef(file);
      } catch (error) {
        throw asFsError(error, call, path);
      }
    };
    return either(path, changing, ofFs);
  }

  function stat(path: string, ofFs: () => Promise<FileStats>): Promise<FileStats> {
    const known = listed.take(path);
    if (known !== undefined) return Promise.resolve(known);
    endFetch(path);
    return either(path, ({ repository, inside }) => repository.files.stat(inside, path), ofFs);
  }

  /** Each command begins with a look at the repository. */
  function endFetch(path: string): void {
    repositories.known(path)?.then(
      (repository) => repository?.held.isEmpty && repository.held.endFetch(),
      () => {},
    );
  }

  /** A fetch writes, or removes, this file before its refs. */
  async function beginFetch(path: string): Promise<void> {
    const gitDir = typeof path === 'string' ? repositoryOf(path, 'shallow') : undefined;
    if (gitDir !== undefined) (await repositories.find(gitDir))?.held.beginFetch();
  }

  async function writeFile(...given: Parameters<PromiseFs['writeFile']>): Promise<void> {
    const [path, data] = given;
    if (typeof path !== 'string') return fs.writeFile(...given);
    const config = makesReftable ? repositoryOf(path, 'config') : undefined;
    if (config !== undefined && isNewConfig(textOf(data)) && !(await exists(path))) {
      return makeReftable(fs, config, textOf(data));
    }
    await beginFetch(path);
    await fs.writeFile(...given);
    const gitDir = repositoryOfPackIndex(path);
    const repository = gitDir === undefined ? undefined : await repositories.find(gitDir);
    await repository?.use('refs', () => repository.changes.publish());
  }

  async function exists(path: string): Promise<boolean> {
    return fs.stat(path).then(
      () => true,
      () => false,
    );
  }

  async function removeFolder({ repository, inside }: RefFile, path: string, recursive: boolean) {
    const { files, changes } = repository;
    if (files.kind(inside) === 'file') {
      if (recursive) return changes.remove(inside, path);
      throw fsError('ENOTDIR', 'rmdir', path);
    }
    const entries = files.list(inside, path);
    if (entries.size > 0 && !recursive) throw fsError('ENOTEMPTY', 'rmdir', path);
    for (const name of entries.keys()) {
      const below = `${inside}/${name}`;
      if (files.kind(below)) await removeFolder({ repository, inside: below }, path, recursive);
    }
  }

  async function rename(from: string, to: string): Promise<void> {
    const [source, target] = [await refFile(refPaths(from)), await refFile(refPaths(to))];
    if (source === undefined && target === undefined) return fs.rename!(from, to);
    const isPlain = source?.inside.startsWith('refs/') && target?.inside.startsWith('refs/');
    if (isPlain && source!.repository === target!.repository) {
      const { repository, inside } = source!;
      return repository.use(inside, () => repository.changes.rename(inside, target!.inside, from));
    }
    await wrapped.writeFile(to, await wrapped.readFile(from));
    await wrapped.unlink(from);
  }

  const wrapped: PromiseFs = {
    ...fs,

    readFile: (path, options) => {
      // So isomorphic-git asks whether there are promises, twice a command. Node takes long to be surprised.
      if (path === undefined) return Promise.reject(NO_PATH);
      return either<Uint8Array | string>(
        path,
        ({ repository, inside }) => {
          const text = repository.files.read(inside, path);
          const encoding = typeof options === 'string' ? options : options?.encoding;
          return encoding ? text : encodeText(text);
        },
        () => fs.readFile(path, options),
      );
    },

    stat: (path) => stat(path, () => fs.stat(path)),

    lstat: (path) => stat(path, () => fs.lstat(path)),

    readdir: (path) =>
      either(
        path,
        ({ repository, inside }) => {
          const entries = repository.files.list(inside, path);
          listed.add(path, entries);
          return [...entries.keys()];
        },
        () => fs.readdir(path),
      ),

    writeFile: (path, data, options) =>
      change(
        'open',
        path,
        ({ repository, inside }) => repository.changes.write(inside, textOf(data), path),
        () => writeFile(path, data, options),
      ),

    unlink: (path) =>
      change(
        'unlink',
        path,
        ({ repository, inside }) => repository.changes.remove(inside, path),
        () => beginFetch(path).then(() => fs.unlink(path)),
      ),

    mkdir: (path, options) =>
      change<unknown>(
        'mkdir',
        path,
        async ({ repository, inside }) => {
          // Folders come with what is in them.
          if (repository.files.kind(inside)) throw fsError('EEXIST', 'mkdir', path);
        },
        () => fs.mkdir(path, options),
      ),

    rmdir: (path, options) =>
      change(
        'rmdir',
        path,
        (file) => removeFolder(file, path, isRecursive(options)),
        () => fs.rmdir(path, options),
      ),

    readlink: (path, options) =>
      either<unknown>(
        path,
        () => Promise.reject(fsError('EINVAL', 'readlink', path)),
        () => fs.readlink(path, options),
      ),

    symlink: (target, path) =>
      either(
        path,
        () => Promise.reject(fsError('EPERM', 'symlink', path)),
        () => fs.symlink(target, path),
      ),
  };
  const { rm } = fs;
  if (rm !== undefined) {
    wrapped.rm = (path, options) =>
      change(
        'rm',
        path,
        (file) => removeFolder(file, path, isRecursive(options)),
        () => rm(path, options),
      );
  }
  if (fs.rename !== undefined) {
    wrapped.rename = (from, to) =>
      rename(from, to).catch((error) => {
        throw asFsError(error, 'rename', to);
      });
  }
  return wrapped;
}

/**
 * Who lists a folder asks what each of its entries is, at once: this is answered from the listing, one time for each
 * entry, as long as the event loop has not turned.
 */
class ListedEntries {
  readonly #stats = new Map<string, FileStats>();

  add(folder: string, entries: ReadonlyMap<string, Entry>): void {
    if (this.#stats.size === 0) setImmediate(() => this.#stats.clear());
    for (const [name, { kind, size }] of entries) {
      if (size !== undefined) this.#stats.set(`${folder}/${name}`, statsOf(kind, size));
    }
  }

  take(path: string): FileStats | undefined {
    const stats = this.#stats.get(path);
    if (stats !== undefined) this.#stats.delete(path);
    return stats;
  }
}

function textOf(data: Uint8Array | string): string {
  return typeof data === 'string' ? data : decodeText(data);
}

function isRecursive(options: unknown): boolean {
  return (options as { recursive?: boolean } | undefined)?.recursive === true;
}
