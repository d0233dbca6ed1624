// The objects of a repository on this machine: those that are files of their own, those in packs, in its own
// folder and in those that it borrows from.

import type { ObjectFormat } from '../format/object-format.ts';
import { Breather } from '../stack/breather.ts';
import type { FileSystem } from '../storage/file-system.ts';
import { LooseObjects } from './loose-objects.ts';
import { objectFolders } from './object-folders.ts';
import type { GitObject, ObjectFinding, ObjectSource } from './object-source.ts';
import { PackedObjects } from './packed-objects.ts';
import { listFolder } from './read-file.ts';

export interface RepositoryObjectsOptions {
  fileSystem: FileSystem;
  /** The repository's own folder of objects. */
  folder: string;
  objectFormat: ObjectFormat;
  /** `$GIT_ALTERNATE_OBJECT_DIRECTORIES`. */
  alternates?: string | undefined;
}

/** The one object that Git knows without a file: the empty tree. */
const EMPTY_TREE: Readonly<Record<ObjectFormat, string>> = {
  sha1: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  sha256: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
};

export class RepositoryObjects implements ObjectSource {
  readonly #options: RepositoryObjectsOptions;
  readonly #emptyTree: string;
  /** Found when they are first needed, as in Git. */
  #folders: ObjectFolder[] | undefined;

  constructor(options: RepositoryObjectsOptions) {
    this.#options = options;
    this.#emptyTree = EMPTY_TREE[options.objectFormat];
  }

  /** Throws `CORRUPT_OBJECT`, `IO`. */
  async lookup(oids: readonly string[]): Promise<ReadonlyMap<string, ObjectFinding>> {
    const findings = new Map<string, ObjectFinding>();
    const breather = new Breather();
    for (const oid of oids) {
      if (findings.has(oid)) continue;
      findings.set(oid, await this.#find(oid));
      await breather.breathe();
    }
    return findings;
  }

  /** Throws `CORRUPT_OBJECT`, `IO`. */
  async read(oid: string): Promise<GitObject | undefined> {
    if (oid === this.#emptyTree) return { type: 'tree', content: new Uint8Array(0) };
    for (const { loose } of this.#allFolders()) {
      const object = loose.read(oid);
      if (object !== undefined) return object;
    }
    const packed = await this.#readPacked(oid);
    return typeof packed === 'object' ? packed : undefined;
  }

  async #find(oid: string): Promise<ObjectFinding> {
    if (oid === this.#emptyTree) return { type: 'tree', size: 0 };
    for (const { loose } of this.#allFolders()) {
      const header = loose.header(oid);
      if (header !== undefined) return header;
    }
    const packed = await this.#readPacked(oid);
    return typeof packed === 'object' ? { type: packed.type, size: packed.content.length } : packed;
  }

  async #readPacked(oid: string): Promise<GitObject | 'missing' | 'unknown'> {
    let verdict: 'missing' | 'unknown' = 'missing';
    for (const { path, packed } of this.#allFolders()) {
      const names = listFolder(this.#options.fileSystem, `${path}/pack`);
      if (!names.some((name) => name.endsWith('.idx'))) continue;
      const found = await packed.read(oid);
      if (typeof found === 'object') return found;
      // What is not here may be had from where a partial clone was made.
      const isPartial = names.some((name) => name.endsWith('.promisor'));
      if (found === 'unknown' || isPartial) verdict = 'unknown';
    }
    return verdict;
  }

  #allFolders(): readonly ObjectFolder[] {
    const { fileSystem, folder, objectFormat, alternates } = this.#options;
    this.#folders ??= objectFolders(fileSystem, folder, alternates).map((path) => ({
      path,
      loose: new LooseObjects(fileSystem, path, objectFormat),
      packed: new PackedObjects(path),
    }));
    return this.#folders;
  }
}

interface ObjectFolder {
  path: string;
  loose: LooseObjects;
  packed: PackedObjects;
}
