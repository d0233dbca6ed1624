// The folders that refs and reflogs are in: made with the first file in them, and removed with the last.

import type { RefFileSystem } from '../storage/ref-file-system.ts';

/** Others may remove a folder that was just made, because it was empty still, so often. */
const MAX_ATTEMPTS = 3;
/** `refs/heads/` and the like stay. */
const LASTING_COMPONENTS = 2;

/** Makes the folders that a path is in; `made` is told of each. Throws what Node does, `EEXIST` for a file in the way. */
export function makeFoldersOf(
  files: RefFileSystem,
  path: string,
  made: (folder: string) => void,
): void {
  const folder = path.slice(0, path.lastIndexOf('/'));
  if (files.kindBehind(folder) === 'folder') return;
  for (let attempt = 1; ; attempt++) {
    try {
      makeFolder(files, folder, made);
      return;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

function makeFolder(files: RefFileSystem, folder: string, made: (folder: string) => void): void {
  try {
    files.makeFolder(folder);
    made(folder);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST' && files.kindBehind(folder) === 'folder') return;
    const parent = folder.slice(0, folder.lastIndexOf('/'));
    if (code !== 'ENOENT' || parent === '') throw error;
    makeFolder(files, parent, made);
    makeFolder(files, folder, made);
  }
}

/** Removes a folder that has nothing in it but empty folders; whether it is gone. */
export function removeEmptyFolders(files: RefFileSystem, folder: string): boolean {
  for (const { name, kind } of files.list(folder) ?? []) {
    if (kind !== 'folder') return false;
    if (!removeEmptyFolders(files, `${folder}/${name}`)) return false;
  }
  return removeFolder(files, folder);
}

/** Removes the folders that a ref's name is in, from the innermost, as long as they are empty. */
export function pruneFoldersOf(
  files: RefFileSystem,
  name: string,
  pathOf: (folder: string) => string,
): void {
  const components = name.split('/');
  for (let count = components.length - 1; count > LASTING_COMPONENTS; count--) {
    if (!removeFolder(files, pathOf(components.slice(0, count).join('/')))) return;
  }
}

/**
 * Does what makes a file in a folder, and makes that folder where it is missing; a folder in the file's place goes
 * if it is empty. Throws what `work` throws in the end.
 */
export function withFolders<T>(
  files: RefFileSystem,
  path: string,
  made: (folder: string) => void,
  work: () => T,
): T {
  let isCleared = false;
  for (let attempt = 1; ; attempt++) {
    try {
      return work();
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENOENT' && attempt <= MAX_ATTEMPTS) {
        makeFoldersOf(files, path, made);
      } else if (code === 'EISDIR' && !isCleared) {
        isCleared = true;
        if (!removeEmptyFolders(files, path)) throw error;
      } else {
        throw error;
      }
    }
  }
}

function removeFolder(files: RefFileSystem, folder: string): boolean {
  try {
    files.removeFolder(folder);
    return true;
  } catch {
    // Somebody else has put something in it, or removed it.
    return false;
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
