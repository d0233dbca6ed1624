// `reftable reflog exists`: whether a ref has a log, by its full name.

import { checkRefName } from '../../refs/ref-name.ts';
import { parseArguments } from '../arguments.ts';
import { die, UsageError } from '../failure.ts';
import { openRepository } from '../repository.ts';

export const help = `usage: reftable reflog exists <ref>
`;

export function run(args: readonly string[]): number {
  const { operands } = parseArguments(args, {});
  const [name] = operands;
  if (name === undefined) throw new UsageError();
  if (checkRefName(name, { allowOneLevel: true }) !== undefined) {
    die(`invalid ref format: ${name}`);
  }
  return openRepository().hasReflog(name) ? 0 : 1;
}
