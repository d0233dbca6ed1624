// `reftable refs create`: makes a ref that must not be there yet.

import { zeroOid } from '../../format/object-format.ts';
import { parseArguments } from '../arguments.ts';
import { die, misuse } from '../failure.ts';
import { openRepository } from '../repository.ts';
import { change, checkMessage, DEREF_HELP, MESSAGE_HELP, objectId, REFLOG_HELP } from './change.ts';

export const help = `usage: reftable refs create [--message=<reason>] [--no-deref] [--create-reflog] <ref> <new-value>

${MESSAGE_HELP}${DEREF_HELP}${REFLOG_HELP}`;

export async function run(args: readonly string[]): Promise<number> {
  const { options, operands } = parseArguments(args, {
    message: { takes: 'text' },
    'no-deref': {},
    'create-reflog': {},
  });
  const [ref, value] = operands;
  if (ref === undefined || value === undefined || operands.length > 2) {
    misuse('create requires reference name and an object ID');
  }
  const message = checkMessage(options.message);
  const store = openRepository();
  const newOid = objectId(store, value, 'object ID');
  const oldOid = zeroOid(store.objectFormat);
  if (newOid === oldOid) die('cannot create reference with null new object ID');
  const deref = options['no-deref'] !== true;
  const createReflog = options['create-reflog'] === true;
  return change(`update_ref failed for ref '${ref}': `, () =>
    store.transaction([{ type: 'update', ref, newOid, oldOid, deref }], { message, createReflog }),
  );
}
