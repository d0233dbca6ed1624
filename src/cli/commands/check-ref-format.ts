// `reftable check-ref-format`: whether a name is one that a ref, or a branch, may have.

import { checkRefName } from '../../refs/ref-name.ts';
import type { RefReader } from '../../refs/ref-store.ts';
import { die, HelpRequest, UsageError } from '../failure.ts';
import { stdout } from '../output.ts';
import { openRepository } from '../repository.ts';
import { expandBranch } from '../revisions/branch-shorthand.ts';

export const help = `usage: reftable check-ref-format [--normalize] [<options>] <refname>
   or: reftable check-ref-format --branch <branchname-shorthand>

    --allow-onelevel, --no-allow-onelevel
                          accept a name without a slash, or do not (the default)
    --refspec-pattern     accept one * in place of any part of the name
    --normalize, --print  print the name without slashes too many, if it is one then
    --branch              print the branch that is meant

Exit code: 0 if the name may be a ref's, else 1.
`;

// Git reads the options of this command by itself: in full, and before the name.
export function run(args: readonly string[]): number {
  const [only] = args;
  if (args.length === 1 && (only === '-h' || only === '--help-all')) throw new HelpRequest();
  if (args.length === 2 && only === '--branch') return checkBranch(args[1]!);

  let normalizes = false;
  let allowOneLevel = false;
  let isPattern = false;
  let at = 0;
  for (; args[at]?.startsWith('-'); at++) {
    const arg = args[at];
    if (arg === '--normalize' || arg === '--print') normalizes = true;
    else if (arg === '--allow-onelevel') allowOneLevel = true;
    else if (arg === '--no-allow-onelevel') allowOneLevel = false;
    else if (arg === '--refspec-pattern') isPattern = true;
    else throw new UsageError();
  }
  const given = args[at];
  if (given === undefined || at !== args.length - 1) throw new UsageError();
  const name = normalizes ? given.replace(/^\/+/, '').replace(/\/+/g, '/') : given;
  // The one star may stand where any letter may.
  const spelledOut = isPattern ? name.replace('*', 'x') : name;
  if (checkRefName(spelledOut, { allowOneLevel }) !== undefined) return 1;
  if (normalizes) stdout.write(`${name}\n`);
  return 0;
}

function checkBranch(given: string): number {
  const name = given.includes('@{') ? meantBranch(given) : given;
  const isBranch =
    !given.startsWith('-') && name !== 'HEAD' && checkRefName(`refs/heads/${name}`) === undefined;
  if (!isBranch) die(`'${given}' is not a valid branch name`);
  stdout.write(`${name}\n`);
  return 0;
}

/** What `@{-1}` or `@{upstream}` stands for; itself where no repository tells it. */
function meantBranch(given: string): string {
  let refs: RefReader;
  try {
    refs = openRepository();
  } catch {
    return given;
  }
  return expandBranch(refs, given);
}
