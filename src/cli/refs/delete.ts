// `reftable refs delete`: deletes a ref, whatever it had or if it had the value that is told.

import { zeroOid } from '../../format/object-format.ts';
import { parseArguments } from '../arguments.ts';
import { die, misuse } from '../failure.ts';
import { openRepository } from '../repository.ts';
import { change, checkMessage, DEREF_HELP, MESSAGE_HELP, objectId } from './change.ts';

export const help = `usage: reftable refs delete [--message=<reason>] [--no-deref] <ref> [<old-value>]

${MESSAGE_HELP}${DEREF_HELP}`;

export async function run(args: readonly string[]): Promise<number> {
  const { options, operands } = parseArguments(args, {
    message: { takes: 'text' },
    'no-deref': {},
  });
  const [ref, old] = operands;
  if (ref === undefined || operands.length > 2) {
    misuse('delete requires reference name and an optional old object ID');
  }
  const message = checkMessage(options.message);
  const store = openRepository();
  const oldOid = old === undefined ? undefined : objectId(store, old, 'old object ID');
  if (oldOid === zeroOid(store.objectFormat)) {
    die('cannot delete reference with null old object ID');
  }
  const deref = options['no-deref'] !== true;
  return change('', () => store.transaction([{ type: 'delete', ref, oldOid, deref }], { message }));
}
