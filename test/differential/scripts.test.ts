// The scripts in scripts/ give the same from Git and from us: exit codes, what is said, and the refs, symrefs and
// reflogs that are left. They take turns: one runs in a repository of SHA-1 and tables, the next in one of SHA-256 and
// files, and so on; where
// REFTABLE_TEST_FORMATS is `both`, each runs in all.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, it } from 'vitest';
import { buildCommandLine } from '../cli/command-line.ts';
import { describeWithGit } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { makeOriginals, type Original, type RepositoryFormats } from './originals.ts';
import { parseScripts } from './script.ts';
import { expectSame } from './twins.ts';

const FOLDER = join(import.meta.dirname, 'scripts');

const FORMATS: readonly RepositoryFormats[] = [
  { objects: 'sha1', refs: 'reftable' },
  { objects: 'sha256', refs: 'files' },
  { objects: 'sha1', refs: 'files' },
  { objects: 'sha256', refs: 'reftable' },
];
const RUNS_IN_BOTH = process.env.REFTABLE_TEST_FORMATS === 'both';

const groups = readdirSync(FOLDER).map((file) => ({
  name: basename(file, '.txt'),
  scripts: parseScripts(readFileSync(join(FOLDER, file), 'utf8')),
}));

describeWithGit('scripts by hand', () => {
  beforeAll(buildCommandLine);

  describe.for(FORMATS)('in $objects and $refs', (formats) => {
    let folder: string;
    let originals: Map<string, Original>;

    beforeAll(() => {
      folder = temporaryFolder();
      originals = makeOriginals(join(folder, 'originals'), formats);
    });

    for (const { name, scripts: all } of groups) {
      const scripts = all.filter(({ only = formats.refs }) => only === formats.refs);
      if (scripts.length === 0) continue;
      describe(name, () => {
        for (const [at, script] of scripts.entries()) {
          if (!RUNS_IN_BOTH && FORMATS[at % FORMATS.length] !== formats) continue;
          it.concurrent(`${script.title} (${script.original})`, () =>
            expectSame(script, originals, folder));
        }
      });
    }
  });
});
