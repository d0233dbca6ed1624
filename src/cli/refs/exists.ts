// `reftable refs exists`: tells by the exit code whether a ref is there.

import { parseArguments } from '../arguments.ts';
import { die, fail } from '../failure.ts';
import { openRepository } from '../repository.ts';

export const help = `usage: reftable refs exists <ref>

Exit code: 0 if the ref is there, be it a symbolic one that leads nowhere, 2 if it is not.
`;

export function run(args: readonly string[]): number {
  const { operands } = parseArguments(args, {});
  const [name] = operands;
  if (name === undefined || operands.length > 1) die("'git refs exists' requires a reference");
  return openRepository().read(name) === undefined ? fail('reference does not exist', 2) : 0;
}
