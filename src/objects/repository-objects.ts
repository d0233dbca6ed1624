// The objects of a repository on this machine: those that are files of their own, those in packs, in its own
// folder and in those that it borrows from.

import { RefError } from '../errors.ts';
import type { ObjectFormat } from '../format/object-format.ts';
import { Breather } from '../stack/breather.ts';
import type { FileReading } from '../storage/file-system.ts';
import { LooseObjects } from './loose-objects.ts';
import { objectFolders } from './object-folders.ts';
import type { GitObject, ObjectFinding, ObjectHeader, ObjectSource } from './object-source.ts';
import type { Pack } from './packs/pack.ts';
import { PackFolder } from './packs/pack-folder.ts';

export interface RepositoryObjectsOptions {
  fileSystem: FileReading;
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

/** So many packs are kept open. */
const MAX_OPEN = 64;

export class RepositoryObjects implements ObjectSource {
  readonly #options: RepositoryObjectsOptions;
  readonly #emptyTree: string;
  /** Found when they are first needed, as in Git. */
  #folders: ObjectFolder[] | undefined;
  readonly #openPacks = new Set<Pack>();

  constructor(options: RepositoryObjectsOptions) {
    this.#options = options;
    this.#emptyTree = EMPTY_TREE[options.objectFormat];
  }

  get objectFormat(): ObjectFormat {
    return this.#options.objectFormat;
  }

  /** Throws `CORRUPT_OBJECT`, `IO`. */
  async lookup(oids: readonly string[]): Promise<ReadonlyMap<string, ObjectFinding>> {
    const findings = new Map<string, ObjectFinding>();
    const breather = new Breather();
    for (const oid of oids) {
      if (findings.has(oid)) continue;
      findings.set(oid, this.find(oid));
      await breather.breathe();
    }
    return findings;
  }

  /** Throws `CORRUPT_OBJECT`, `IO`. */
  find(oid: string): ObjectFinding {
    if (oid === this.#emptyTree) return { type: 'tree', size: 0 };
    const found = this.#search<ObjectHeader>((place) => place.header(oid));
    // What is not here may be had from where a partial clone was made.
    return (
      found ?? (this.#allFolders().some(({ packs }) => packs.isPartial) ? 'unknown' : 'missing')
    );
  }

  /** Throws `CORRUPT_OBJECT`, `IO`. */
  read(oid: string): GitObject | undefined {
    if (oid === this.#emptyTree) return { type: 'tree', content: new Uint8Array(0) };
    return this.#search((place) => place.read(oid));
  }

  /** The ids that begin with these hex digits, at least two, in order, each once. Throws as `read`. */
  idsWithPrefix(prefix: string): string[] {
    const ids = this.#listIds(prefix);
    if (ids.length > 0) return ids;
    for (const { loose, packs } of this.#allFolders()) {
      loose.forget();
      packs.rescan();
    }
    return this.#listIds(prefix);
  }

  #listIds(prefix: string): string[] {
    const ids = new Set<string>();
    for (const { loose, packs } of this.#allFolders()) {
      for (const id of loose.idsWithPrefix(prefix)) ids.add(id);
      for (const pack of packs.all()) {
        for (const id of pack.idsWithPrefix(prefix)) ids.add(id);
        this.#keepOpen(pack);
      }
    }
    return [...ids].sort();
  }

  /** How many objects the packs have, those that are in several counted again. Throws as `read`. */
  packedCount(): number {
    let count = 0;
    for (const { packs } of this.#allFolders()) {
      for (const pack of packs.all()) {
        count += pack.count;
        this.#keepOpen(pack);
      }
    }
    return count;
  }

  /** Closes the packs; what is asked later opens them again. Happens by itself when the event loop turns. */
  close(): void {
    for (const pack of this.#openPacks) pack.close();
    this.#openPacks.clear();
  }

  /**
   * The first that `look` gives, in Git's order: packs, files, and packs that have come since. Where one place is
   * damaged another may still have it; what is damaged is thrown if none has.
   */
  #search<T>(look: (place: LooseObjects | Pack) => T | undefined): T | undefined {
    const folders = this.#allFolders();
    let damage: unknown;
    const attempt = (place: LooseObjects | Pack) => {
      try {
        return look(place);
      } catch (error) {
        if (!(error instanceof RefError) || error.code !== 'CORRUPT_OBJECT') throw error;
        damage ??= error;
        return undefined;
      }
    };
    do {
      for (const { packs } of folders) {
        for (const pack of packs.all()) {
          const found = attempt(pack);
          this.#keepOpen(pack);
          if (found === undefined) continue;
          packs.prefer(pack);
          return found;
        }
      }
      for (const { loose } of folders) {
        const found = attempt(loose);
        if (found !== undefined) return found;
      }
    } while (folders.some(({ packs }) => packs.rescan()));
    if (damage !== undefined) throw damage;
    return undefined;
  }

  /** What follows soon goes on with open files; but no descriptors are held for long, nor all at once. */
  #keepOpen(pack: Pack): void {
    if (!pack.isOpen || this.#openPacks.has(pack)) return;
    if (this.#openPacks.size === 0) setImmediate(() => this.close());
    if (this.#openPacks.size === MAX_OPEN) {
      const [oldest] = this.#openPacks;
      oldest!.close();
      this.#openPacks.delete(oldest!);
    }
    this.#openPacks.add(pack);
  }

  #allFolders(): readonly ObjectFolder[] {
    const { fileSystem, folder, objectFormat, alternates } = this.#options;
    this.#folders ??= objectFolders(fileSystem, folder, alternates).map((path) => ({
      loose: new LooseObjects(fileSystem, path, objectFormat),
      packs: new PackFolder(fileSystem, path, objectFormat),
    }));
    return this.#folders;
  }
}

interface ObjectFolder {
  loose: LooseObjects;
  packs: PackFolder;
}
