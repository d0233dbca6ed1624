// `reftable reflog list`: the refs that have a log.

import { parseArguments } from '../arguments.ts';
import { fail } from '../failure.ts';
import { stdout } from '../output.ts';
import { openRepository } from '../repository.ts';

export const help = `usage: reftable reflog list
`;

export function run(args: readonly string[]): number {
  const { operands } = parseArguments(args, {});
  if (operands.length > 0) fail(`list does not accept arguments: '${operands[0]}'`, 255);
  const refs = openRepository().snapshot();
  for (const name of refs.reflogNames()) stdout.write(`${name}\n`);
  return 0;
}
