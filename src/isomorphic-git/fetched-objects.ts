// What refs point at, in a file system that has no synchronous calls: the files that may hold an object are fetched into
// memory, and read there. Packs stay, as in isomorphic-git's own cache.

import type { ObjectFormat } from '../format/object-format.ts';
import type { GitObject, ObjectFinding, ObjectSource } from '../objects/object-source.ts';
import { RepositoryObjects } from '../objects/repository-objects.ts';
import type { FileReading } from '../storage/file-system.ts';
import { ioError } from '../storage/io-error.ts';
import { fsError } from './fs-error.ts';
import type { PromiseFs } from './promise-fs.ts';

export class FetchedObjects implements ObjectSource {
  readonly #fs: PromiseFs;
  /** The repository's folder of objects. */
  readonly #folder: string;
  readonly #objects: RepositoryObjects;
  /** By their paths. */
  readonly #files = new Map<string, Uint8Array>();

  constructor(fs: PromiseFs, gitDir: string, objectFormat: ObjectFormat) {
    this.#fs = fs;
    this.#folder = `${gitDir}/objects`;
    const fileSystem = memoryReading(this.#files);
    this.#objects = new RepositoryObjects({ fileSystem, folder: this.#folder, objectFormat });
  }

  /** Throws `CORRUPT_OBJECT`, `IO`. */
  lookup(oids: readonly string[]): Promise<ReadonlyMap<string, ObjectFinding>> {
    return this.#withFiles(oids, () => this.#objects.lookup(oids));
  }

  /** Throws `CORRUPT_OBJECT`, `IO`. */
  read(oid: string): Promise<GitObject | undefined> {
    return this.#withFiles([oid], () => this.#objects.read(oid));
  }

  async #withFiles<T>(oids: readonly string[], use: () => T | Promise<T>): Promise<T> {
    const loose = oids.map((oid) => `${this.#folder}/${oid.slice(0, 2)}/${oid.slice(2)}`);
    let hasAll = true;
    for (const path of loose) hasAll = (await this.#fetch(path)) && hasAll;
    if (!hasAll) await this.#fetchPacks();
    try {
      return await use();
    } finally {
      for (const path of loose) this.#files.delete(path);
    }
  }

  async #fetchPacks(): Promise<void> {
    const folder = `${this.#folder}/pack`;
    const names = await this.#unlessAbsent(folder, () => this.#fs.readdir(folder));
    const paths = new Set((names ?? []).map((name) => `${folder}/${name}`));
    for (const path of this.#files.keys()) {
      if (path.startsWith(`${folder}/`) && !paths.has(path)) this.#files.delete(path);
    }
    for (const path of paths) {
      if (/\.(?:idx|pack)$/.test(path) && !this.#files.has(path)) await this.#fetch(path);
    }
  }

  /** Whether there is such a file. */
  async #fetch(path: string): Promise<boolean> {
    const bytes = await this.#unlessAbsent(path, () => this.#fs.readFile(path));
    if (bytes !== undefined) this.#files.set(path, bytes as Uint8Array);
    return bytes !== undefined;
  }

  async #unlessAbsent<T>(path: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      throw ioError('read', path, error);
    }
  }
}

/** Files by their paths as a file system. A descriptor is the place of its file among all that were opened. */
function memoryReading(files: ReadonlyMap<string, Uint8Array>): FileReading {
  const opened: (Uint8Array | undefined)[] = [];
  const close = (descriptor: number) => {
    opened[descriptor] = undefined;
  };
  const statusOf = ({ length }: Uint8Array) => ({
    ...{ device: 0n, inode: 0n, modified: 0n },
    size: length,
  });
  return {
    open(path) {
      const bytes = files.get(path);
      if (bytes === undefined) throw fsError('ENOENT', 'open', path);
      const free = opened.indexOf(undefined);
      const descriptor = free === -1 ? opened.length : free;
      opened[descriptor] = bytes;
      return descriptor;
    },
    read(descriptor, into, position) {
      const bytes = opened[descriptor]!.subarray(position, position + into.length);
      into.set(bytes);
      return bytes.length;
    },
    close,
    closeLater: close,
    stat(path) {
      const bytes = files.get(path);
      return bytes && statusOf(bytes);
    },
    statOpen: (descriptor) => statusOf(opened[descriptor]!),
    list: (folder) =>
      [...files.keys()]
        .filter((path) => path.startsWith(`${folder}/`))
        .map((path) => path.slice(folder.length + 1)),
  };
}
