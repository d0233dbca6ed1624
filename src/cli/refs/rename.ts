// `reftable refs rename`: gives a ref another name, and its reflog with it.

import { RefError } from '../../errors.ts';
import { checkRefName } from '../../refs/ref-name.ts';
import type { RefReader } from '../../refs/ref-store.ts';
import { parseArguments } from '../arguments.ts';
import { die, misuse } from '../failure.ts';
import { openRepository } from '../repository.ts';
import { change, checkMessage, MESSAGE_HELP } from './change.ts';

export const help = `usage: reftable refs rename [--message=<reason>] <old-ref> <new-ref>

${MESSAGE_HELP}
The old ref must be there, and the new one must not.
`;

export async function run(args: readonly string[]): Promise<number> {
  const { options, operands } = parseArguments(args, { message: { takes: 'text' } });
  const [oldName, newName] = operands;
  if (oldName === undefined || newName === undefined || operands.length > 2) {
    misuse('rename requires old and new reference name');
  }
  const message = checkMessage(options.message);
  for (const name of [oldName, newName]) {
    if (checkRefName(name) !== undefined) die(`invalid ref format: '${name}'`);
  }
  const store = openRepository();
  if (!exists(store, oldName)) die(`reference does not exist: '${oldName}'`);
  if (exists(store, newName)) die(`reference already exists: '${newName}'`);
  return change('', () => store.renameRef(oldName, newName, { message }));
}

/** What leads nowhere, or goes round in a circle, does not exist. */
function exists(refs: RefReader, name: string): boolean {
  try {
    return refs.resolve(name) !== undefined;
  } catch (error) {
    if (error instanceof RefError && error.code === 'SYMREF_DEPTH') return false;
    throw error;
  }
}
