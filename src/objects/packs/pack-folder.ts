// The packs in a folder of objects: `pack/pack-HASH.pack`, each with its index. `git gc` makes new ones and then removes
// those that they replace, at any time.

import type { ObjectFormat } from '../../format/object-format.ts';
import type { FileReading } from '../../storage/file-system.ts';
import { listFolder } from '../read-file.ts';
import { openPack, type Pack } from './pack.ts';

const INDEX = '.idx';

export class PackFolder {
  readonly #fs: FileReading;
  readonly #folder: string;
  readonly #objectFormat: ObjectFormat;
  /** By their names; `undefined` before they were first looked for. */
  #packs: Map<string, Pack> | undefined;
  /** The one that had what was asked last: what is asked next is likely there, too. */
  #preferred: Pack | undefined;
  #isPartial = false;

  /** `folder` is one of objects. */
  constructor(fs: FileReading, folder: string, objectFormat: ObjectFormat) {
    this.#fs = fs;
    this.#folder = `${folder}/pack`;
    this.#objectFormat = objectFormat;
  }

  /** Those that were there when last they were looked for, the preferred one first. Throws `IO`. */
  *all(): Generator<Pack> {
    if (this.#packs === undefined) this.rescan();
    const preferred = this.#preferred;
    if (preferred !== undefined) yield preferred;
    for (const pack of this.#packs!.values()) if (pack !== preferred) yield pack;
  }

  prefer(pack: Pack): void {
    this.#preferred = pack;
  }

  /** Whether what is in no pack may be had from where a partial clone was made. */
  get isPartial(): boolean {
    return this.#isPartial;
  }

  /** Looks for them again; tells whether there are new ones. Throws `IO`. */
  rescan(): boolean {
    const before = this.#packs ?? new Map<string, Pack>();
    const names = listFolder(this.#fs, this.#folder);
    this.#isPartial = names.some((name) => name.endsWith('.promisor'));
    const packs = new Map<string, Pack>();
    let hasNew = false;
    for (const file of names) {
      if (!file.endsWith(INDEX)) continue;
      const name = file.slice(0, -INDEX.length);
      const known = before.get(name);
      hasNew ||= known === undefined;
      const path = `${this.#folder}/${name}`;
      packs.set(name, known ?? openPack(this.#fs, path, this.#objectFormat));
    }
    for (const [name, pack] of before) {
      if (packs.has(name)) continue;
      pack.close();
      if (pack === this.#preferred) this.#preferred = undefined;
    }
    this.#packs = packs;
    return hasNew;
  }
}
