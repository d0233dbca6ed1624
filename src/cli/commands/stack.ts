// `reftable stack`: the tables of a repository.

import { parseArguments } from '../arguments.ts';
import { UsageError } from '../failure.ts';
import { stdout } from '../output.ts';
import { describeStack, drawStack, findStackFolder } from '../stack-view.ts';

export const help = `usage: reftable stack [--json] [<path>]

    --json                for programs

Shows the tables of the repository at <path>, or of the reftable folder that <path> is: update
indexes, size, how many times the size of the next table, records (−n: that delete), name.
`;

export function run(args: readonly string[]): number {
  const { options, operands } = parseArguments(args, { json: {} });
  if (operands.length > 1) throw new UsageError();
  const description = describeStack(findStackFolder(operands[0]));
  stdout.write(
    options.json === true ? `${JSON.stringify(description, null, 2)}\n` : drawStack(description),
  );
  return 0;
}
