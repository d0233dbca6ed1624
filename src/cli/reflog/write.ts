// `reftable reflog write`: adds an entry to a log, whatever the ref is.

import { RefError } from '../../errors.ts';
import { isOid, zeroOid } from '../../format/object-format.ts';
import { checkRefName, isRootRef } from '../../refs/ref-name.ts';
import { parseArguments } from '../arguments.ts';
import { die, UsageError } from '../failure.ts';
import { openRepository } from '../repository.ts';

export const help = `usage: reftable reflog write <ref> <old-oid> <new-oid> <message>
`;

export async function run(args: readonly string[]): Promise<number> {
  const { operands } = parseArguments(args, {});
  if (operands.length !== 4) throw new UsageError();
  const [name, oldOid, newOid, message] = operands as [string, string, string, string];
  if (!isRootRef(name) && checkRefName(name) !== undefined) {
    die(`invalid reference name: ${name}`);
  }
  const store = openRepository();
  for (const [which, oid] of [
    ['old', oldOid],
    ['new', newOid],
  ] as const) {
    if (!isOid(oid, store.objectFormat)) die(`invalid ${which} object ID: '${oid}'`);
    const id = oid.toLowerCase();
    if (id === zeroOid(store.objectFormat)) continue;
    const found = await store.objects?.lookup([id]);
    if (found?.get(id) === 'missing') die(`${which} object '${oid}' does not exist`);
  }
  try {
    await store.writeReflogEntry(name, { oldOid, newOid, message });
  } catch (error) {
    if (error instanceof RefError && error.code !== 'HOOK_DECLINED') {
      die(`cannot commit reflog update: ${error.message}`);
    }
    throw error;
  }
  return 0;
}
