// `reftable update-ref`: changes one ref, or many at once as standard input says.

import { zeroOid } from '../../format/object-format.ts';
import type { RefStore, TransactionOptions } from '../../refs/ref-store.ts';
import { parseArguments } from '../arguments.ts';
import { die, fail, refusalOf, UsageError } from '../failure.ts';
import { openRepository } from '../repository.ts';
import { resolveOid } from '../revisions/resolve-oid.ts';
import { updateFromStdin } from '../update-ref/from-stdin.ts';

export const help = `usage: reftable update-ref [<options>] -d <refname> [<old-oid>]
   or: reftable update-ref [<options>]    <refname> <new-oid> [<old-oid>]
   or: reftable update-ref [<options>] --stdin [-z] [--batch-updates]

    -m <reason>           what the reflog says of the change
    -d                    delete the ref
    --no-deref            change <refname> and not the ref that it names
    --create-reflog       start a reflog where the repository would not keep one
    --stdin               read updates from standard input
    -z                    with --stdin, parts of a command end with NUL
    -0, --batch-updates   with --stdin, leave out what cannot be updated, say so, and update the rest

An object id is given in full, or by the name of a ref that has it. Whether the object exists is not
looked at. --stdin takes update, create, delete, verify, symref-update, symref-create, symref-delete,
symref-verify, option no-deref, start, prepare, commit and abort, as git-update-ref(1) tells them.
`;

export async function run(args: readonly string[]): Promise<number> {
  const { options, operands } = parseArguments(args, {
    message: { short: 'm', takes: 'text', hasNoLongForm: true },
    delete: { short: 'd', hasNoLongForm: true },
    'no-deref': {},
    nul: { short: 'z', hasNoLongForm: true },
    stdin: {},
    'create-reflog': {},
    'batch-updates': { short: '0' },
  });
  const { message } = options;
  if (message === '') die('Refusing to perform update with empty message.');
  const deref = options['no-deref'] !== true;
  const batchUpdates = options['batch-updates'] === true;
  const transaction = { message, createReflog: options['create-reflog'] === true, batchUpdates };

  if (options.stdin === true) {
    if (options.delete === true || operands.length > 0) throw new UsageError();
    const nulTerminated = options.nul === true;
    await updateFromStdin(openRepository(), { nulTerminated, deref, transaction });
    return 0;
  }
  if (batchUpdates) die('--batch-updates can only be used with --stdin');
  const [most, least] = options.delete === true ? [2, 1] : [3, 2];
  if (options.nul === true || operands.length < least || operands.length > most) {
    throw new UsageError();
  }
  const store = openRepository();
  if (options.delete === true) return deleteRef(store, operands, deref, transaction);
  return updateRef(store, operands, deref, transaction);
}

async function updateRef(
  store: RefStore,
  [ref = '', value = '', old]: readonly string[],
  deref: boolean,
  transaction: TransactionOptions,
): Promise<number> {
  const newOid = resolveOid(store, value) ?? die(`${value}: not a valid SHA1`);
  const oldOid = expectedOid(store, old);
  try {
    await store.transaction([{ type: 'update', ref, newOid, oldOid, deref }], transaction);
  } catch (error) {
    die(`update_ref failed for ref '${ref}': ${refusalOf(error)}`);
  }
  return 0;
}

async function deleteRef(
  store: RefStore,
  [ref = '', old]: readonly string[],
  deref: boolean,
  { message }: TransactionOptions,
): Promise<number> {
  const given = expectedOid(store, old);
  // For as long as Git has had it, all zeros have meant any value here.
  const oldOid = given === zeroOid(store.objectFormat) ? undefined : given;
  try {
    await store.transaction([{ type: 'delete', ref, oldOid, deref }], { message });
  } catch (error) {
    fail(refusalOf(error));
  }
  return 0;
}

/** The value that the ref must have; an empty text says that it must not exist. */
function expectedOid(store: RefStore, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (text === '') return zeroOid(store.objectFormat);
  return resolveOid(store, text) ?? die(`${text}: not a valid old SHA1`);
}
