// The scripts in scripts/, in repositories of both hashes, give the same from Git and from us: exit codes, what is
// said, and the refs, symrefs and reflogs that are left.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, it } from 'vitest';
import { buildCommandLine } from '../cli/command-line.ts';
import { describeWithGit } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { makeOriginals, type Original } from './originals.ts';
import { parseScripts } from './script.ts';
import { expectSame } from './twins.ts';

const FOLDER = join(import.meta.dirname, 'scripts');

const groups = readdirSync(FOLDER).map((file) => ({
  name: basename(file, '.txt'),
  scripts: parseScripts(readFileSync(join(FOLDER, file), 'utf8')),
}));

describeWithGit('scripts by hand', () => {
  beforeAll(buildCommandLine);

  describe.for(['sha1', 'sha256'] as const)('in %s', (format) => {
    let folder: string;
    let originals: Map<string, Original>;

    beforeAll(() => {
      folder = temporaryFolder();
      originals = makeOriginals(join(folder, 'originals'), format);
    });

    for (const { name, scripts } of groups) {
      describe(name, () => {
        for (const script of scripts) {
          it.concurrent(script.title, () => expectSame(script, originals, folder));
        }
      });
    }
  });
});
