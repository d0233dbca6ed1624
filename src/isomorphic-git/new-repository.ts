// Makes the repository that isomorphic-git is making a reftable one. It has made its folders, and is about to write the
// configuration; `HEAD` comes after that, and goes into the stack already.

import { HEAD_TEXT, HEADS_TEXT } from '../repository/stub-files.ts';
import type { PromiseFs } from './promise-fs.ts';

const VERSION_0 = /^(?<key>[ \t]*repositoryformatversion *= *)0$/m;

/** Whether the text is the configuration of a new repository. */
export function isNewConfig(text: string): boolean {
  return VERSION_0.test(text);
}

/** Makes the files that mark the format, and the configuration, which is written last. */
export async function makeReftable(fs: PromiseFs, gitDir: string, config: string): Promise<void> {
  await fs.mkdir(`${gitDir}/reftable`).catch(unlessThere);
  for (const folder of ['refs/heads', 'refs/tags']) {
    await fs.rmdir(`${gitDir}/${folder}`).catch(() => {});
  }
  await fs.writeFile(`${gitDir}/refs/heads`, HEADS_TEXT);
  await fs.writeFile(`${gitDir}/HEAD`, HEAD_TEXT);
  const extension = '[extensions]\n\trefstorage = reftable\n';
  await fs.writeFile(`${gitDir}/config`, extension + config.replace(VERSION_0, '$<key>1'));
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
