// Puts a fixture's stack into a repository around it, as far as one is needed to read refs: there are no
// objects, so Git itself would find every ref broken.

import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fixture } from './fixtures.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Makes the repository in a temporary folder and gives its path, that of a bare one. */
export function repositoryOf({ stackFolder, objectFormat }: Fixture): string {
  const gitDir = temporaryFolder();
  for (const folder of ['objects', 'refs']) mkdirSync(join(gitDir, folder));
  cpSync(stackFolder, join(gitDir, 'reftable'), { recursive: true });
  writeFileSync(join(gitDir, 'HEAD'), 'ref: refs/heads/.invalid\n');
  const extensions = `\trefStorage = reftable\n\tobjectFormat = ${objectFormat}\n`;
  const core = '\trepositoryFormatVersion = 1\n\tbare = true\n';
  writeFileSync(join(gitDir, 'config'), `[extensions]\n${extensions}[core]\n${core}`);
  return gitDir;
}
