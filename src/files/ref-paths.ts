// Where the files of refs and reflogs are. What all worktrees share is in the common folder, what each has for itself
// in its own:
//
//   HEAD  refs/…  logs/HEAD  logs/refs/…  packed-refs
//   worktrees/ID/HEAD  worktrees/ID/refs/bisect/…  worktrees/ID/logs/…

import { parseWorktreeRef } from '../refs/worktrees/worktree-ref.ts';

export interface RefFolders {
  /** That of the worktree that one is in; absolute. */
  gitDir: string;
  /** That of the repository; absolute. */
  commonDir: string;
  /** How messages name `gitDir`. */
  shownAs: string;
}

export class RefPaths {
  readonly #folders: RefFolders;

  constructor(folders: RefFolders) {
    this.#folders = folders;
  }

  /** Whether the worktree that one is in is a linked one. */
  get isLinked(): boolean {
    return this.#folders.gitDir !== this.#folders.commonDir;
  }

  get packedRefs(): string {
    return `${this.#folders.commonDir}/packed-refs`;
  }

  /** The file of a ref, or the folder of those that begin with a name. */
  ref(name: string): string {
    const { folder, bare } = this.#locate(name);
    return `${folder}/${bare}`;
  }

  log(name: string): string {
    const { folder, bare } = this.#locate(name);
    return `${folder}/logs/${bare}`;
  }

  /** The folders of reflogs: those that the worktree has for itself, and those that all share. */
  get logFolders(): { own: string; shared: string } {
    const { gitDir, commonDir } = this.#folders;
    return { own: `${gitDir}/logs`, shared: `${commonDir}/logs` };
  }

  /** A path as Git names it in messages: by the way that the repository was found. */
  shown(path: string): string {
    const { gitDir, shownAs } = this.#folders;
    return path.startsWith(`${gitDir}/`) ? shownAs + path.slice(gitDir.length) : path;
  }

  #locate(name: string): { folder: string; bare: string } {
    const { gitDir, commonDir } = this.#folders;
    const at = parseWorktreeRef(name);
    switch (at.worktree) {
      case 'current':
        return { folder: gitDir, bare: name };
      case 'linked':
        return { folder: `${commonDir}/worktrees/${at.id}`, bare: at.name };
      default:
        return { folder: commonDir, bare: at.name };
    }
  }
}
