// What was changed and is not on the disk yet: files that were written to, and folders in which files were made,
// renamed or removed.

import { ioError } from '../storage/io-error.ts';
import type { RefFileSystem } from '../storage/ref-file-system.ts';

/** So many files are open at a time. */
const AT_ONCE = 64;

export class Unsynced {
  readonly #paths = new Set<string>();

  /** A file, or a folder, whose content has changed. */
  add(path: string): void {
    this.#paths.add(path);
  }

  /** The folder that a path is in. */
  addFolderOf(path: string): void {
    this.#paths.add(path.slice(0, path.lastIndexOf('/')));
  }

  /** Makes all of it survive a power loss; what is not there any more needs no syncing. Throws `IO`. */
  async sync(files: RefFileSystem): Promise<void> {
    await inTurns([...this.#paths], async (path) => {
      try {
        await files.sync(path);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw ioError('sync', path, error);
      }
    });
    this.#paths.clear();
  }
}

/** Does the work for all items, for some at a time: each may have a file open. */
export async function inTurns<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE) {
    await Promise.all(items.slice(at, at + AT_ONCE).map(work));
  }
}
