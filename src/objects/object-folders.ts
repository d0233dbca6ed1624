// Which folders hold a repository's objects: its own, and those that it borrows from (its alternates).

import { realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { FileReading } from '../storage/file-system.ts';
import { readFile } from './read-file.ts';

/** So deep alternates may have alternates of their own, as in Git. */
const MAX_DEPTH = 5;

/**
 * The repository's own folder first, then its alternates in Git's order: those of
 * `$GIT_ALTERNATE_OBJECT_DIRECTORIES`, then those that each folder names in `info/alternates`. One that is not
 * there is left out.
 */
export function objectFolders(fs: FileReading, own: string, fromEnvironment = ''): string[] {
  const folders = [own];
  const known = new Set([physicalPath(own) ?? own]);
  for (const path of listed(fromEnvironment, delimiter)) add(path, 0);
  for (const path of alternatesOf(own)) add(path, 0);
  return folders;

  function add(path: string, depth: number): void {
    const folder = physicalPath(path);
    if (folder === undefined || known.has(folder)) return;
    known.add(folder);
    folders.push(folder);
    if (depth === MAX_DEPTH) return;
    for (const next of alternatesOf(folder)) add(next, depth + 1);
  }

  function alternatesOf(folder: string): string[] {
    const bytes = readFile(fs, join(folder, 'info/alternates')) ?? new Uint8Array(0);
    return listed(Buffer.from(bytes).toString(), '\n').map((path) =>
      isAbsolute(path) ? path : join(folder, path),
    );
  }
}

function listed(text: string, separator: string): string[] {
  return text.split(separator).filter((path) => path !== '' && !path.startsWith('#'));
}

/** The path of a folder without symbolic links; `undefined` if there is no such folder. */
function physicalPath(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined;
  return realpathSync.native(path);
}
