// Which files of a repository hold its refs, in the format `files`: how they are told to be unchanged, and how they are
// moved out of the way and into place, by renames alone.

import { lstatSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { isRootRef } from '../../refs/ref-name.ts';

/** What tells whether a file of refs was changed, by its path below a folder; of all, the lock files among them. */
export function fingerprint(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (path: string) => {
    const stats = lstatSync(`${folder}/${path}`, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return;
    if (!stats.isDirectory()) found.set(path, `${stats.ino}:${stats.size}:${stats.mtimeNs}`);
    else for (const name of readdirSync(`${folder}/${path}`)) visit(`${path}/${name}`);
  };
  for (const name of refFiles(folder)) visit(name);
  for (const name of readdirSync(folder)) if (isRootLock(name)) visit(name);
  return found;
}

/** Moves all that is in `from` and holds refs to `to`, which has none of it. `HEAD` stays, for it marks a repository. */
export function moveRefs(from: string, to: string): void {
  mkdirSync(`${to}/refs`, { recursive: true });
  const children = readdirSync(`${from}/refs`, { encoding: 'buffer' });
  for (const name of children) {
    const at = (folder: string) => Buffer.concat([Buffer.from(`${folder}/refs/`), name]);
    renameSync(at(from), at(to));
  }
  for (const name of refFiles(from)) {
    if (name !== 'refs' && name !== 'HEAD') renameSync(`${from}/${name}`, `${to}/${name}`);
  }
}

/** Those in the repository's folder itself. */
function refFiles(folder: string): string[] {
  return readdirSync(folder).filter(
    (name) => name === 'refs' || name === 'logs' || name === 'packed-refs' || isRootRef(name),
  );
}

function isRootLock(name: string): boolean {
  return name.endsWith('.lock') && isRootRef(name.slice(0, -'.lock'.length));
}
