// The commands of `update-ref --stdin` that add an update to the transaction: from text to updates.

import { checkRefName } from '../../refs/ref-name.ts';
import type { RefUpdate } from '../../refs/ref-store.ts';
import { die } from '../failure.ts';
import type { CommandReader, ResolveOid } from './command-reader.ts';

/** How the next update is made, and what its command needs to know. */
export interface CommandContext {
  reader: CommandReader;
  resolveOid: ResolveOid;
  /** The object id of all zeros. */
  zero: string;
  /** Whether symrefs are followed. */
  deref: boolean;
}

export interface UpdateCommand {
  /** How many NUL-terminated parts it has with -z, its name and the first one counting as one. */
  readonly parts: number;
  parse(context: CommandContext): RefUpdate;
}

export const UPDATE_COMMANDS: ReadonlyMap<string, UpdateCommand> = new Map([
  ['update', { parts: 3, parse: parseUpdate }],
  ['create', { parts: 2, parse: parseCreate }],
  ['delete', { parts: 2, parse: parseDelete }],
  ['verify', { parts: 2, parse: parseVerify }],
  ['symref-update', { parts: 4, parse: parseSymrefUpdate }],
  ['symref-create', { parts: 2, parse: parseSymrefCreate }],
  ['symref-delete', { parts: 2, parse: parseSymrefDelete }],
  ['symref-verify', { parts: 2, parse: parseSymrefVerify }],
]);

function parseUpdate({ reader, deref }: CommandContext): RefUpdate {
  const ref = reader.refName() ?? die('update: missing <ref>');
  const newOid =
    reader.nextOid('update', ref, { kind: 'new', allowEmpty: true }) ??
    die(`update ${ref}: missing <new-oid>`);
  const oldOid = reader.nextOid('update', ref, OLD);
  expectEnd(reader, 'update', ref);
  return { type: 'update', ref, newOid, oldOid, deref };
}

function parseCreate({ reader, zero, deref }: CommandContext): RefUpdate {
  const ref = reader.refName() ?? die('create: missing <ref>');
  const newOid = reader.nextOid('create', ref, NEW) ?? die(`create ${ref}: missing <new-oid>`);
  if (newOid === zero) die(`create ${ref}: zero <new-oid>`);
  expectEnd(reader, 'create', ref);
  return { type: 'create', ref, newOid, deref };
}

function parseDelete({ reader, zero, deref }: CommandContext): RefUpdate {
  const ref = reader.refName() ?? die('delete: missing <ref>');
  const oldOid = reader.nextOid('delete', ref, OLD);
  if (oldOid === zero) die(`delete ${ref}: zero <old-oid>`);
  expectEnd(reader, 'delete', ref);
  return { type: 'delete', ref, oldOid, deref };
}

function parseVerify({ reader, deref }: CommandContext): RefUpdate {
  const ref = reader.refName() ?? die('verify: missing <ref>');
  const oldOid = reader.nextOid('verify', ref, OLD);
  expectEnd(reader, 'verify', ref);
  return { type: 'verify', ref, oldOid, deref };
}

function parseSymrefUpdate({ reader, resolveOid, deref }: CommandContext): RefUpdate {
  const command = 'symref-update';
  const ref = reader.refName() ?? die(`${command}: missing <ref>`);
  const newTarget = reader.nextRefName() ?? die(`${command} ${ref}: missing <new-target>`);
  let oldOid: string | undefined;
  let oldTarget: string | undefined;
  const kind = reader.nextPart();
  if (kind !== undefined) {
    const old = reader.nextPart() ?? die(`${command} ${ref}: expected old value`);
    if (kind === 'oid') {
      oldOid = resolveOid(old) ?? die(`${command} ${ref}: invalid oid: ${old}`);
    } else if (kind === 'ref') {
      if (checkRefName(old, { allowOneLevel: true }) !== undefined) {
        die(`${command} ${ref}: invalid ref: ${old}`);
      }
      oldTarget = old;
    } else {
      die(`${command} ${ref}: invalid arg '${kind}' for old value`);
    }
  }
  expectEnd(reader, command, ref);
  return { type: command, ref, newTarget, oldOid, oldTarget, deref };
}

function parseSymrefCreate({ reader, deref }: CommandContext): RefUpdate {
  const command = 'symref-create';
  const ref = reader.refName() ?? die(`${command}: missing <ref>`);
  const newTarget = reader.nextRefName() ?? die(`${command} ${ref}: missing <new-target>`);
  expectEnd(reader, command, ref);
  return { type: command, ref, newTarget, deref };
}

function parseSymrefDelete(context: CommandContext): RefUpdate {
  return { type: 'symref-delete', ...parseExpectedTarget('symref-delete', context) };
}

function parseSymrefVerify(context: CommandContext): RefUpdate {
  return { type: 'symref-verify', ...parseExpectedTarget('symref-verify', context) };
}

function parseExpectedTarget(command: string, { reader, deref }: CommandContext) {
  if (deref) die(`${command}: cannot operate with deref mode`);
  const ref = reader.refName() ?? die(`${command}: missing <ref>`);
  const oldTarget = reader.nextRefName();
  expectEnd(reader, command, ref);
  return { ref, oldTarget, deref };
}

const NEW = { kind: 'new' } as const;
const OLD = { kind: 'old' } as const;

function expectEnd(reader: CommandReader, command: string, ref: string): void {
  if (!reader.isAtTerminator) die(`${command} ${ref}: extra input: ${reader.rest}`);
}
