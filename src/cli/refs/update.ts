// `reftable refs update`: sets a ref to a value, whatever it had or if it had the one that is told.

import { parseArguments } from '../arguments.ts';
import { misuse } from '../failure.ts';
import { openRepository } from '../repository.ts';
import { change, checkMessage, DEREF_HELP, MESSAGE_HELP, objectId, REFLOG_HELP } from './change.ts';

export const help = `usage: reftable refs update [--message=<reason>] [--no-deref] [--create-reflog]
                            <ref> <new-value> [<old-value>]

${MESSAGE_HELP}${DEREF_HELP}${REFLOG_HELP}
All zeros as the new value delete the ref; as the old one they say that it must not be there.
`;

export async function run(args: readonly string[]): Promise<number> {
  const { options, operands } = parseArguments(args, {
    message: { takes: 'text' },
    'no-deref': {},
    'create-reflog': {},
  });
  const [ref, value, old] = operands;
  if (ref === undefined || value === undefined || operands.length > 3) {
    misuse('update requires reference name, new value and an optional old value');
  }
  const message = checkMessage(options.message);
  const store = openRepository();
  const newOid = objectId(store, value, 'new object ID');
  const oldOid = old === undefined ? undefined : objectId(store, old, 'old object ID');
  const deref = options['no-deref'] !== true;
  const createReflog = options['create-reflog'] === true;
  return change(`update_ref failed for ref '${ref}': `, () =>
    store.transaction([{ type: 'update', ref, newOid, oldOid, deref }], { message, createReflog }),
  );
}
