// Objects for repositories that are made without Git.

import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';

/** Writes an object of a SHA-1 repository as a file of its own; returns its id. */
function writeLooseObject(gitDir: string, type: 'blob' | 'commit', text: string): string {
  const content = Buffer.from(text);
  const bytes = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const oid = createHash('sha1').update(bytes).digest('hex');
  const folder = join(gitDir, 'objects', oid.slice(0, 2));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, oid.slice(2)), deflateSync(bytes));
  return oid;
}

/** The same for a commit without parents, of the empty tree. */
export function writeLooseCommit(gitDir: string): string {
  const person = 'Ann Author <ann@example.com> 1700000000 +0000';
  const tree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
  return writeLooseObject(
    gitDir,
    'commit',
    `tree ${tree}\nauthor ${person}\ncommitter ${person}\n\nfirst\n`,
  );
}
