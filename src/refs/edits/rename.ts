// A ref under another name, or under a second one, with its reflog: what `git branch -m` and `-c` do to a stack.

import { RefError } from '../../errors.ts';
import { type ObjectFormat, zeroOid } from '../../format/object-format.ts';
import type { LogTail } from '../../format/record-encoder.ts';
import type { LogRecord, RefRecord } from '../../format/records.ts';
import { compareText } from '../../format/text.ts';
import type { MergedTable } from '../../table/merged-table.ts';
import { NameWalker } from '../../table/name-walker.ts';
import { checkRefName } from '../ref-name.ts';
import type { RenameOptions } from '../ref-store.ts';
import { logTail } from '../transaction/log-tail.ts';
import { type EditHost, type EditRecords, editStore } from './store-edit.ts';

export interface Renaming extends RenameOptions {
  oldName: string;
  newName: string;
  /** Whether the old ref stays. */
  copies: boolean;
}

/** See `renameRef` and `copyRef` of `ReflogEditor`. */
export async function renameRef(host: EditHost, renaming: Renaming): Promise<void> {
  const { newName, message = '', committer = host.committer() } = renaming;
  if (checkRefName(newName, { allowOneLevel: true }) !== undefined) {
    const refusal = `refusing to update ref with bad name '${newName}'`;
    throw new RefError('BAD_NAME', refusal, { ref: newName });
  }
  const log = logTail(committer, message, host.blockSize);
  const { objectFormat } = host;
  await editStore(host, (stack, updateIndex) =>
    planRenaming(stack, updateIndex, { ...renaming, log, objectFormat }),
  );
}

function planRenaming(
  stack: MergedTable,
  updateIndex: number,
  renaming: Renaming & { log: LogTail; objectFormat: ObjectFormat },
): EditRecords | undefined {
  const { oldName, newName, copies, log, objectFormat } = renaming;
  const old = stack.readRef(oldName);
  if (old === undefined) {
    throw new RefError('MISSING_REF', `refname ${oldName} not found`, { ref: oldName });
  }
  if (old.oid === undefined) {
    const message = `refname ${oldName} is a symbolic ref, copying it is not supported`;
    throw new RefError('INVALID_ARGUMENT', message, { ref: oldName });
  }
  if (oldName === newName) return undefined;
  checkAvailable(stack, newName, copies ? undefined : oldName);

  const zero = zeroOid(objectFormat);
  // The new reflog tells of an end and of a beginning, for which it takes two update indexes.
  const creation = copies ? updateIndex : updateIndex + 1;
  const refs: RefRecord[] = [{ ...old, name: newName, updateIndex: creation }];
  const created = { ...log, oldOid: zero, newOid: old.oid };
  const logs: LogRecord[] = [{ name: newName, updateIndex: creation, entry: created }];
  if (!copies) {
    refs.push({ name: oldName, updateIndex });
    const deleted = { ...log, oldOid: old.oid, newOid: zero };
    logs.push({ name: newName, updateIndex, entry: deleted });
    if (stack.readRef('HEAD')?.target === oldName) {
      logs.push({ name: 'HEAD', updateIndex, entry: deleted });
    }
  }
  for (const record of stack.log(oldName)) {
    logs.push({ ...record, name: newName });
    if (!copies) logs.push({ name: oldName, updateIndex: record.updateIndex });
  }
  refs.sort((a, b) => compareText(a.name, b.name));
  logs.sort((a, b) => compareText(a.name, b.name) || b.updateIndex - a.updateIndex);
  return { refs, logs, lastUpdateIndex: creation };
}

/** Throws `NAME_CONFLICT` if the name is a folder of a ref or lies in one; `gone` is a ref that does not count. */
function checkAvailable(stack: MergedTable, name: string, gone: string | undefined): void {
  const walker = NameWalker.refs(stack);
  for (let slash = name.indexOf('/'); slash >= 0; slash = name.indexOf('/', slash + 1)) {
    const folder = name.slice(0, slash);
    if (folder !== gone && walker.ref(folder) !== undefined) throw exists(folder, name);
  }
  const below = `${name}/`;
  let first = walker.firstFrom(below);
  // NUL is in no name: this is the first that can come after the one that goes.
  if (first !== undefined && first === gone) first = walker.firstFrom(`${gone}\0`);
  if (first?.startsWith(below)) throw exists(first, name);
}

function exists(existing: string, name: string): RefError {
  const message = `'${existing}' exists; cannot create '${name}'`;
  return new RefError('NAME_CONFLICT', message, { ref: name });
}
