// Lists the branches of a repository, or changes to one of them, with isomorphic-git and without Git.
//   node switch-branch.mjs FOLDER [BRANCH]

import * as fs from 'node:fs';
import * as git from 'isomorphic-git';
import { withReftable } from 'reftable/isomorphic-git';

const [dir, branch] = process.argv.slice(2);
const repository = { fs: withReftable(fs), dir };

if (branch !== undefined) await git.checkout({ ...repository, ref: branch });
const current = await git.currentBranch(repository);
for (const name of await git.listBranches(repository)) {
  console.log(name === current ? `* ${name}` : `  ${name}`);
}
