// Scripts by chance (see `grammar.ts`) give the same from Git and from us. Each comes from a seed, which is its name;
// REFTABLE_TEST_SEED is the first. One that fails is made as small as it can be, and shown in the form of scripts/.

import * as fc from 'fast-check';
import { beforeAll, describe, it } from 'vitest';
import { buildCommandLine } from '../cli/command-line.ts';
import { describeWithGit } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { scripts } from './grammar.ts';
import { makeOriginals, type Original } from './originals.ts';
import { expectSame } from './twins.ts';

const FIRST_SEED = Number(process.env.REFTABLE_TEST_SEED ?? 1);
/** In each format. */
const COUNT = 100;
/** How long a script that fails is made smaller, ms. */
const SHRINKING_TIME = 20_000;

describeWithGit('scripts by chance', () => {
  beforeAll(buildCommandLine);

  // Not over files: there, Git words some refusals in other ways than ours (spec/compatibility.md).
  describe.for([
    { objects: 'sha1', refs: 'reftable', first: 0 },
    { objects: 'sha256', refs: 'reftable', first: COUNT },
  ] as const)('in $objects and $refs', ({ first, ...formats }) => {
    let folder: string;
    let originals: Map<string, Original>;

    beforeAll(() => {
      folder = temporaryFolder();
      originals = makeOriginals(folder, formats);
    });

    for (let at = 0; at < COUNT; at++) {
      const seed = FIRST_SEED + first + at;
      it.concurrent(`seed ${seed}`, () =>
        fc.assert(
          fc.asyncProperty(scripts(), (script) => expectSame(script, originals, folder)),
          { seed, numRuns: 1, interruptAfterTimeLimit: SHRINKING_TIME },
        ));
    }
  });
});
